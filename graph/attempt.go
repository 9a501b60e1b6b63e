package graph

import (
	"context"
	"errors"
	"fmt"
)

// attempts finds the node's update on record, in a recording or in its cache, or
// calls the node until it succeeds or no retry policy wants more, and its
// handler, if it has one, does not help either.
func (r *run) attempts(res *result) error {
	n := &r.nodes[res.node]
	if res.earlier != nil {
		if res.earlier.done {
			return nil
		}
		if failure := r.recordedFailure(res, n); failure != nil {
			// When the handler declines, the next attempt is the node's again.
			return r.rescue(res, n, failure)
		}
	}
	if r.recording != nil {
		if found, err := r.replay(res, n); err != nil {
			return r.failureOf(res, err)
		} else if found {
			return nil
		}
	}
	if n.opts.cache != nil {
		if err := r.recall(res, n); err != nil {
			return r.failureOf(res, err)
		}
		if res.memo.hit {
			return nil
		}
	}
	limits := n.opts.timeout
	if res.sent != nil {
		limits = res.sent.timeout.or(limits)
	}
	for {
		t := res.task
		if t.listens(NodeStart) { // else an event is made for nobody
			t.emit(foreign{Kind: NodeStart})
		}
		began := r.began()
		update, err := r.attempt(res, n, limits)
		t = res.task
		if r.canInterrupt {
			if waits, fault := r.interruptedBy(res, err); waits {
				return nil
			} else if fault != nil {
				return r.giveUp(res, r.failureOf(res, fault), nil)
			}
		}
		if err == nil {
			res.update = update
			if res.memo != nil { // an answer is given once, and not for all equal inputs
				res.memo.fresh = !t.interruptedBefore()
			}
			return nil
		}
		wait, again, fault := retryWait(n.opts.retry, err, int(t.attempt))
		if fault != nil {
			err = fmt.Errorf("%w after: %w", fault, err)
		}
		if again && t.Err() == nil {
			t.emit(foreign{Kind: NodeRetry, Err: err, Elapsed: since(began)})
			if sleep(t, wait) == nil {
				res.task = t.next()
				continue
			}
			err = fmt.Errorf("waiting to try again: %w after: %w", ended(t, nil), err)
		}
		failure := r.failureOf(res, err)
		if n.opts.onError == nil || t.Err() != nil {
			return r.giveUp(res, failure, nil)
		}
		t.emit(foreign{Kind: NodeHandled, Err: failure, Elapsed: since(began)})
		if err := r.recordFailure(res, failure); err != nil {
			return err
		}
		return r.rescue(res, n, failure)
	}
}

// giveUp ends a task that failed, or whose handler failed with err. On record is
// the failure of its node, unless that was made to stop, and whether the node's
// handler is to go on from there.
func (r *run) giveUp(res *result, failure *NodeError, err error) error {
	if t := res.task; t.Err() == nil || reached(t) != nil {
		res.failure, res.handled = failure, err != nil
	}
	if err != nil {
		return err
	}
	return failure
}

// interruptedBy reports whether a node has stopped to ask somebody. The node's error
// is what it returned; one that asked and went on without the answer is at fault.
func (r *run) interruptedBy(res *result, err error) (bool, error) {
	t := res.task
	pending, waiting := t.openQuestions()
	switch {
	case !waiting:
		return false, nil
	case err == nil:
		return false, fmt.Errorf("it asked for answers and went on without them: it must return the error of Interrupt: %w", ErrInterruptIgnored)
	case !errors.Is(err, errWaiting):
		return false, nil
	}
	own := pending        // which then is not always on the heap
	if t.journal != nil { // else a graph around this one has it, and saves
		data, err := encode(&own)
		if err == nil {
			err = t.journal.record(r.saving, RecordInterrupt, "", data)
		}
		if err != nil {
			return false, err
		}
	}
	res.interrupted, res.interrupts = true, &own
	return true, nil
}

// recordFailure puts on record that a node failed for good, and that its handler
// is to take over.
func (r *run) recordFailure(res *result, failure *NodeError) error {
	if res.task.journal == nil {
		return nil
	}
	data, err := encodeFailure(failure, true)
	if err != nil {
		return err
	}
	return res.task.journal.record(r.saving, RecordError, "", data)
}

// recordedFailure is the failure that an earlier attempt, of another process
// maybe, handed to the node's handler, which did not finish.
func (r *run) recordedFailure(res *result, n *node) *NodeError {
	data, ok := res.earlier.records[recordKey{RecordError, ""}]
	if !ok || n.opts.onError == nil {
		return nil
	}
	var f savedFailure
	if decodeInto(data, &f) != nil || !f.Handled {
		return nil
	}
	failure := r.failureOf(res, errors.New(f.Message))
	failure.Attempts = f.Attempts
	return failure
}

// attempt calls the node once. What it returns too late does not count.
func (r *run) attempt(res *result, n *node, limits Timeout) (update, error) {
	t := res.task
	if r.canInterrupt {
		t.begin()
	}
	watched := limits.Run > 0 || limits.Idle > 0
	if watched {
		t.watched(limits)
	}
	update, err := call(t, n.run, r.input(res), res.update[:0])
	if watched {
		late := t.watch.end()
		res.task = t.unwatched()
		if late != nil {
			return nil, late
		}
	}
	return r.accepted(res.task, update, err)
}

// accepted is what counts of what a node or a handler returned.
func (r *run) accepted(t *task, update update, err error) (update, error) {
	if err != nil {
		return r.updateFromChild(err)
	}
	if r.timed {
		if late := reached(t); late != nil {
			return nil, late
		}
	}
	return update, nil
}

// call runs a node and turns its panic into an error.
func call(ctx context.Context, run nodeFunc, state any, dst update) (u update, err error) {
	defer recoverAs(&err)
	if u, err = run(ctx, state, dst); err != nil {
		err = readableError(err)
	}
	return u, err
}
