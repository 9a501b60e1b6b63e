package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
)

// A Recording replays a run from its trace; see graph.RunOptions.Replay.
//
//	rec, err := trace.NewRecording(records, "grade")
//	out, err := app.Invoke(ctx, in, &graph.RunOptions{Replay: rec})
//
// Untracked channels are not in a trace: what nodes wrote to them is lost. Nor
// are a run's answers to interrupts; nodes that asked are in the trace with
// what they returned in the end.
type Recording struct {
	from  []graph.Place // of the node that is run; nil replays all
	tasks map[string]*recorded
	steps map[string]step
}

type recorded struct {
	node   string
	index  int // of its first record
	update json.RawMessage
	events []graph.Event[struct{}]
	failed bool
}

type step struct {
	index int
	nodes []string
}

// NewRecording reads a run's records. From is the node from which on the run is
// live, "outer/inner" for one of a subgraph: when it comes up first it runs, and
// so does all that follows it; what stands beside it in the same superstep is
// replayed. An empty one replays everything.
func NewRecording(records []Record, from string) (*Recording, error) {
	r := &Recording{tasks: map[string]*recorded{}, steps: map[string]step{}}
	records = Normalise(records)
	known := map[string]bool{}
	for i, rec := range records {
		if len(rec.Places) == 0 {
			return nil, fmt.Errorf("replaying a trace: event %d, %s, is at no place", i, rec.describe())
		}
		if rec.Kind == graph.StepStart.String() {
			r.steps[key(rec.Places)] = step{i, rec.Nodes}
		}
		for depth := range rec.Places {
			at := rec.Places[:depth+1]
			if at[depth].Task < 0 || depth == len(rec.Places)-1 && rec.Node == "" {
				continue
			}
			name := rec.Node
			if depth < len(rec.Places)-1 {
				name = strings.Split(rec.Namespace, "/")[depth]
			}
			if err := r.add(at, name, i, rec); err != nil {
				return nil, err
			}
		}
		if rec.Node == "" {
			continue
		}
		known[rec.name()] = true
		if r.from == nil && from != "" && rec.name() == from {
			r.from = slices.Clone(rec.Places)
		}
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("replaying a trace: it has no events")
	}
	if from != "" && r.from == nil {
		names := make([]string, 0, len(known))
		for name := range known {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("replaying a trace: node %q is not in it; it has %s", from, strings.Join(names, ", "))
	}
	return r, nil
}

// add notes a record of the task at a place, or of a graph inside it.
func (r *Recording) add(at []graph.Place, node string, index int, rec Record) error {
	t := r.tasks[key(at)]
	if t == nil {
		t = &recorded{node: node, index: index}
		r.tasks[key(at)] = t
	}
	inside := len(rec.Places) > len(at)
	if !inside {
		switch rec.Kind {
		case graph.NodeUpdate.String():
			t.update = rec.Update
			return nil
		case graph.NodeFailed.String():
			t.failed = true
			return nil
		}
	}
	ev, ok := rec.event()
	if !ok {
		return nil
	}
	ev.Places = slices.Clone(rec.Places[len(at):])
	if around := strings.Split(rec.Namespace, "/"); len(around) >= len(at) {
		ev.Namespace = strings.Join(around[len(at)-1:], "/")
	} else {
		ev.Namespace = ""
	}
	t.events = append(t.events, ev)
	return nil
}

// event is the record as the event that it was written from, with its update,
// if it has one, as Data.
func (r Record) event() (graph.Event[struct{}], bool) {
	ev := graph.Event[struct{}]{
		Kind: graph.KindNamed(r.Kind), Namespace: r.Namespace, Node: r.Node, Attempt: max(1, r.Attempt),
		Elapsed: time.Duration(r.ElapsedUS) * time.Microsecond, Graph: r.Graph, Fingerprint: r.Fingerprint,
		Nodes: r.Nodes, Waiting: r.Waiting, Cached: r.Cached, Name: r.Key, Data: r.Data,
		Checkpoint: r.Checkpoint, Parent: r.Parent, Source: graph.Source(r.Source), Interrupts: r.Interrupts,
	}
	if ev.Kind == 0 {
		ev.Kind, ev.Name = graph.NodeCustom, r.Kind
	}
	if r.Update != nil {
		ev.Data = r.Update
	}
	if r.Error != "" {
		ev.Err = recordedError(r.Error)
	}
	return ev, true
}

// recordedError is an error of which only the text is left.
type recordedError string

func (e recordedError) Error() string { return string(e) }

func key(at []graph.Place) string { return fmt.Sprint(at) }

// replays reports whether a task is one that the recording stands in for.
func (r *Recording) replays(at []graph.Place) bool {
	for i, p := range r.from {
		if i >= len(at) {
			return false // the node's graph runs in this task
		}
		if c := cmp.Compare(at[i].Step, p.Step); c != 0 {
			return c < 0
		}
		if at[i].Task != p.Task {
			return true // beside it
		}
	}
	return r.from == nil
}

// Superstep refuses a superstep that the trace has otherwise.
func (r *Recording) Superstep(at []graph.Place, nodes []string) error {
	if r.from != nil && !r.replays(append(slices.Clone(at[:len(at)-1]), graph.Place{Step: at[len(at)-1].Step - 1})) {
		return nil
	}
	was, ok := r.steps[key(at)]
	switch {
	case !ok && len(r.steps) == 0:
		return nil // a trace without supersteps; its tasks tell
	case !ok:
		return &MismatchError{Difference{Index: -1, Event: fmt.Sprintf("step_start in step %d", at[0].Step), Was: "the trace ended here", Is: strings.Join(nodes, ", ")}}
	case !slices.Equal(was.nodes, nodes):
		return &MismatchError{Difference{Index: was.index, Event: fmt.Sprintf("step_start in step %d", at[0].Step), Field: "nodes", Was: strings.Join(was.nodes, ", "), Is: strings.Join(nodes, ", ")}}
	}
	return nil
}

// Task returns what the trace has of a task. A task that failed, or that the
// trace broke off in, runs.
func (r *Recording) Task(at []graph.Place, node string) (*graph.Replayed, error) {
	if !r.replays(at) {
		return nil, nil
	}
	t := r.tasks[key(at)]
	switch {
	case t == nil:
		return nil, &MismatchError{Difference{Index: -1, Event: fmt.Sprintf("node_start of node %q in step %d", node, at[0].Step), Was: "not in the trace", Is: "present"}}
	case t.node != node:
		return nil, &MismatchError{Difference{Index: t.index, Event: fmt.Sprintf("node_start in step %d", at[0].Step), Field: "node", Was: t.node, Is: node}}
	case t.update == nil:
		return nil, nil
	}
	return &graph.Replayed{Update: t.update, Events: t.events}, nil
}

// MismatchError is a replayed run that went another way than its trace.
type MismatchError struct{ Difference }

func (e *MismatchError) Error() string {
	d := e.Difference
	where := d.Event
	if d.Index >= 0 {
		where = fmt.Sprintf("event %d, %s", d.Index, d.Event)
	}
	if d.Field != "" {
		where += ", field " + d.Field
	}
	return fmt.Sprintf("the run does not follow its trace: %s: was %s, is %s", where, cut(d.Was), cut(d.Is))
}
