package graph

import (
	"encoding/json"
	"fmt"
)

// A Recording is an earlier run that a run is replayed from: its nodes do not
// run, what they returned is taken from there. Routers, reducers and the
// mappings of subgraphs do run. graph/trace makes one of a trace. It may be
// asked by several goroutines at once.
type Recording interface {
	// Superstep is asked before every superstep of every graph of the run, with
	// where it is, the graphs around it first, and what is to run. An error ends
	// the run.
	Superstep(at []Place, nodes []string) error
	// Task is asked before a task runs. Without a Replayed it does run; an error
	// fails it. A subgraph is asked about task by task, and not as a whole.
	Task(at []Place, node string) (*Replayed, error)
}

// Replayed is what a task of an earlier run came to.
type Replayed struct {
	// Update is what it returned, as Update.MarshalJSON writes it.
	Update json.RawMessage
	// Events are what it published, its start included, and what graphs inside it
	// did. They are published again.
	Events []Event[struct{}]
}

// places is where the task is, the graphs around it first.
func (t *task) places() []Place {
	if t.run.outer == nil {
		return []Place{t.at()}
	}
	return append(t.run.outer.places(), t.at())
}

// replay takes a task's update from a recording. It reports whether there is
// one.
func (r *run[S]) replay(res *result[S], n *node[S]) (bool, error) {
	t := res.task
	if n.inner {
		return false, nil
	}
	rec, err := r.recording.Task(t.places(), n.name)
	if err != nil || rec == nil {
		return false, err
	}
	for _, ev := range rec.Events {
		if t.listens(ev.Kind) {
			ev.Places = append([]Place{t.at()}, ev.Places...)
			ev.Step = ev.Places[len(ev.Places)-1].Step
			r.events.publish(ev)
		}
	}
	if res.update, err = r.DecodeUpdate(rec.Update); err != nil {
		return false, fmt.Errorf("replaying it: %w", err)
	}
	return true, nil
}

// replayStep tells a recording that a superstep is to run.
func (r *run[S]) replayStep() error {
	var at []Place
	if r.outer != nil {
		at = r.outer.places()
	}
	return r.recording.Superstep(append(at, Place{r.step, -1}), r.dueNames())
}
