package run

import (
	"cmp"
	"encoding/json"
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
	*Run
	Pager  look.Pager
	Steps  []step
	First  bool   // the first superstep of the run is shown
	States bool   // the states of the run are known
	Broken string // how the run ended, or that it did not
}

// A step is a superstep with its tasks as a tree.
type step struct {
	view.Step
	Anchor string
	Saved  string // address of the checkpoint
	Class  view.Class
	Groups []*group
	Took   string
	Gap    int // supersteps before it that are left out
}

// A group holds tasks of one node that ran at the same time.
type group struct {
	Name  string
	Class view.Class // of the worst task
	Tasks []task
}

type task struct {
	*view.Node
	ID     string
	Number int      // among the node's tasks in the superstep
	Inner  []*group // tasks of its subgraph
}

// Steps shows the supersteps of a page, from a position on.
func (r *Run) Steps(from int) (template.HTML, error) {
	n := len(r.View.Steps)
	from, to := window(from, StepsPerPage, n)
	return r.steps(pages("supersteps", r.Links.Steps, from, StepsPerPage, n), [2]int{from, to})
}

// steps shows the supersteps between positions.
func (r *Run) steps(p look.Pager, windows ...[2]int) (template.HTML, error) {
	data := stepsData{Run: r, Pager: p, First: windows[0][0] == 0, States: r.View.Last != nil}
	next := windows[0][0]
	for _, w := range windows {
		for i := w[0]; i < w[1]; i++ {
			s := r.stepAt(i)
			s.Gap, next = i-next, i+1
			data.Steps, data.States = append(data.Steps, s), data.States || s.States
		}
	}
	if next == len(r.View.Steps) {
		_, _, data.Broken = r.ended()
	}
	return section("steps", data)
}

func (r *Run) stepAt(position int) step {
	s := step{Step: r.View.Steps[position], Anchor: r.anchor(position), Class: view.Done}
	if r.Links.Checkpoint != nil && s.Checkpoint != "" {
		s.Saved = r.Links.Checkpoint(s.Checkpoint)
	}
	inside := map[int][]int{} // tasks by their outer task
	known, began, ended := len(s.Nodes) > 0, math.Inf(1), 0.0
	for i, n := range s.Nodes {
		inside[n.Inside] = append(inside[n.Inside], i)
		_, ends := n.Took()
		known, began, ended = known && ends, min(began, n.Start), max(ended, n.Stop)
	}
	if known {
		s.Took = look.Duration(ended - began)
	}
	s.Groups = groups(&s, inside, -1)
	for _, g := range s.Groups {
		s.Class = max(s.Class, g.Class)
	}
	return s
}

// groups returns the tasks inside a task, or at the root for -1, with the tasks inside them.
func groups(s *step, inside map[int][]int, around int) []*group {
	var out []*group
	for _, i := range inside[around] {
		t := task{Node: &s.Nodes[i], ID: fmt.Sprintf("%s-task-%d", s.Anchor, i), Inner: groups(s, inside, i)}
		if last := len(out) - 1; last < 0 || out[last].Name != t.Name || out[last].Tasks[0].Superstep != t.Superstep {
			out = append(out, &group{Name: t.Name})
		}
		g := out[len(out)-1]
		t.Number = len(g.Tasks) + 1
		g.Tasks, g.Class = append(g.Tasks, t), max(g.Class, t.Class)
	}
	return out
}

// took returns the duration of a task; "" if it is not known.
func took(n *view.Node) string {
	ms, known := n.Took()
	if !known {
		return ""
	}
	return look.Duration(ms)
}

// grown says how many elements a list gained.
func grown(f view.Field) string {
	count := func(list json.RawMessage) int {
		var all []json.RawMessage
		_ = json.Unmarshal(list, &all) // what is not a list has none
		return len(all)
	}
	return fmt.Sprintf("%d added to %d", count(f.Added), count(f.Was))
}

// answered says who answered a model call.
func answered(c event.Call) string {
	switch {
	case c.Said != nil && c.Said.Cassette, c.Usage.RecordedCost > 0, c.Usage.RecordedUnpriced > 0:
		return "by a cassette"
	case c.Model == "offline":
		return "by code, without a model"
	case c.Said != nil, c.Usage.Cost > 0, c.Usage.Unpriced > 0:
		return "live"
	}
	return "not recorded"
}

// A saying is a message in a conversation with a model.
type saying struct {
	Who, Text string
	Images    int
}

// said returns the messages that a model call sent and received.
func said(s event.Said) (out []saying) {
	say := func(who, text string, images int) {
		if text != "" || images > 0 {
			out = append(out, saying{who, text, images})
		}
	}
	for _, m := range s.Messages {
		say(string(m.Role), m.Text, len(m.Images))
		for _, call := range m.Calls {
			say("called "+call.Name, string(call.Arguments), 0)
		}
		for _, result := range m.Results {
			say(result.Name+" returned", result.Text, 0)
		}
	}
	say("answer", s.Answer, 0)
	for _, call := range s.Calls {
		say("calls "+call.Name, string(call.Arguments), 0)
	}
	return out
}

// cost describes the cost of calls, as terminals do.
func cost(u state.ModelUsage) string {
	words := strings.TrimPrefix(u.CostWords(), ", ")
	return cmp.Or(strings.TrimPrefix(words, "cost "), "not recorded")
}

// A scoreTable has the hits of a search, with a column for each ranker.
type scoreTable struct {
	Rankers []string
	Rows    []map[string]string // the scores of each hit, by ranker
	Summed  bool                // the first score is the sum of the others
}

func scores(hits []event.Hit) scoreTable {
	out := scoreTable{Summed: len(hits) > 0}
	for _, h := range hits {
		row, sum := map[string]string{}, 0.0
		for k, s := range h.Scores {
			if row[s.Ranker] = fmt.Sprintf("%.3f", s.Value); !slices.Contains(out.Rankers, s.Ranker) {
				out.Rankers = append(out.Rankers, s.Ranker)
			}
			if k > 0 {
				sum += s.Value
			}
		}
		out.Summed = out.Summed && len(h.Scores) > 1 && h.Scores[0].Ranker == out.Rankers[0] && math.Abs(sum-h.Scores[0].Value) < 1e-5
		out.Rows = append(out.Rows, row)
	}
	return out
}
