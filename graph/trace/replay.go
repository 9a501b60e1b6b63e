package trace

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
)

// RecordingOptions say from where on a replay is live. Nil and the zero value
// replay everything.
type RecordingOptions struct {
	// From is a node, "outer/inner" for one of a subgraph.
	From string
	// Live picks records, such as certain calls. With From, both count.
	Live func(Record) bool
}

// A Recording replays a run from its trace; see graph.RunOptions.Replay.
//
//	rec, err := trace.NewRecording(records, &trace.RecordingOptions{From: "grade"})
//	out, err := app.Invoke(ctx, in, &graph.RunOptions{Replay: rec})
//
// Each graph is live from the first superstep with a picked task. There the picked
// tasks run and the others are replayed; everything after it runs. A graph inside a
// picked task runs as a whole. A graph with picked tasks of its own is replayed up to
// them. So each of several graphs that Sends started is live from its own point on.
//
// Untracked channels are not in a trace, so writes to them are lost. So are a run's
// answers to interrupts; a node that asked is in the trace with its final result.
// The events of several graphs that one node ran cannot be separated: these graphs
// are replayed only with the node as a whole.
type Recording struct {
	live  bool           // something is picked
	cuts  map[string]int // by graph, as the key of the task that it is in: the first superstep with a picked task
	on    map[string]bool
	tasks map[string]*recorded
	steps map[string]step
	runs  map[string]*recordedRun
}

// recorded is what a trace has of a task.
type recorded struct {
	graph.Replayed
	node  string
	index int // of its first record
}

type step struct {
	index int
	nodes []string
}

// recordedRun is the beginning of a graph, or of several in one task.
type recordedRun struct {
	index              int
	graph, fingerprint string
	several            bool
	open               int // how many have begun and not failed
}

// NewRecording reads a run's records. That nothing is picked although something
// should be is an error.
func NewRecording(records []Record, opts *RecordingOptions) (*Recording, error) {
	if len(records) == 0 {
		return nil, errors.New("replaying a trace: it has no events")
	}
	if opts == nil {
		opts = &RecordingOptions{}
	}
	r := &Recording{
		cuts: map[string]int{}, on: map[string]bool{}, tasks: map[string]*recorded{}, steps: map[string]step{}, runs: map[string]*recordedRun{},
	}
	known := map[string]bool{}
	for i, rec := range Normalise(records) {
		inner, around := len(rec.Places)-1, strings.Split(rec.Namespace, "/")
		switch {
		case inner < 0:
			return nil, fmt.Errorf("replaying a trace: event %d, %s, is at no place", i, rec.describe())
		case inner > 0 && len(around) < inner:
			return nil, fmt.Errorf("replaying a trace: event %d, %s, is %d graphs deep, and its namespace is %q", i, rec.describe(), inner, rec.Namespace)
		}
		switch rec.Kind {
		case graph.StepStart.String():
			r.steps[key(rec.Places)] = step{i, rec.Nodes}
		case graph.RunStart.String():
			r.begins(key(rec.Places[:inner]), i, rec)
		case graph.RunEnd.String():
			if run := r.runs[key(rec.Places[:inner])]; run != nil && rec.Error != "" {
				run.open--
			}
		}
		for depth, p := range rec.Places {
			if p.Task < 0 || depth == inner && rec.Node == "" {
				continue
			}
			name := rec.Node
			if depth < inner {
				name = around[depth]
			}
			r.add(rec.Places[:depth+1], around, name, i, rec)
		}
		if rec.Node == "" {
			continue
		}
		known[rec.name()] = true
		if opts.From != "" && rec.name() == opts.From || opts.Live != nil && opts.Live(rec) {
			r.pick(rec.Places)
		}
	}
	switch {
	case opts.From != "" && !known[opts.From]:
		return nil, fmt.Errorf("replaying a trace: node %q is not in it; it has %s", opts.From, strings.Join(Nodes(records), ", "))
	case opts.Live != nil && !r.live:
		return nil, errors.New("replaying a trace: nothing in it is to be live")
	}
	return r, nil
}

// Nodes lists the nodes in a trace, sorted; a node of a subgraph is "outer/inner".
func Nodes(records []Record) []string {
	var names []string
	for _, rec := range records {
		if rec.Node != "" {
			names = append(names, rec.name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (r *Recording) begins(graph string, index int, rec Record) {
	run := r.runs[graph]
	if run == nil {
		run = &recordedRun{index: index, graph: rec.Graph, fingerprint: rec.Fingerprint}
		r.runs[graph] = run
	}
	run.open++ // a failed one may have been tried again
	run.several = run.several || run.graph != rec.Graph
}

// pick makes the task at a place run, and all that follows it.
func (r *Recording) pick(at []graph.Place) {
	r.live = true
	for depth, p := range at {
		around := key(at[:depth])
		if first, ok := r.cuts[around]; !ok || p.Step < first {
			r.cuts[around] = p.Step
		}
		r.on[key(at[:depth+1])] = true
	}
}

// add notes a record of the task at a place, or of a graph inside it.
func (r *Recording) add(at []graph.Place, around []string, node string, index int, rec Record) {
	t := r.tasks[key(at)]
	if t == nil {
		t = &recorded{node: node, index: index}
		r.tasks[key(at)] = t
	}
	if len(rec.Places) == len(at) {
		switch rec.Kind {
		case graph.NodeUpdate.String():
			t.Update = rec.Update
			return
		case graph.NodeFailed.String():
			return // it runs
		case graph.NodeHandled.String():
			t.Handled = true
		}
	}
	ev := rec.event()
	ev.Places = slices.Clone(rec.Places[len(at):])
	ev.Namespace = ""
	if rec.Namespace != "" {
		ev.Namespace = strings.Join(around[len(at)-1:], "/")
	}
	t.Events = append(t.Events, ev)
}

// event is the record as the event that it was written from, with its update,
// if it has one, as Data.
func (r Record) event() graph.Event[struct{}] {
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
	return ev
}

// recordedError is an error that a trace has as text only.
type recordedError string

func (e recordedError) Error() string { return string(e) }

func key(at []graph.Place) string { return fmt.Sprint(at) }

// replays reports whether the recording stands in for a task, and whether the
// task is on the way to a picked one: then it runs, and its graph asks for itself.
func (r *Recording) replays(at []graph.Place) (is, on bool) {
	for depth, p := range at {
		first, cut := r.cut(at[:depth])
		switch {
		case !cut:
			return first > p.Step, false
		case p.Step != first:
			return p.Step < first, false
		case !r.on[key(at[:depth+1])]:
			return true, false // beside it
		}
	}
	return false, true
}

// cut is the first superstep of a graph with a picked task, and whether there is
// one. It is beyond all others when nothing is picked, and before them in a
// picked task.
func (r *Recording) cut(around []graph.Place) (first int, picked bool) {
	if run := r.runs[key(around)]; run != nil && (run.several || run.open > 1) {
		return math.MinInt, false
	}
	first, picked = r.cuts[key(around)]
	switch {
	case picked:
		return first, true
	case len(around) == 0:
		return math.MaxInt, false
	}
	return math.MinInt, false
}

// follows reports whether a graph has only been replayed before a superstep.
func (r *Recording) follows(around []graph.Place, superstep int) bool {
	if is, on := r.replays(around); !on {
		return is
	}
	first, _ := r.cut(around)
	return superstep <= first
}

// Run refuses a graph that is not the trace's.
func (r *Recording) Run(at []graph.Place, name, fingerprint string) error {
	was := r.runs[key(at)]
	if was == nil || !r.follows(at, 1) {
		return nil // a trace without runs; its tasks tell
	}
	d := Difference{Index: was.index, Event: graph.RunStart.String()}
	switch {
	case was.graph != name:
		d.Field, d.Was, d.Is = "graph", was.graph, name
	case was.fingerprint != fingerprint:
		d.Event += fmt.Sprintf(" of graph %q", name)
		d.Field, d.Was, d.Is = "fingerprint", was.fingerprint, fingerprint
	default:
		return nil
	}
	return &MismatchError{d}
}

// Superstep refuses a superstep that the trace has otherwise.
func (r *Recording) Superstep(at []graph.Place, nodes []string) error {
	inner := len(at) - 1
	if !r.follows(at[:inner], at[inner].Step) {
		return nil
	}
	was, ok := r.steps[key(at)]
	d := Difference{Index: was.index, Event: fmt.Sprintf("%v in step %d", graph.StepStart, at[0].Step), Is: strings.Join(nodes, ", ")}
	switch {
	case !ok && len(r.steps) == 0:
		return nil // a trace without supersteps; its tasks tell
	case !ok:
		d.Index, d.Was = -1, "the trace ended here"
	case !slices.Equal(was.nodes, nodes):
		d.Field, d.Was = "nodes", strings.Join(was.nodes, ", ")
	default:
		return nil
	}
	return &MismatchError{d}
}

// Task returns what the trace has of a task. A task that failed, or that the
// trace broke off in, runs.
func (r *Recording) Task(at []graph.Place, node string) (*graph.Replayed, error) {
	if is, _ := r.replays(at); !is {
		return nil, nil
	}
	t := r.tasks[key(at)]
	switch {
	case t == nil:
		return nil, &MismatchError{Difference{Index: -1, Event: fmt.Sprintf("%v of node %q in step %d", graph.NodeStart, node, at[0].Step), Was: "not in the trace", Is: "present"}}
	case t.node != node:
		return nil, &MismatchError{Difference{Index: t.index, Event: fmt.Sprintf("%v in step %d", graph.NodeStart, at[0].Step), Field: "node", Was: t.node, Is: node}}
	case t.Update == nil:
		return nil, nil
	}
	return &t.Replayed, nil
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
	was, is := d.shown()
	return fmt.Sprintf("the run does not follow its trace: %s: was %s, is %s", where, was, is)
}
