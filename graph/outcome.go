package graph

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/assay/graph/internal/machine"
)

// A result is a task with its outcome.
type result struct {
	node          int   // end for a run's input
	place         int32 // position among the superstep's tasks
	send          int32 // position among its Sends, from 1; 0 for none
	attempt       int32 // the last attempt
	interrupted   bool  // the task waits for answers
	allowCommands bool  // the input may hold Commands
	sent          *queuedSend
	earlier       *earlierAttempts // nil without records of earlier attempts
	task          *task            // owned by the driver
	memo          *memo            // nil without a cache
	err           error
	failure       *NodeError        // to be recorded for err; nil for nothing
	interrupts    *[]question       // nil for none
	children      map[string]string // newest checkpoints of subgraphs that keep their state
	update        update
	chosen        machine.Choice // successors that routers and Commands chose

	handled, cached, replayed bool // the handler took over; the update's origin
	elapsed                   time.Duration
}

// clear empties a result for the next superstep.
func (res *result) clear() {
	res.attempt, res.interrupted, res.handled, res.cached, res.replayed = 1, false, false, false, false
	res.sent, res.earlier, res.memo, res.err, res.failure, res.interrupts, res.children = nil, nil, nil, nil, nil, nil, nil
	res.update, res.elapsed = res.update[:0], 0 // chosen is empty
}

// finished reports whether an earlier attempt finished the task.
func (res *result) finished() bool { return res.earlier != nil && res.earlier.done }

// outcome returns how the task ended.
func (res *result) outcome() machine.Outcome {
	switch {
	case res.err != nil && errors.Is(res.err, errSibling):
		return machine.Cancelled
	case res.err != nil:
		return machine.Failed
	case res.interrupted:
		return machine.Waits
	case res.returnsParent():
		return machine.HandsOver
	case res.finished():
		return machine.Found
	}
	return machine.Returned
}

// earlierAttempts holds the records of earlier attempts at a task, also by
// other processes.
type earlierAttempts struct {
	records map[recordKey][]byte
	done    bool // they finished the task
}

// report tells the machine how a task ended, records it where that is due, and
// shows it.
func (r *run) report(res *result) {
	lone := len(r.pos.results) == 1
	if lone && res.err == nil && !res.interrupted && !r.pos.merged && r.reports() {
		res.err = r.pos.commit()
	}
	record := r.pos.machine.Ended(int(res.place), res.outcome(), &res.chosen)
	if !r.reports() || res.interrupted && res.err == nil {
		return
	}
	var records []Record
	var late error
	if record || res.failure != nil && r.pos.ledger != nil {
		records, late = r.pos.recordsOf(res)
		if late == nil {
			late = r.keep(r.saving, records)
		}
	}
	if late != nil {
		if res.err == nil {
			res.err = r.pos.nodeError(res, fmt.Errorf("saving what it returned: %w", late))
		} else {
			res.err = errors.Join(res.err, late)
		}
		r.pos.machine.Ended(int(res.place), res.outcome(), &res.chosen)
	}
	switch {
	case res.err != nil && r.wants(NodeFailed):
		r.publishOf(res, event{foreign: foreign{Kind: NodeFailed, Err: res.err}})
	case res.err == nil && r.wants(NodeUpdate):
		r.publishOf(res, event{foreign: foreign{Kind: NodeUpdate, Cached: res.finished() || res.cached, Replayed: res.replayed}, update: res.update})
	}
}

// reports reports whether the end of a task is saved or shown before that of
// its superstep.
func (r *run) reports() bool { return r.out != nil || r.pos.ledger != nil }

// recordsOf makes the records of a task that has ended. A task with a record of
// its update does not run again when a sibling fails or the process dies. An
// update for a parent graph cannot be decoded, so its task gets no record.
func (pos *position) recordsOf(res *result) ([]Record, error) {
	if res.failure != nil {
		data, err := encodeFailure(res.failure, res.handled)
		return []Record{pos.recordOf(res, RecordError, "", data)}, err
	}
	data, err := pos.program.appendSaved(nil, res.update)
	if err != nil {
		return nil, err
	}
	records := []Record{pos.recordOf(res, RecordUpdate, "", data)}
	if len(res.children) > 0 {
		if data, err = encode(&res.children); err != nil {
			return nil, err
		}
		records = append(records, pos.recordOf(res, RecordOnce, childrenKey, data))
	}
	return records, nil
}

func (r *run) publishOf(res *result, ev event) {
	step := r.pos.machine.Superstep()
	ev.Step, ev.Node, ev.Attempt, ev.Elapsed = step, r.program.nodes[res.node].name, int(res.attempt), res.elapsed
	ev.Places, ev.Send = []Place{{step, int(res.place)}}, int(res.send)
	if l := r.pos.ledger; l != nil {
		ev.tasks = taskNames{own: true, namespace: l.namespace, point: l.id}
	}
	r.out.publish(ev)
}

// errSibling cancels a node whose sibling failed.
var errSibling = errors.New("another node of the superstep failed")

// merge makes the merged writes of a superstep the state, and reports whether
// to show it.
func (r *run) merge() (shows bool, err error) {
	if !r.pos.merged {
		if err := r.pos.commit(); err != nil {
			return false, err
		}
	}
	if err := r.pos.parentUpdate(); err != nil {
		return false, err
	}
	r.pos.conclude()
	return r.wants(StateValue) && (r.pos.resumeUpdates != nil || r.pos.wrote()), nil
}

// wrote reports whether a task of the superstep wrote a channel.
func (pos *position) wrote() bool {
	return slices.ContainsFunc(pos.results, func(res result) bool {
		return slices.ContainsFunc(res.update, func(w write) bool { return w.channel() != nil })
	})
}

// halt stops a run at a breakpoint.
func (r *run) halt() error {
	var finished []result
	var err error
	r.locked(func() {
		if r.pos.ledger.hasUpdates {
			finished, err = r.pos.finishedTasks()
		}
	})
	if err == nil {
		r.pause(finished, nil)
	}
	return err
}

// wait stops a run whose tasks wait for answers.
func (r *run) wait() {
	var finished []result
	var pending []question
	for i := range r.pos.results {
		switch res := &r.pos.results[i]; {
		case res.interrupted:
			pending = append(pending, *res.interrupts...)
		case !res.returnsParent():
			finished = append(finished, *res)
		}
	}
	r.pause(finished, asked(pending))
}

// pause merges the writes of finished tasks of the unfinished superstep. The
// state and the next nodes equal those of State: writes that conflict are left
// out.
func (r *run) pause(finished []result, pending []PendingInterrupt) {
	next := r.pos.dueNames()
	if then, wrote, err := r.pos.mergedWith(finished); err == nil {
		r.paused = &then
		left := next[:0]
		for i, name := range next {
			if len(finished) > 0 && int(finished[0].place) == i {
				finished = finished[1:]
			} else {
				left = append(left, name)
			}
		}
		next = left
		if wrote {
			r.publish(event{foreign: foreign{Kind: StateValue}, state: then.shown}, r.pos.due())
		}
	}
	r.publish(event{foreign: foreign{Kind: RunInterrupt, Interrupts: pending, Nodes: next}}, r.pos.due())
	r.err = &InterruptedError{pending, next, r.pos.ledger.saved().Thread}
}
