package graph

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// attempts finds the node's update in its cache, or calls the node until it succeeds or no retry policy wants more and
// its handler, if it has one, does not help either.
func (r *run) attempts(res *result) error {
	n := &r.nodes[res.node]
	limits := n.opts.timeout
	if res.sent != nil {
		limits = res.sent.timeout.or(limits)
	}
	if res.past != nil {
		if res.past.done {
			return nil
		}
		if failure := r.leftFailure(res, n); failure != nil {
			err := r.rescue(res, n, failure)
			if err == nil {
				return nil
			}
			// When the handler declines, the next attempt is the node's again.
			return r.giveUp(res.task, failure, err, err != error(failure), r.began())
		}
	}
	if r.recording != nil {
		if found, err := r.replay(res, n); found || err != nil {
			if err != nil {
				err = r.nodeError(res.task, err)
				r.failed(res.task, err, r.began())
			}
			return err
		}
	}
	if n.opts.cache != nil {
		if err := r.recall(res, n); err != nil {
			err = r.nodeError(res.task, err)
			r.failed(res.task, err, r.began())
			return err
		}
		if res.memo.hit {
			return nil
		}
	}
	for {
		t := res.task
		if t.listens(NodeStart) {
			r.publishTask(t, event{foreign: foreign{Kind: NodeStart}})
		}
		began := r.began()
		update, err := r.attempt(res, n, limits)
		t = res.task
		if r.asks {
			if waiting, fault := r.stops(res, err); waiting {
				return nil
			} else if fault != nil {
				failure := r.nodeError(t, fault)
				return r.giveUp(t, failure, failure, false, began)
			}
		}
		if err == nil {
			res.update = update
			if res.memo != nil { // an answer is given once, and not for all equal inputs
				res.memo.fresh = !t.asked()
			}
			return nil
		}
		wait, again, fault := retryWait(n.opts.retry, err, int(t.attempt))
		if fault != nil {
			err = fmt.Errorf("%w after: %w", fault, err)
		}
		if again && t.Err() == nil {
			r.publishTask(t, event{foreign: foreign{Kind: NodeRetry, Err: err, Elapsed: since(began)}})
			if sleep(t, wait) == nil {
				res.task = t.next()
				continue
			}
			err = fmt.Errorf("waiting to try again: %w after: %w", ended(t, nil), err)
		}
		failure := r.nodeError(t, err)
		err = failure
		if n.opts.onError != nil && t.Err() == nil {
			r.publishTask(t, event{foreign: foreign{Kind: NodeHandled, Err: failure, Elapsed: since(began)}})
			if err = r.recordFailure(t, failure, true); err != nil {
				return err
			}
			if err = r.rescue(res, n, failure); err == nil {
				return nil
			}
		}
		return r.giveUp(t, failure, err, n.opts.onError != nil && err != error(failure), began)
	}
}

// giveUp ends a task that failed with err. On record is the failure of its
// node, and whether the node's handler is to go on from there.
func (r *run) giveUp(t *task, failure *NodeError, err error, handled bool, began time.Time) error {
	if late := r.recordFailure(t, failure, handled); late != nil {
		err = errors.Join(err, late)
	}
	r.failed(t, err, began)
	return err
}

// attempt calls the node once. What it returns too late does not count.
func (r *run) attempt(res *result, n *node, limits Timeout) (update, error) {
	t := res.task
	if r.asks {
		t.begin()
	}
	watched := limits.Run > 0 || limits.Idle > 0
	if watched {
		t.watched(limits)
	}
	update, err := call(t, n.run, r.input(res, n), res.update[:0])
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
		return r.received(err)
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
		err = tamed(err)
	}
	return u, err
}
