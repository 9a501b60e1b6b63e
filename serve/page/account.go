package page

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/serve/page/run"
	"example.com/assay/serve/runs"
	"example.com/assay/serve/view"
)

// An account is a run as read from its log.
type account struct {
	run.Run
	seq     int64          // the last event
	lines   []said         // the last events in words, while the run continues
	earlier bool           // earlier lines are left out
	draft   string         // what a model has written so far
	records []trace.Record // its events as records of a trace, if wanted
	begins  string         // the checkpoint that it continued from; empty for none
	saved   map[int]string // checkpoints by the superstep before them
}

// written returns the last values that nodes of the root graph wrote, as a state; nil for none.
func (a *account) written() (json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, c := range a.View.Channels {
		if c.Namespace == "" && c.Last != nil { // a command or an untracked value has none
			out[c.Name] = c.Last
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return json.Marshal(out)
}

// A want selects the parts of a run to read.
type want struct {
	from, steps int  // supersteps to read in full, by position
	all         bool // read all supersteps
	records     bool
	behind      *int // read only events after this superstep; nil for all
}

// reads reports whether to read an event.
func (w want) reads(ev runs.Event) bool {
	step := ev.Step
	if len(ev.Places) > 0 {
		step = ev.Places[0].Step
	}
	return w.behind == nil || step > *w.behind || ev.Kind == runs.KindAttempt
}

// traced reports whether the log has events of this kind for every run. Two runs can only be
// compared by such kinds, and by the beginning and the end, which account adds.
func traced(kind string) bool {
	k := graph.KindNamed(kind)
	return k == graph.RunStart || k == graph.RunEnd || k != 0 && (Modes|graph.Updates|graph.Checkpoints).Wants(k)
}

// maxLines is how many lines the page of a running run shows.
const maxLines = 200

// account reads the log of a run.
func (v *visit) account(r runs.Run, w want) (*account, error) {
	out := &account{saved: map[int]string{}, Run: run.Run{Links: linksOf(r), Outcome: r.Outcome}}
	if g, err := v.Graph(r.Graph); err == nil {
		out.App = &g.App
	}
	opts := &view.Options{From: w.from, Steps: w.steps, Live: !r.Status.Ended(), State: v.stateAt(r, out.saved)}
	if w.all {
		opts.From, opts.Steps = 0, 0
	} else if w.steps == 0 {
		opts.From, opts.Steps = 1<<30, 1
	}
	b := view.NewBuilder(opts)
	add := func(rec graph.EventRecord) error {
		if w.records && traced(rec.Kind) {
			out.records = append(out.records, trace.Of(rec))
		}
		return b.Event(rec)
	}
	for ev, err := range v.Recorded(v.r.Context(), r.ID) {
		if err == nil && !w.reads(ev) {
			continue
		}
		if err == nil && ev.Kind == runs.KindAttempt {
			out.begins = ev.Checkpoint
			err = add(graph.EventRecord{Kind: graph.RunStart.String(), Time: ev.Time, Graph: r.Graph, Fingerprint: ev.Fingerprint})
		}
		if err == nil {
			err = add(ev.EventRecord)
		}
		if err != nil {
			return nil, err
		}
		if ev.Namespace == "" && ev.Kind == graph.CheckpointSaved.String() {
			out.saved[ev.Step] = ev.Checkpoint
		}
		out.seq = ev.Seq
		if opts.Live {
			out.say(ev)
		}
	}
	if !opts.Live {
		end := graph.EventRecord{Kind: graph.RunEnd.String(), Time: r.Updated, Elapsed: r.Updated.Sub(r.Created), Error: cmp.Or(r.Reason, r.Error)}
		if err := add(end); err != nil {
			return nil, err
		}
	}
	if extra := len(out.lines) - maxLines; extra > 0 {
		out.earlier, out.lines = true, out.lines[extra:]
	}
	out.View = b.View()
	return out, nil
}

// say adds an event in words, if it has any.
func (a *account) say(ev runs.Event) {
	line, ok := saying(ev)
	if !ok {
		return
	}
	if line.Draft != nil {
		if a.draft += *line.Draft; *line.Draft == "" {
			a.draft = ""
		}
		return
	}
	if a.lines = append(a.lines, line); len(a.lines) >= 2*maxLines {
		a.earlier, a.lines = true, slices.Clone(a.lines[maxLines:])
	}
}

// stateAt returns a function that reads the state after a superstep of a run.
func (v *visit) stateAt(r runs.Run, saved map[int]string) func(int) (json.RawMessage, bool) {
	known := map[int]json.RawMessage{} // each is needed twice; nil if it is not known
	return func(step int) (json.RawMessage, bool) {
		id, ok := saved[step]
		if _, read := known[step]; ok && !read {
			known[step] = nil
			if at, _, err := v.State(v.r.Context(), r.Thread, id); err == nil && at != nil { // else it was pruned, or the graph has changed
				known[step] = at.State
			}
		}
		return known[step], known[step] != nil
	}
}

// linksOf returns the addresses of a run's parts.
func linksOf(r runs.Run) run.Links {
	return run.Links{
		Graph: join("runs", r.ID, "graph"), Steps: join("runs", r.ID, "steps"), Timeline: join("runs", r.ID, "timeline"),
		Checkpoint: func(id string) string { return threadPath(r.Thread, "at", id) + "#place" },
	}
}

// took returns the duration of a run that has ended.
func took(r runs.Run) time.Duration { return r.Updated.Sub(r.Created) }
