package graph

import (
	"context"
	"errors"
	"fmt"
)

// attempts takes a task's update from its records, the recording or the cache.
// Otherwise it runs the node with its retry policies, then its handler.
func (r *run) attempts(res *result) error {
	n := &r.program.nodes[res.node]
	if res.earlier != nil {
		if res.earlier.done {
			return nil
		}
		if failure := r.recordedFailure(res, n); failure != nil {
			// When the handler declines, the next run starts with the node again.
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
			if res.memo != nil { // an answer counts once, not for all equal inputs
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

// giveUp ends a task that failed; err is its handler's error, if any. It
// records the node's failure, unless the node was cancelled. The record says
// whether to continue with the handler.
func (r *run) giveUp(res *result, failure *NodeError, err error) error {
	if t := res.task; t.Err() == nil || reached(t) != nil {
		res.failure, res.handled = failure, err != nil
	}
	if err != nil {
		return err
	}
	return failure
}

// interruptedBy reports whether a node was interrupted. Err is the node's
// error. A node that asked and returned without that error is at fault.
func (r *run) interruptedBy(res *result, err error) (bool, error) {
	t := res.task
	if overlap := t.overlapped(); overlap != nil {
		return false, overlap
	}
	pending, waiting := t.openQuestions()
	switch {
	case !waiting:
		return false, nil
	case err == nil:
		return false, fmt.Errorf("it asked for answers and continued without them: it must return Interrupt's error: %w", ErrInterruptIgnored)
	case !errors.Is(err, errWaiting):
		return false, nil
	}
	own := pending        // only an interrupt goes to the heap
	if t.journal != nil { // else an outer graph saves it
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

// recordFailure records that a node failed for good and that its handler takes
// over.
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

// recordedFailure returns the failure that an earlier attempt left to a handler
// that did not finish. That attempt may belong to another process.
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

// attempt calls the node once. It discards a late result.
func (r *run) attempt(res *result, n *node, limits Timeout) (update, error) {
	t := res.task
	if r.canInterrupt {
		t.begin()
	}
	watched := limits.Run > 0 || limits.Idle > 0
	if watched {
		t.watched(limits)
	}
	var update update
	var err error
	if n.opts.remote != "" && r.remote != nil {
		update, err = r.runElsewhere(res, n)
	} else {
		update, err = call(t, n.run, r.pos.input(res), res.update[:0])
	}
	if watched {
		late := t.watch.end()
		res.task = t.unwatched()
		if late != nil {
			return nil, late
		}
	}
	return r.accepted(res.task, update, err)
}

// accepted returns the result of a node or a handler, or why it does not count.
func (r *run) accepted(t *task, update update, err error) (update, error) {
	if err != nil {
		return r.program.updateFromChild(err)
	}
	if r.timed {
		if late := reached(t); late != nil {
			return nil, late
		}
	}
	return update, nil
}

// call runs a node and turns a panic into an error.
func call(ctx context.Context, run nodeFunc, state any, dst update) (u update, err error) {
	defer recoverAs(&err)
	if u, err = run(ctx, state, dst); err != nil {
		err = readableError(err)
	}
	return u, err
}
