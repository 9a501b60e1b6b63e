package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// errNotFinished is a task that never returned.
var errNotFinished = errors.New("the node ended its goroutine without returning")

// execute runs the tasks of a superstep and reports each to the machine. Its
// error says why some did not begin, or why one was not cached.
func (r *run) execute(ctx context.Context) error {
	if r.outer != nil {
		r.outer.beat()
	}
	if r.recording != nil {
		if err := r.recording.Superstep(append(r.at(), Place{r.pos.machine.Superstep(), -1}), r.pos.dueNames()); err != nil {
			return err
		}
	}
	if r.perStep > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.perStep, &NodeTimeout{"", TimeoutStep, r.perStep, r.perStep})
		defer cancel()
	}
	var err error
	if len(r.pos.results) == 1 {
		r.newTasks(ctx)
		r.work(&r.pos.results[0])
	} else {
		err = r.executeAll(ctx)
	}
	if r.program.caching {
		if late := r.remember(); err == nil {
			err = late
		}
	}
	return err
}

// executeAll runs several tasks concurrently. The first failure cancels the
// others.
func (r *run) executeAll(ctx context.Context) error {
	step, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.newTasks(step)
	c := crew{run: r, step: step, cancel: cancel, most: int32(len(r.pos.results))}
	if r.parallel > 0 {
		c.most = min(c.most, int32(r.parallel))
	}
	c.grow()
	c.all.Wait()
	if int(c.claimed.Load()) < len(r.pos.results) {
		return ended(ctx, nil)
	}
	return nil
}

// A crew is the goroutines that run the tasks of a superstep. Each that begins lets another begin,
// so a task that waits keeps no other from beginning, and a few goroutines run tasks that do not
// wait.
//
// Tasks are claimed in order, and a claimed task runs. All tasks before a failed one thus run, at
// any concurrency.
type crew struct {
	run     *run
	step    context.Context
	cancel  context.CancelCauseFunc
	claimed atomic.Int64
	most    int32 // goroutines
	size    atomic.Int32
	coming  atomic.Bool // a goroutine is about to claim its first task
	all     sync.WaitGroup
}

// grow adds a goroutine, unless one is coming.
func (c *crew) grow() {
	if c.size.Load() < c.most && int(c.claimed.Load()) < len(c.run.pos.results) && c.coming.CompareAndSwap(false, true) {
		c.size.Add(1)
		c.all.Go(c.work)
	}
}

func (c *crew) work() {
	for first := true; c.step.Err() == nil; first = false {
		i := int(c.claimed.Add(1)) - 1
		if first {
			c.coming.Store(false)
		}
		if i >= len(c.run.pos.results) {
			return
		}
		c.grow()
		c.run.workConcurrently(&c.run.pos.results[i], c.cancel)
	}
}

// workConcurrently runs one of several concurrent tasks. It also reports a node that ends its goroutine.
func (r *run) workConcurrently(res *result, cancel context.CancelCauseFunc) {
	res.err = errNotFinished
	defer func() {
		if res.err == errNotFinished {
			res.err = r.failureOf(res, errNotFinished)
			r.report(res)
		}
		if res.err != nil {
			cancel(errSibling)
		}
	}()
	r.work(res)
}

// work runs a task and its routers, and reports the outcome to the machine.
func (r *run) work(res *result) {
	began := r.began()
	err := r.try(res)
	res.err, res.elapsed, res.attempt = err, since(began), res.task.attempt
	if j := res.task.journal; j != nil && j.children != nil {
		res.children = j.children
	}
	r.report(res)
}

// try runs a task and its routers.
func (r *run) try(res *result) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = r.failureOf(res, caught(v))
		}
	}()
	if err := r.attempts(res); err != nil || res.interrupted {
		return err
	}
	if len(r.pos.results) > 1 && errors.Is(context.Cause(res.task), errSibling) { // too late, as after a timeout
		return r.failureOf(res, ended(res.task, nil))
	}
	if err := r.pos.applyCommands(res); err != nil {
		return r.failureOf(res, err)
	}
	n := &r.program.nodes[res.node]
	if res.chosen.Jumps || len(n.branches) == 0 {
		return nil
	}
	state, err := r.routerView(res)
	if err != nil {
		return err
	}
	if err := r.program.route(res.task, n.name, n.branches, state, &res.chosen); err != nil {
		return r.failureOf(res, err)
	}
	return nil
}

// routerView returns the state for a task's routers. Concurrent tasks may call it.
func (r *run) routerView(res *result) (any, error) {
	if len(r.pos.results) > 1 {
		return r.pos.ownView(res)
	}
	if err := r.pos.commit(); err != nil {
		return nil, err
	}
	return r.pos.nextView(res), nil
}

// ended is the error of a call that its context stopped. It joins the context's
// error, the cause and err, and leaves out repetitions.
//
// A cancellation by a sibling does not hide the node's own failure: the
// reported failure must not depend on which node was faster. A timeout is
// returned alone.
func ended(ctx context.Context, err error) error {
	why, cause := ctx.Err(), context.Cause(ctx)
	if late := reached(ctx); late != nil {
		return late
	}
	if err == nil {
		err = why
	}
	answer := errors.Is(err, why) || errors.Is(err, cause) || errors.Is(err, context.DeadlineExceeded)
	if errors.Is(cause, errSibling) && !answer {
		return err
	}
	if !errors.Is(err, why) {
		err = fmt.Errorf("%w: %w", why, err)
	}
	if !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// newTasks gives each result a task. Nodes may keep their context, so tasks are
// not reused; they are allocated in batches instead.
func (r *run) newTasks(ctx context.Context) {
	for i := range r.pos.results {
		res := &r.pos.results[i]
		if r.used == len(r.tasks) {
			r.tasks, r.used = make([]task, max(len(r.pos.results)-i, min(r.pos.machine.Superstep(), 16))), 0
		}
		t := &r.tasks[r.used]
		r.used++
		t.Context, t.run = ctx, r
		t.node, t.step, t.place, t.send, t.attempt = int32(res.node), int32(r.pos.machine.Superstep()), res.place, res.send, 1
		if r.pos.ledger != nil {
			t.journal = r.newJournal(res, t)
		}
		res.task = t
	}
}

func (r *run) newJournal(res *result, t *task) *journal {
	if len(r.journals) == 0 {
		r.journals = make([]journal, max(len(r.pos.results)-int(res.place), min(r.pos.machine.Superstep(), 16)))
	}
	j := &r.journals[0]
	r.journals = r.journals[1:]
	j.task, j.point, j.madeBy, j.format = t, r.pos.ledger.id, r.pos.ledger.madeBy, r.pos.ledger.format
	if res.earlier != nil {
		j.records, j.children = res.earlier.records, res.children
	}
	j.sharesState = res.sent == nil && r.program.nodes[res.node].opts.reads == nil && r.pos.resumeUpdates == nil && r.pos.ledger.mode != DurabilityExit
	return j
}

// failureOf makes err the failure of a task, or reports why its context ended.
func (r *run) failureOf(res *result, err error) *NodeError {
	t := res.task
	if late := reached(t); late != nil {
		err = late.of(t.name())
	} else if t.Err() != nil {
		err = ended(t, err)
	}
	res.attempt = t.attempt
	return r.pos.nodeError(res, err)
}
