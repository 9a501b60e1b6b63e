package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// errSibling ends the nodes beside one that failed.
var errSibling = errors.New("another node of the superstep failed")

// execute runs tasks, fills results in their order and returns the state that
// they make. The first real failure in task order is the error.
func (r *run[S]) execute(ctx context.Context, tasks []int, results []result[S]) (S, bool, error) {
	if len(tasks) == 1 {
		return r.executeOne(ctx, tasks[0], results)
	}
	stepCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := len(tasks)
	if r.parallel > 0 {
		workers = min(workers, r.parallel)
	}
	var claimed atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				i := int(claimed.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				results[i].node = tasks[i]
				results[i].err = errNotFinished
				r.executeBeside(stepCtx, i, &results[i])
				if results[i].err != nil {
					cancel(errSibling)
				}
			}
		})
	}
	wg.Wait()
	if err := firstFailure(ctx, results); err != nil {
		return r.state, false, err
	}
	return r.mergeStep(results)
}

// errNotFinished stands in a result until its task returns, and stays there
// when the node ends its goroutine instead of returning.
var errNotFinished = errors.New("the node ended its goroutine without returning")

// firstFailure prefers the error that made the others stop to their stopping.
func firstFailure[S any](ctx context.Context, results []result[S]) error {
	var stopped error
	for _, res := range results {
		switch {
		case res.err == nil:
		case ctx.Err() == nil && errors.Is(res.err, errSibling):
			stopped = res.err
		default:
			return res.err
		}
	}
	return stopped
}

// executeOne runs a lone task on the loop's own goroutine. Its router reads
// the merged state, which is the state with its own writes.
func (r *run[S]) executeOne(ctx context.Context, id int, results []result[S]) (state S, wrote bool, err error) {
	res := &results[0]
	res.node = id
	t := r.newTask(ctx, id, 0)
	began := r.began()
	if res.update, err = r.attempts(t, id); err != nil {
		return r.state, false, err
	}
	if state, wrote, err = r.mergeStep(results); err != nil {
		r.failed(t, err, began)
		return r.state, false, err
	}
	n := &r.nodes[id]
	if len(n.exits.branches) > 0 {
		seen := state
		for _, ch := range r.lists {
			ch.clip(&seen)
		}
		if res.routed, err = r.route(t, n.name, &n.exits, seen); err != nil {
			err = r.nodeError(t, err)
			r.failed(t, err, began)
			return r.state, false, err
		}
	}
	r.updated(t, res.update, began)
	return state, wrote, nil
}

// executeBeside runs one of several tasks.
func (r *run[S]) executeBeside(ctx context.Context, i int, res *result[S]) {
	if ctx.Err() != nil {
		res.err = context.Cause(ctx)
		return
	}
	t := r.newTask(ctx, res.node, i)
	began := r.began()
	update, err := r.attempts(t, res.node)
	if err != nil {
		res.err = err
		return
	}
	res.update = update
	n := &r.nodes[res.node]
	if len(n.exits.branches) > 0 {
		own, _, err := r.merge(r.view(nil), newTally(len(r.channels)), []result[S]{*res})
		if err == nil {
			res.routed, err = r.route(t, n.name, &n.exits, own)
		}
		if err != nil {
			res.err = r.nodeError(t, err)
			r.failed(t, res.err, began)
			return
		}
	}
	res.err = nil
	r.updated(t, update, began)
}

// attempts calls the node until it succeeds or no retry policy wants more.
func (r *run[S]) attempts(t *task, id int) (Update[S], error) {
	n := &r.nodes[id]
	for {
		if t.listens(NodeStart) {
			r.publishTask(t, Event[S]{Kind: NodeStart})
		}
		began := r.began()
		update, err := call(t, n.run, r.view(n.opts.Reads))
		if err == nil {
			return update, nil
		}
		if t.Err() != nil { // cancelled: say by what
			err = errors.Join(context.Cause(t), err)
		} else if wait, again := retryWait(n.opts.Retry, err, t.info.Attempt); again {
			r.publishTask(t, Event[S]{Kind: NodeRetry, Err: err, Elapsed: since(began)})
			if sleep(t, wait) == nil {
				t = r.newAttempt(t)
				continue
			}
			err = errors.Join(context.Cause(t), err)
		}
		err = r.nodeError(t, err)
		r.failed(t, err, began)
		return nil, err
	}
}

// call runs a node and turns its panic into an error.
func call[S any](ctx context.Context, run Node[S], state S) (update Update[S], err error) {
	defer recoverAs(&err)
	return run(ctx, state)
}

func recoverAs(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: fmt.Sprint(v), Stack: string(debug.Stack())}
	}
}

// route asks the routers of a node where to go.
func (r *run[S]) route(ctx context.Context, from string, x *exits[S], state S) (targets []int, err error) {
	defer recoverAs(&err)
	for i := range x.branches {
		b := &x.branches[i]
		chosen, err := b.route(ctx, state)
		if err != nil {
			return nil, fmt.Errorf("routing from %q: %w", from, err)
		}
		if !chosen.decided {
			return nil, b.refuse(from, "")
		}
		if chosen.first == "" && chosen.more == nil {
			continue
		}
		if targets, err = b.add(targets, from, chosen.first); err != nil {
			return nil, err
		}
		for _, name := range chosen.more {
			if targets, err = b.add(targets, from, name); err != nil {
				return nil, err
			}
		}
	}
	return targets, nil
}

func (b *branch[S]) add(targets []int, from, key string) ([]int, error) {
	for i, p := range b.paths {
		if p.Key == key {
			return append(targets, b.targets[i]), nil
		}
	}
	return nil, b.refuse(from, key)
}

func (b *branch[S]) refuse(from, key string) error {
	allowed := make([]string, len(b.paths))
	for i, p := range b.paths {
		allowed[i] = p.Key
	}
	return &RouteError{from, key, allowed}
}

func (r *run[S]) newTask(ctx context.Context, id, position int) *task {
	t := &task{Context: ctx, info: Info{Node: r.nodes[id].name, Step: r.step, Attempt: 1, Limit: r.limit}, at: Place{r.step, position}}
	if r.out != nil {
		t.out = r.out
	}
	return t
}

func (r *run[S]) newAttempt(t *task) *task {
	again := *t
	again.info.Attempt++
	return &again
}

func (r *run[S]) nodeError(t *task, err error) error {
	return &NodeError{Node: t.info.Node, Step: r.step, Attempts: t.info.Attempt, Err: err}
}

func (r *run[S]) updated(t *task, u Update[S], began time.Time) {
	if t.listens(NodeUpdate) {
		r.publishTask(t, Event[S]{Kind: NodeUpdate, Update: u, Elapsed: since(began)})
	}
}

func (r *run[S]) failed(t *task, err error, began time.Time) {
	r.publishTask(t, Event[S]{Kind: NodeFailed, Err: err, Elapsed: since(began)})
}

func (r *run[S]) publishTask(t *task, ev Event[S]) {
	if !t.listens(ev.Kind) {
		return
	}
	ev.Step, ev.Node, ev.Attempt, ev.Places = t.info.Step, t.info.Node, t.info.Attempt, []Place{t.at}
	r.out.send(ev)
}

// began reads the clock only for a reader.
func (r *run[S]) began() time.Time {
	if r.out == nil {
		return time.Time{}
	}
	return time.Now()
}

func since(began time.Time) time.Duration {
	if began.IsZero() {
		return 0
	}
	return time.Since(began)
}
