package graph

import (
	"encoding/json"
	"fmt"
)

// A Recording is an earlier run that a run is replayed from: its nodes do not
// run, what they returned is taken from there. Routers, reducers and the
// mappings of subgraphs do run. What was answered to Interrupt or put on record
// by Once is in what the node returned: it is neither asked nor called again.
// graph/trace makes a Recording of a trace. It may be asked by several goroutines
// at once.
type Recording interface {
	// Run is asked when a graph begins to run inside a task, or at the root, where
	// at is empty. An error ends the run.
	Run(at []Place, graph, fingerprint string) error
	// Superstep is asked before every superstep of every graph of the run, with
	// where it is, the graphs around it first, and what is to run. An error ends
	// the run.
	Superstep(at []Place, nodes []string) error
	// Task is asked before a task runs. Without a Replayed it does run; an error
	// fails it. A subgraph is taken task by task, and not as a whole, unless its
	// node's handler took over.
	Task(at []Place, node string) (*Replayed, error)
}

// Replayed is what a task of an earlier run came to.
type Replayed struct {
	// Update is what it returned, as Update.MarshalJSON writes it.
	Update json.RawMessage
	// Events are what it published, its start included, and what graphs inside it
	// did. They are published again, as Replayed.
	Events []Event[struct{}]
	// Handled says that the node failed, and that its handler returned the update.
	Handled bool
}

// ReplayError says that what a recording has of a task cannot be an update of the
// graph.
type ReplayError struct{ Err error }

func (e *ReplayError) Error() string { return fmt.Sprintf("replaying it: %v", e.Err) }
func (e *ReplayError) Unwrap() error { return e.Err }

// places is where the task is, the graphs around it first.
func (t *task) places() []Place {
	if t.run.outer == nil {
		return []Place{t.at()}
	}
	return append(t.run.outer.places(), t.at())
}

// replay takes a task's update from a recording. It reports whether there is
// one.
func (r *run) replay(res *result, n *node) (bool, error) {
	t := res.task
	rec, err := r.recording.Task(t.places(), n.name)
	if err != nil || rec == nil || n.inner && !rec.Handled {
		return false, err
	}
	for _, ev := range rec.Events {
		if ev.Namespace == "" {
			t.attempt = int32(ev.Attempt)
		}
		if t.listens(ev.Kind) {
			ev.Places = append([]Place{t.at()}, ev.Places...)
			ev.Step, ev.Replayed = ev.Places[len(ev.Places)-1].Step, true
			r.out.publish(event{foreign: ev})
		}
	}
	if res.update, err = r.decodeUpdate(rec.Update); err != nil {
		return false, &ReplayError{err}
	}
	res.replayed = true
	return true, nil
}
