package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// errSibling ends the nodes beside one that failed.
	errSibling = errors.New("another node of the superstep failed")
	// errNotFinished is a task that never returned.
	errNotFinished = errors.New("the node ended its goroutine without returning")
)

// execute runs the tasks that results name, fills results in, and makes the
// next state of them. The error is that of the first task, in order, that
// failed by itself.
func (r *run) execute(ctx context.Context, results []result) (wrote bool, err error) {
	if len(results) == 1 {
		return r.executeOne(ctx, results)
	}
	step, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.newTasks(step, results)
	workers := len(results)
	if r.parallel > 0 {
		workers = min(workers, r.parallel)
	}
	// Tasks are claimed in order and a claimed task is run, so those before one
	// that failed have all been asked, whatever the concurrency.
	var claimed atomic.Int64
	work := func() {
		for step.Err() == nil {
			i := int(claimed.Add(1)) - 1
			if i >= len(results) {
				return
			}
			r.executeBeside(cancel, results[i:i+1])
		}
	}
	var wg sync.WaitGroup
	for n := 0; n < workers && int(claimed.Load()) < len(results); n++ {
		wg.Go(work)
	}
	wg.Wait()
	if err := firstFailure(results); err != nil {
		return false, err
	}
	if int(claimed.Load()) < len(results) {
		return false, ended(ctx, nil)
	}
	if err := r.waits(results); err != nil {
		return false, err
	}
	return r.commit(results)
}

// firstFailure prefers what failed by itself to what was made to stop.
func firstFailure(results []result) error {
	var stopped error
	for _, res := range results {
		switch {
		case res.err == nil:
		case !errors.Is(res.err, errSibling):
			return res.err
		case stopped == nil:
			stopped = res.err
		}
	}
	return stopped
}

// executeOne runs a lone task on the loop's own goroutine. Its router reads
// the next state, which but for Ephemeral channels is the state with the task's
// own writes.
func (r *run) executeOne(ctx context.Context, results []result) (wrote bool, err error) {
	res := &results[0]
	began := r.began()
	r.newTasks(ctx, results)
	defer func() {
		if v := recover(); v != nil {
			err = r.nodeError(res.task, caught(v))
			r.failed(res.task, err, began)
		}
	}()
	if err := r.attempts(res); err != nil {
		return false, err
	}
	if res.waits {
		return false, r.waits(results)
	}
	n := &r.nodes[res.node]
	if err = r.steer(res); err == nil {
		wrote, err = r.commit(results)
	}
	if err == nil && len(n.exits.branches) > 0 && !res.jumps {
		state := r.then.shown
		if len(r.fleeting) > 0 { // which the next state has lost
			state, err = r.ownWrites(results)
		}
		if err == nil {
			err = r.route(res.task, n.name, &n.exits, state, &res.chosen)
		}
		if err != nil {
			err = r.nodeError(res.task, err)
		}
	}
	if err != nil {
		r.failed(res.task, err, began)
		return false, err
	}
	r.updated(res, began)
	return wrote, nil
}

// executeBeside runs one of several tasks, and stops the others when it fails.
func (r *run) executeBeside(cancel context.CancelCauseFunc, one []result) {
	res := &one[0]
	began := r.began()
	res.err = errNotFinished
	defer func() {
		if v := recover(); v != nil || res.err == errNotFinished {
			if v != nil {
				res.err = caught(v)
			}
			res.err = r.nodeError(res.task, res.err)
			r.failed(res.task, res.err, began)
		}
		if res.err != nil {
			cancel(errSibling)
		}
	}()
	if err := r.attempts(res); err != nil {
		res.err = err
		return
	}
	if res.waits {
		res.err = nil
		return
	}
	if errors.Is(context.Cause(res.task), errSibling) { // too late, as after a timeout
		res.err = r.nodeError(res.task, ended(res.task, nil))
		r.failed(res.task, res.err, began)
		return
	}
	err := r.decide(one)
	if err == nil && !res.finished() {
		err = r.finish(res)
	}
	if err != nil {
		res.err = err
		r.failed(res.task, err, began)
		return
	}
	res.err = nil
	r.updated(res, began)
}

// decide finds out where one of several tasks leads. Its router reads the
// state with the task's own writes.
func (r *run) decide(one []result) error {
	res := &one[0]
	n := &r.nodes[res.node]
	if err := r.steer(res); err != nil || res.jumps || len(n.exits.branches) == 0 {
		return err
	}
	own, err := r.ownWrites(one)
	if err != nil {
		return err
	}
	if err = r.route(res.task, n.name, &n.exits, own, &res.chosen); err != nil {
		return r.nodeError(res.task, err)
	}
	return nil
}

// ended is the error of what a context stopped: why it was stopped, and what
// came of it when that says more. It is context.Canceled or DeadlineExceeded
// as well as the cause.
//
// A failure that is no answer to being stopped is returned as it is when only
// the step was stopped: which of two failing nodes is reported must not hang
// on which of them was quicker. A timeout says all there is to say.
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

// newTasks gives each result its task. Tasks are allocated in batches, since
// a node may keep its context and they cannot be used again.
func (r *run) newTasks(ctx context.Context, results []result) {
	for i := range results {
		if len(r.tasks) == 0 {
			r.tasks = make([]task, max(len(results)-i, min(r.step, 16)))
		}
		t := &r.tasks[0]
		r.tasks = r.tasks[1:]
		t.Context, t.run = ctx, &r.scope
		t.node, t.step, t.place, t.attempt = r.nodes[results[i].node].name, int32(r.step), int32(i), 1
		if results[i].sent != nil {
			t.send = int32(i - len(r.next) + 1)
		}
		if r.keep != nil {
			if len(r.journals) == 0 {
				r.journals = make([]journal, max(len(results)-i, min(r.step, 16)))
			}
			t.journal, r.journals = &r.journals[0], r.journals[1:]
			t.journal.keep, t.journal.point, t.journal.node = r.keep, r.keep.id, t.node
			t.journal.step, t.journal.send, t.journal.flat = r.step, int(t.send), r.keep.flat
			if past := results[i].past; past != nil {
				t.journal.kept, t.journal.inner = past.left, past.inner
			}
			t.journal.lends = results[i].sent == nil && r.nodes[results[i].node].opts.reads == nil && r.early == nil && r.keep.mode != DurabilityExit
		}
		results[i].task = t
	}
}

// nodeError is err as the failure of a task.
func (r *run) nodeError(t *task, err error) *NodeError {
	if late := reached(t); late != nil {
		err = late.of(t.node)
	} else if t.Err() != nil {
		err = ended(t, err)
	}
	return &NodeError{Node: t.node, Step: int(t.step), Send: int(t.send), Attempts: int(t.attempt), Err: err}
}

func (r *run) updated(res *result, began time.Time) {
	if res.task.listens(NodeUpdate) {
		cached := res.finished() || res.memo != nil && res.memo.hit
		r.publishTask(res.task, event{foreign: foreign{Kind: NodeUpdate, Cached: cached, Replayed: res.replayed, Elapsed: since(began)}, update: res.update})
	}
}

func (r *run) failed(t *task, err error, began time.Time) {
	r.publishTask(t, event{foreign: foreign{Kind: NodeFailed, Err: err, Elapsed: since(began)}})
}

func (r *run) publishTask(t *task, ev event) {
	if !t.listens(ev.Kind) {
		return
	}
	ev.Step, ev.Node, ev.Attempt, ev.Places = int(t.step), t.node, int(t.attempt), []Place{t.at()}
	r.out.publish(ev)
}

// began reads the clock only for a reader.
func (r *run) began() time.Time {
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
