package graph

import (
	"context"
	"fmt"
)

// attempts calls the node until it succeeds or no retry policy wants more.
func (r *run[S]) attempts(res *result[S]) error {
	n := &r.nodes[res.node]
	limits := n.opts.Timeout
	if res.sent != nil {
		limits = res.sent.timeout.or(limits)
	}
	for {
		t := res.task
		if t.listens(NodeStart) {
			r.publishTask(t, Event[S]{Kind: NodeStart})
		}
		began := r.began()
		update, err := r.attempt(res, n, limits)
		if err == nil {
			res.update = update
			return nil
		}
		t = res.task
		if wait, again := retryWait(n.opts.Retry, err, t.info.Attempt); again && t.Err() == nil {
			r.publishTask(t, Event[S]{Kind: NodeRetry, Err: err, Elapsed: since(began)})
			if sleep(t, wait) == nil {
				res.task = t.next()
				continue
			}
			err = fmt.Errorf("waiting to try again: %w after: %w", ended(t, nil), err)
		}
		err = r.nodeError(t, err)
		r.failed(t, err, began)
		return err
	}
}

// attempt calls the node once. What it returns too late does not count.
func (r *run[S]) attempt(res *result[S], n *node[S], limits Timeout) (Update[S], error) {
	t := res.task
	watched := limits.Run > 0 || limits.Idle > 0
	if watched {
		t.watched(limits)
	}
	update, err := call(t, n.run, r.input(res))
	if watched {
		late := t.watch.end()
		res.task = t.unwatched()
		if late != nil {
			return nil, late
		}
	}
	if err != nil {
		return received[S](err)
	}
	if r.timed {
		if late := reached(res.task); late != nil {
			return nil, late
		}
	}
	return update, nil
}

// call runs a node and turns its panic into an error.
func call[S any](ctx context.Context, run Node[S], state S) (update Update[S], err error) {
	defer recoverAs(&err)
	return run(ctx, state)
}
