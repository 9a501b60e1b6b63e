package page

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
	"example.com/assay/state/proof"
)

var runPage = parsed("run.tmpl", "value.tmpl")

// A runView is the page of a run.
type runView struct {
	Run      runRow
	ID       string // of its element as a turn of a conversation
	Asked    string // what a person asked, as a turn of a conversation
	Live     bool   // the run has not ended
	After    int64  // the last event on the page
	Lines    []said
	Earlier  bool // earlier lines are left out
	Draft    string
	Asks     []question
	Passed   bool          // it asked a person, and the conversation went on
	Answer   template.HTML // the answer with its evidence, once the run has ended
	State    []value       // the state, if the server cannot read the graph's answer
	Failed   string        // why the run failed
	Fault    string        // why the answer's evidence cannot be shown
	Removed  bool          // the thread was removed, and State comes from the log
	Forked   string        // the run whose checkpoint it continued from
	Steps    []look.Link   // to before its last supersteps, to change them
	Prompts  []look.Link   // to run again with another one
	Sections []template.HTML
}

// run shows a run: its events while it runs, and its answer afterwards.
func (v *visit) run() error {
	r, a, err := v.accountOf(want{})
	if err != nil {
		return err
	}
	out := runView{Run: v.row(r), Live: a.View.Live, After: a.seq, Lines: a.lines, Earlier: a.earlier, Draft: a.draft, Forked: r.Forked}
	if frame := v.runFrame(r, ""); out.Live {
		frame.Scripts = []string{root + "static/live.js"}
		drawing, err := a.Graph(nil)
		if err != nil {
			return err
		}
		out.Sections = []template.HTML{drawing}
		return v.show(runPage, "Runs", frame, out)
	}
	if err := v.ended(r, a, &out); err != nil {
		return err
	}
	if v.Write && !out.Removed {
		v.changeable(r, a, &out)
	}
	for _, part := range []func() (template.HTML, error){a.Overview, func() (template.HTML, error) { return a.Graph(nil) }} {
		html, err := part()
		if err != nil {
			return err
		}
		out.Sections = append(out.Sections, html)
	}
	return v.show(runPage, "Runs", v.runFrame(r, ""), out)
}

// mostChangeable is how many supersteps the page of a run leads back to.
const mostChangeable = 8

// changeable adds where the run can go on otherwise.
func (v *visit) changeable(r runs.Run, a *account, out *runView) {
	steps := a.View.Steps
	for i, s := range steps {
		id := a.saved[s.Step-1]
		if i == 0 {
			id = cmp.Or(id, a.begins)
		}
		if id == "" {
			continue
		}
		if g, err := v.Graph(r.Graph); i == 0 && err == nil { // a graph that is served no more has no prompts
			for _, skill := range v.againOf(g, again{}).Skills {
				out.Prompts = append(out.Prompts, look.Link{Text: skill, Href: threadPath(r.Thread, "at", id, "skill", skill) + "#go-on"})
			}
		}
		var names []string
		for _, n := range s.Nodes {
			if n.Inside < 0 && !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
		}
		if len(steps)-i <= mostChangeable {
			out.Steps = append(out.Steps, look.Link{Text: strings.Join(names, ", "), Href: threadPath(r.Thread, "at", id) + "#go-on"})
		}
	}
}

// titleOf returns the title of a graph, for people.
func (v *visit) titleOf(name string) string {
	g, err := v.Graph(name)
	if err != nil { // it is served no more
		return name
	}
	return cmp.Or(g.Title, name)
}

// runFrame returns the frame of a run's pages.
func (v *visit) runFrame(r runs.Run, here string) look.Frame {
	f := look.Frame{Title: title(r), Eyebrow: "Run of " + v.titleOf(r.Graph), Full: true}
	for _, p := range []struct{ name, path string }{{"Answer", ""}, {"Graph", "graph"}, {"Steps", "steps"}, {"Timeline", "timeline"}} {
		path := join("runs", r.ID)
		if p.path != "" {
			path = join("runs", r.ID, p.path)
		}
		f.Parts = append(f.Parts, look.Link{Text: p.name, Href: path, Here: p.path == here})
	}
	if !r.Temporary || !r.Status.Ended() {
		f.Parts = append(f.Parts, look.Link{Text: "Thread", Href: join("threads", r.Thread)})
	}
	compare := look.Link{Text: "Compare", Href: query(root+"compare", "b", r.ID)}
	if r.Forked != "" {
		compare = look.Link{Text: "Compare with the run before", Href: query(root+"compare", "a", r.Forked, "b", r.ID)}
	}
	f.Parts = append(f.Parts, compare)
	if r.Status.Ended() {
		f.Parts = append(f.Parts, look.Link{Text: "Download as one file", Href: join("runs", r.ID, "file")})
	}
	return f
}

// ended adds what a run has at its end: its answer or its state, and its interrupts.
func (v *visit) ended(r runs.Run, a *account, out *runView) error {
	out.Failed = cmp.Or(r.Reason, r.Error)
	at, state, err := v.final(r, a)
	if err != nil || state == nil {
		return err
	}
	if out.Removed = at == nil; at != nil && r.Asks {
		if out.Asks, err = v.questions(at, r.Thread); err != nil {
			return err
		}
	}
	if out.Answer, err = v.proven(r, a, &evidence.Options{Prefix: out.ID, Close: out.ID}); err != nil {
		out.Fault = err.Error()
	}
	if out.Answer == "" {
		out.State, err = fields(state)
		return err
	}
	return nil
}

// final returns the state at the end of a run. For a removed thread, such as a temporary one, it
// returns the writes in the log, and no snapshot.
func (v *visit) final(r runs.Run, a *account) (*runs.Snapshot, json.RawMessage, error) {
	at, err := v.last(r)
	if errors.As(err, new(*runs.NotFoundError)) {
		state, err := a.written()
		return nil, state, err
	}
	if err != nil || at == nil {
		return nil, nil, err
	}
	return at, at.State, nil
}

// proofOf returns the proof of an ended run's answer, and its documents; nil without an answer.
func (v *visit) proofOf(r runs.Run, a *account) (*proof.Proof, proof.Documents, error) {
	if v.Proof == nil || !r.Status.Ended() {
		return nil, nil, nil
	}
	_, state, err := v.final(r, a)
	if err != nil || state == nil {
		return nil, nil, err
	}
	return v.Proof(v.r.Context(), v.tenant, r, state)
}

// proven returns the answer of an ended run next to its documents; "" without an answer.
func (v *visit) proven(r runs.Run, a *account, opts *evidence.Options) (template.HTML, error) {
	p, docs, err := v.proofOf(r, a)
	if err != nil || p == nil {
		return "", err
	}
	return evidence.Section(v.r.Context(), *p, docs, opts)
}

// last returns the state at the end of a run: the thread's, if no later run has continued it, and
// else the newest checkpoint of the run; nil for none.
func (v *visit) last(r runs.Run) (*runs.Snapshot, error) {
	ctx := v.r.Context()
	t, err := v.Thread(ctx, r.Thread)
	if err != nil {
		return nil, err
	}
	if t.Runs == r.Number {
		at, _, err := v.State(ctx, r.Thread, "")
		return at, err
	}
	for at, err := range v.History(ctx, r.Thread, &graph.HistoryOptions{Run: r.ID, Limit: 1}) {
		return at, err
	}
	return nil, nil
}

// A said is an event in words.
type said struct {
	Seq   int64  `json:"seq"`
	Node  string `json:"node,omitempty"`  // path in the drawing; empty for the run itself
	Class string `json:"class,omitempty"` // the node's new class
	Text  string `json:"text"`
	At    int64  `json:"at"` // when it happened, in milliseconds since 1970
	// Draft is a further piece of the text that a model writes, and no line; empty where a text
	// begins. Nil for any other event.
	Draft *string `json:"draft,omitempty"`
}

// saying returns an event in words. Most events have none.
func saying(ev runs.Event) (out said, ok bool) {
	out = said{Seq: ev.Seq, Node: ev.Node, At: ev.Time.UnixMilli()}
	if ev.Namespace != "" && ev.Node != "" {
		out.Node = ev.Namespace + "/" + ev.Node
	}
	switch ev.Kind {
	case runs.KindAttempt:
		if out.Text = "The run begins."; ev.Attempt > 1 {
			out.Text = "The run goes on: the server before this one has stopped."
		}
	case graph.NodeStart.String():
		if out.Class, out.Text = "running", "begins"; ev.Attempt > 1 {
			out.Text = fmt.Sprintf("begins again, attempt %d", ev.Attempt)
		}
	case graph.NodeUpdate.String():
		if out.Class, out.Text = "done", "done in "+look.Duration(float64(ev.Elapsed)/float64(time.Millisecond)); ev.Cached {
			out.Text = "done, as before"
		}
	case graph.NodeRetry.String():
		out.Class, out.Text = "running", "failed, and is tried again: "+ev.Error
	case graph.NodeFailed.String():
		out.Class, out.Text = "error", "failed: "+ev.Error
	case graph.NodeHandled.String():
		out.Class, out.Text = "error", "failed, and its handler takes over: "+ev.Error
	case graph.NodeToken.String():
		out.Draft = &ev.Text
		return out, ev.Namespace == "" // inside a pipeline it is no answer yet
	case graph.NodeCustom.String():
		if ev.Name == event.ModelText {
			out.Draft = new(string)
			return out, ev.Namespace == ""
		}
		out.Text = customText(ev)
	case graph.RunInterrupt.String():
		if ev.Namespace != "" {
			return out, false
		}
		if out.Text = "The run waits at a breakpoint."; len(ev.Interrupts) > 0 {
			p := ev.Interrupts[0]
			out.Node, out.Class, out.Text = strings.Trim(p.Namespace+"/"+p.Node, "/"), "asked", "asks a person"
		}
	default:
		return out, false
	}
	return out, true
}

// customText describes a node's custom event: its name, and for a model call the model and the
// tokens.
func customText(ev runs.Event) string {
	var call event.Call
	if ev.Name != event.ModelCall || json.Unmarshal(ev.Data, &call) != nil || call.Model == "" {
		return look.Plain(ev.Name)
	}
	text := "called " + call.Model
	if call.Skill != "" {
		text += " for " + call.Skill
	}
	return fmt.Sprintf("%s: %d tokens in, %d out", text, call.Usage.InputTokens, call.Usage.OutputTokens)
}

// stop stops a run.
func (v *visit) stop() error {
	id := v.r.PathValue("run")
	if err := v.Cancel(v.r.Context(), id); err != nil {
		return err
	}
	if r, err := v.Run(v.r.Context(), id); err == nil && v.r.PostFormValue("in") == "ask" {
		return v.to(turnPath(r))
	}
	return v.to(join("runs", id))
}
