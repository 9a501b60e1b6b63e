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

// RecordingOptions say where a replay ends and nodes run. Nil and the zero value replay everything.
type RecordingOptions struct {
	// From is the node to run from; "outer/inner" is a node of a subgraph.
	From string
	// Live selects records, such as certain calls, to run from. It adds to From.
	Live func(Record) bool
}

// A Recording replays a run from its trace; see graph.RunOptions.Replay.
//
//	rec, err := trace.NewRecording(records, &trace.RecordingOptions{From: "grade"})
//	out, err := app.Invoke(ctx, in, &graph.RunOptions{Replay: rec})
//
// RecordingOptions pick tasks. A graph is replayed up to its first superstep with a picked task. In
// that superstep the picked tasks run and the others are replayed; later supersteps run. A graph
// inside a picked task runs as a whole, unless it has picked tasks itself: then it is replayed up
// to them. So each of several graphs that Sends started runs from its own point on.
//
// A trace has no values of Untracked channels, so writes to them are lost. It has no answers to
// interrupts either; a node that asked is in the trace with its final result. The events of several
// graphs that one node ran cannot be separated: these graphs are replayed only with the whole node.
type Recording struct {
	live  bool           // a task is picked
	cuts  map[string]int // the first superstep with a picked task, by graph: the key of the graph's outer task
	on    map[string]bool
	tasks map[string]*recorded
	steps map[string]step
	runs  map[string]*recordedRun
}

// recorded is the part of a trace about one task.
type recorded struct {
	graph.Replayed
	node  string
	index int // of its first record
}

type step struct {
	index int
	nodes []string
}

// recordedRun is the start of a graph, or of several graphs in one task.
type recordedRun struct {
	index              int
	graph, fingerprint string
	several            bool
	open               int // graphs that have begun and not failed
}

// NewRecording reads a run's records. Options that pick nothing in the trace are an error.
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
	run.open++ // a failed graph may have been retried
	run.several = run.several || run.graph != rec.Graph
}

// pick makes the task at a place run, and everything after it.
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

// add adds a record to the task at a place, or to a graph inside it.
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

// event returns the event that the record was written from. An update is in Data.
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

// recordedError is an error of which the trace has only the text.
type recordedError string

func (e recordedError) Error() string { return string(e) }

func key(at []graph.Place) string { return fmt.Sprint(at) }

// replays reports whether the recording replaces a task. On reports whether a graph inside the task
// has picked tasks: then the task runs, and its graph asks the recording itself.
func (r *Recording) replays(at []graph.Place) (is, on bool) {
	for depth, p := range at {
		first, cut := r.cut(at[:depth])
		switch {
		case !cut:
			return first > p.Step, false
		case p.Step != first:
			return p.Step < first, false
		case !r.on[key(at[:depth+1])]:
			return true, false // in the same superstep as a picked task
		}
	}
	return false, true
}

// cut returns the first superstep of a graph with a picked task, and whether there is one. Without
// a picked task it returns a superstep after all others; inside a picked task, one before them.
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

// Run implements graph.Recording. It refuses a graph other than the trace's.
func (r *Recording) Run(at []graph.Place, name, fingerprint string) error {
	was := r.runs[key(at)]
	if was == nil || !r.follows(at, 1) {
		return nil // the trace has no runs: Task checks its tasks
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

// Superstep implements graph.Recording. It refuses a superstep that differs from the trace.
func (r *Recording) Superstep(at []graph.Place, nodes []string) error {
	inner := len(at) - 1
	if !r.follows(at[:inner], at[inner].Step) {
		return nil
	}
	was, ok := r.steps[key(at)]
	d := Difference{Index: was.index, Event: fmt.Sprintf("%v in step %d", graph.StepStart, at[0].Step), Is: strings.Join(nodes, ", ")}
	switch {
	case !ok && len(r.steps) == 0:
		return nil // the trace has no supersteps: Task checks its tasks
	case !ok:
		d.Index, d.Was = -1, "the trace ended here"
	case !slices.Equal(was.nodes, nodes):
		d.Field, d.Was = "nodes", strings.Join(was.nodes, ", ")
	default:
		return nil
	}
	return &MismatchError{d}
}

// Task returns a task from the trace. A task that failed, or that the trace does not finish, runs.
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

// MismatchError reports a replayed run that differs from its trace.
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
