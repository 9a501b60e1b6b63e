package graph

import (
	"encoding/json"
	"fmt"
)

// A Recording replays an earlier run: nodes do not run, and their updates come from the recording.
// Routers, reducers and the mappings of subgraphs do run. Recorded updates already contain the
// effects of Interrupt and Once, so neither asks nor calls again. Package graph/trace makes a
// Recording from a trace. Several goroutines may use it at once.
type Recording interface {
	// Run is called when a graph begins, at the root with an empty at, or
	// inside a task. An error ends the run.
	Run(at []Place, graph, fingerprint string) error
	// Superstep is called before every superstep of every graph. The places
	// list outer graphs first. The nodes are due. An error ends the run.
	Superstep(at []Place, nodes []string) error
	// Task is called before a task runs. The task runs when the result is nil.
	// An error fails the task. Subgraphs are replayed task by task, unless
	// their node's handler took over.
	Task(at []Place, node string) (*Replayed, error)
}

// Replayed is the outcome of a task in an earlier run.
type Replayed struct {
	// Update is the task's update, encoded by Update.MarshalJSON.
	Update json.RawMessage
	// Events are the events of the task and of graphs inside it, from its
	// start. They are published again as Replayed.
	Events []Event[struct{}]
	// Handled says that the node failed, and that its handler returned the
	// update.
	Handled bool
}

// ReplayError reports a recorded update that does not fit the graph.
type ReplayError struct{ Err error }

func (e *ReplayError) Error() string { return fmt.Sprintf("replaying it: %v", e.Err) }
func (e *ReplayError) Unwrap() error { return e.Err }

// places returns the task's place, outer graphs first.
func (t *task) places() []Place {
	if t.run.outer == nil {
		return []Place{t.at()}
	}
	return append(t.run.outer.places(), t.at())
}

// replay takes a task's update from the recording, and reports whether there is
// one.
func (r *run) replay(res *result, n *node) (bool, error) {
	t := res.task
	rec, err := r.recording.Task(t.places(), n.name)
	if err != nil || rec == nil || n.inner != nil && !rec.Handled {
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
	if res.update, err = r.program.decodeUpdate(rec.Update); err != nil {
		return false, &ReplayError{err}
	}
	res.replayed = true
	return true, nil
}
