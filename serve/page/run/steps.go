package run

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// mostParts is how many changed places in a field are shown separately.
const mostParts = 12

// stepsData is what steps.tmpl shows.
type stepsData struct {
	Pager  look.Pager
	Steps  []stepData
	First  bool // the first superstep of the run is shown
	View   *view.View
	Unsaid bool   // a model call has no recorded prompt and answer
	States bool   // the states of the run are known
	Why    string // why they are unknown
	Broken string // how the run ended, or that it did not
	// LeftOut is the number of supersteps left out between Steps and Behind.
	LeftOut int
	Behind  []stepData
}

type stepData struct {
	view.Step
	Anchor     string
	Checkpoint string // address of the checkpoint
	Tone       string
	Class      string
	Word       string
	Groups     []*taskGroup
	Took       string
	Fields     []fieldLine
}

// A fieldLine is a field of the state before and after a superstep.
type fieldLine struct {
	view.Field
	Grown string // "2 elements were added to 3"
}

// A taskGroup holds tasks of one node that ran at the same time.
type taskGroup struct {
	Name              string
	Tasks             []taskData
	Class, Word, Tone string // of the worst task
}

type taskData struct {
	*view.Node
	ID         string
	Number     int // among the node's tasks in the superstep
	Class      string
	Word       string
	Tone       string
	Took       string
	Wrote      string
	ModelCalls []callData
	Retrievals []searchData
	Inner      []*taskGroup // tasks of its subgraph
}

type callData struct {
	event.Call
	From string // who answered: a cassette, or a model
	Cost string
	Hash string
	Said []saying // messages sent and received; nil if they were not recorded
	Text string   // the template of the prompt instead; may be unknown
}

// A saying is a message in a conversation with a model.
type saying struct {
	Who    string
	Text   value
	Images int
}

// searchData shows a search as a table with a column for each ranker.
type searchData struct {
	event.Search
	Rankers []string
	Rows    []hitLine
	Summed  bool // the first score is the sum of the others
}

type hitLine struct {
	Rank    int
	Passage string
	Values  []string // one for each ranker; empty without a score
}

// Steps shows the supersteps of a page, from a position on.
func (r *Run) Steps(from int) (template.HTML, error) {
	v := &r.View
	from, to := window(from, StepsPerPage, len(v.Steps))
	return r.steps(from, to, pages("supersteps", r.Links.Steps, from, StepsPerPage, len(v.Steps)))
}

func (r *Run) steps(from, to int, p look.Pager) (template.HTML, error) {
	data := r.stepsData(from, to)
	data.Pager = p
	return section("steps", data)
}

func (r *Run) stepsData(from, to int) stepsData {
	v := &r.View
	data := stepsData{First: from == 0, View: v, States: v.Last != nil, Why: r.Why}
	if to == len(v.Steps) {
		data.Broken = r.ending()
	}
	for i := from; i < to; i++ {
		data.Steps = append(data.Steps, r.stepData(i))
		data.States = data.States || v.Steps[i].States
		for _, n := range v.Steps[i].Nodes {
			data.Unsaid = data.Unsaid || slices.ContainsFunc(n.ModelCalls, func(c event.Call) bool { return c.Said == nil })
		}
	}
	return data
}

// ending describes how the run ended.
func (r *Run) ending() string {
	v := &r.View
	switch {
	case !v.Ended && r.Live:
		return "The run goes on."
	case !v.Ended:
		return "The record ends before the run does: the run was killed, or its record was cut."
	case len(v.Interrupts) > 0:
		return "The run stopped for a person."
	case v.Error != "":
		return "The run failed: " + v.Error
	}
	return ""
}

func (r *Run) stepData(position int) stepData {
	s := r.View.Steps[position]
	d := stepData{Step: s, Anchor: r.anchor(position), Class: "done", Word: "done"}
	if r.Links.Checkpoint != nil && s.Checkpoint != "" {
		d.Checkpoint = r.Links.Checkpoint(s.Checkpoint)
	}
	inside := map[int][]int{} // tasks by their outer task
	var began, ended float64
	timed := len(s.Nodes) > 0
	for i, n := range s.Nodes {
		inside[n.Inside] = append(inside[n.Inside], i)
		if timed = timed && n.Timed && !n.Unfinished; timed {
			if i == 0 || n.Start < began {
				began = n.Start
			}
			ended = max(ended, n.Stop)
		}
	}
	d.Groups = r.groups(d.Anchor, s.Nodes, inside, -1)
	for _, g := range d.Groups {
		if worse(g.Class, d.Class) {
			d.Class, d.Word = g.Class, g.Word
		}
	}
	d.Tone = tone(d.Class)
	d.Took = took(timed, ended-began)
	for _, field := range s.Fields {
		for _, f := range field.Parts(mostParts) {
			line := fieldLine{Field: f}
			if had := max(elements(f.Was), 0); f.Added != nil {
				line.Grown = fmt.Sprintf("%d added to %d", elements(f.Added), had)
			}
			d.Fields = append(d.Fields, line)
		}
	}
	return d
}

// groups returns the tasks inside a task, or at the root for -1, with the tasks inside them.
func (r *Run) groups(anchor string, nodes []view.Node, inside map[int][]int, around int) []*taskGroup {
	var out []*taskGroup
	for _, i := range inside[around] {
		n := &nodes[i]
		t := r.taskData(n)
		t.ID = fmt.Sprintf("%s-task-%d", anchor, i)
		t.Inner = r.groups(anchor, nodes, inside, i)
		if last := len(out) - 1; last < 0 || out[last].Name != n.Name || out[last].Tasks[0].Superstep != n.Superstep {
			out = append(out, &taskGroup{Name: n.Name, Class: t.Class, Word: t.Word, Tone: t.Tone})
		}
		g := out[len(out)-1]
		t.Number = len(g.Tasks) + 1
		g.Tasks = append(g.Tasks, t)
		if worse(t.Class, g.Class) {
			g.Class, g.Word, g.Tone = t.Class, t.Word, t.Tone
		}
	}
	return out
}

// worst orders the classes of tasks; the worst is last.
var worst = []string{"done", "stopped", "running", "asked", "error"}

func worse(a, b string) bool { return slices.Index(worst, a) > slices.Index(worst, b) }

func took(known bool, ms float64) string {
	if !known {
		return ""
	}
	return look.Duration(ms)
}

func (r *Run) taskData(n *view.Node) taskData {
	t := taskData{Node: n, Took: took(n.Timed && !n.Unfinished, n.Stop-n.Start)}
	t.Class, t.Word = r.outcome(n)
	t.Tone = tone(t.Class)
	var wrote []string
	for _, c := range n.Changed {
		if name := c.Channel; name != "" && !slices.Contains(wrote, name) {
			wrote = append(wrote, name)
		}
	}
	t.Wrote = strings.Join(wrote, ", ")
	for _, c := range n.ModelCalls {
		t.ModelCalls = append(t.ModelCalls, r.callOf(c))
	}
	for _, e := range n.Retrievals {
		t.Retrievals = append(t.Retrievals, searchOf(e))
	}
	return t
}

func (r *Run) callOf(c event.Call) callData {
	d := callData{Call: c, Hash: fmt.Sprintf("%.12s", c.SkillHash), Cost: cost(c.Usage), From: "not recorded"}
	switch {
	case c.Said != nil && c.Said.Cassette, c.Usage.RecordedCost > 0, c.Usage.RecordedUnpriced > 0:
		d.From = "by a cassette"
	case c.Model == "offline":
		d.From = "by code, without a model"
	case c.Said != nil, c.Usage.Cost > 0, c.Usage.Unpriced > 0:
		d.From = "live"
	}
	if c.Said == nil {
		if r.Skill != nil {
			d.Text, _ = r.Skill(c.Skill, c.SkillHash) // empty if unknown
		}
		return d
	}
	say := func(who, text string, images int) {
		if text != "" || images > 0 {
			d.Said = append(d.Said, saying{who, textOf(text), images})
		}
	}
	for _, m := range c.Said.Messages {
		say(string(m.Role), m.Text, len(m.Images))
		for _, call := range m.Calls {
			say("called "+call.Name, string(call.Arguments), 0)
		}
		for _, result := range m.Results {
			say(result.Name+" returned", result.Text, 0)
		}
	}
	say("answer", c.Said.Answer, 0)
	for _, call := range c.Said.Calls {
		say("calls "+call.Name, string(call.Arguments), 0)
	}
	return d
}

// cost describes the cost of calls.
func cost(u state.ModelUsage) string {
	switch {
	case u.Unpriced > 0 && u.Cost > 0:
		return u.Cost.String() + " and more: some have no price"
	case u.Unpriced > 0:
		return "no price is known"
	case u.Cost > 0:
		return u.Cost.String()
	case u.RecordedCost > 0:
		return "0 (" + u.RecordedCost.String() + " when it was recorded)"
	}
	return "not recorded"
}

// searchOf makes the table of a search.
func searchOf(e event.Search) searchData {
	d := searchData{Search: e, Summed: len(e.Hits) > 0}
	column := map[string]int{}
	for _, h := range e.Hits {
		for _, s := range h.Scores {
			if _, ok := column[s.Ranker]; !ok {
				column[s.Ranker] = len(d.Rankers)
				d.Rankers = append(d.Rankers, s.Ranker)
			}
		}
	}
	for i, h := range e.Hits {
		line := hitLine{Rank: i + 1, Passage: h.Passage, Values: make([]string, len(d.Rankers))}
		var sum float64
		for k, s := range h.Scores {
			line.Values[column[s.Ranker]] = fmt.Sprintf("%.3f", s.Value)
			if k > 0 {
				sum += s.Value
			}
		}
		d.Summed = d.Summed && len(h.Scores) > 1 && h.Scores[0].Ranker == d.Rankers[0] && math.Abs(sum-h.Scores[0].Value) < 1e-5
		d.Rows = append(d.Rows, line)
	}
	return d
}
