package graph

import (
	"errors"
	"fmt"
)

// stops reports whether a node has stopped to ask somebody. The node's error is
// what it returned; one that asked and went on without the answer is at fault.
func (r *run) stops(res *result, err error) (bool, error) {
	t := res.task
	pending, waiting := t.waiting()
	switch {
	case !waiting:
		return false, nil
	case err == nil:
		return false, fmt.Errorf("it asked for answers and went on without them: it must return the error of Interrupt: %w", ErrInterruptIgnored)
	case !errors.Is(err, errWaiting):
		return false, nil
	}
	res.waits = true
	if t.journal == nil { // a graph around this one has the journal, and saves
		return true, nil
	}
	data, err := encode(&pending)
	if err == nil {
		err = t.journal.record(t.run.saving, RecordInterrupt, "", data)
	}
	return err == nil, err
}

// waits ends a superstep whose tasks ask for answers. What the others wrote is
// on record, and shown.
func (r *run) waits(results []result) error {
	if !r.asks {
		return nil
	}
	var pending []PendingInterrupt
	waiting := false
	for i := range results {
		if results[i].waits {
			waiting = true
			own, _ := results[i].task.waiting()
			pending = append(pending, own...)
		}
	}
	if !waiting {
		return nil
	}
	err := r.interrupted(pending)
	if wrote := r.showFinished(results); wrote && r.wants(StateValue) {
		r.publish(event{foreign: foreign{Kind: StateValue}, state: r.paused.shown}, len(results))
	}
	return err
}

// showFinished makes the state that State has of a superstep that waits. What
// cannot be merged is left out, as State leaves it out.
func (r *run) showFinished(results []result) (wrote bool) {
	var finished []result
	for _, res := range results {
		if !res.waits && !(res.jumps && res.update[0].Op() == OpParent) {
			finished = append(finished, res)
		}
	}
	then := r.copied(r.now)
	wrote, err := r.merge(then.kept, newTally(len(r.channels)), finished)
	if err != nil {
		return false
	}
	r.show(&then)
	r.paused = &then
	return wrote
}

// finish puts on record what one of several tasks returned, so that it is not
// run again when another fails or the process dies. An update for a parent
// graph cannot be read again, so its task is.
func (r *run) finish(res *result) error {
	if r.keep == nil || res.jumps && res.update[0].Op() == OpParent {
		return nil
	}
	data, err := r.appendSaved(nil, res.update)
	if err == nil {
		err = res.task.journal.finish(r.saving, data)
	}
	if err != nil {
		return r.nodeError(res.task, fmt.Errorf("saving what it returned: %w", err))
	}
	return nil
}

// recordFailure puts on record that a task failed for good, unless it was made
// to stop.
func (r *run) recordFailure(t *task, failure *NodeError, handled bool) error {
	if t.journal == nil || t.Err() != nil && reached(t) == nil {
		return nil
	}
	data, err := encode(&savedFailure{failure.Err.Error(), failure.Attempts, handled})
	if err != nil {
		return err
	}
	return t.journal.record(r.saving, RecordError, "", data)
}

// leftFailure is the failure that an earlier attempt, of another process
// maybe, handed to the node's handler, which did not finish.
func (r *run) leftFailure(res *result, n *node) *NodeError {
	data, ok := res.past.left[recordKey{RecordError, ""}]
	if !ok || n.opts.onError == nil {
		return nil
	}
	var f savedFailure
	if decodeInto(data, &f) != nil || !f.Handled {
		return nil
	}
	failure := r.nodeError(res.task, errors.New(f.Message))
	failure.Attempts = f.Attempts
	return failure
}
