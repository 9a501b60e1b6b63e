package graph

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Timeout limits an attempt at a node. At a limit the node's context ends, and
// its result is discarded, even a success. Retry policies see a *NodeTimeout. A
// node that ignores its context delays the run, since a run never ends before
// its nodes. Waiting for a slow reader of Stream does not count.
type Timeout struct {
	// Run limits an attempt. Default: no limit.
	Run time.Duration `json:"run,omitzero"`
	// Idle limits the time without a sign of life: Heartbeat, Emit, EmitToken,
	// or a superstep of a graph inside the node. Default: no limit.
	Idle time.Duration `json:"idle,omitzero"`
}

// or fills zero limits from other. A negative limit means none, and is not
// filled.
func (l Timeout) or(other Timeout) Timeout {
	return Timeout{cmp.Or(l.Run, other.Run), cmp.Or(l.Idle, other.Idle)}
}

// TimeoutKind says which limit was reached.
type TimeoutKind string

const (
	TimeoutRun   TimeoutKind = "run"   // Timeout.Run of the node or the Send
	TimeoutIdle  TimeoutKind = "idle"  // Timeout.Idle of the node or the Send
	TimeoutStep  TimeoutKind = "step"  // RunOptions.StepTimeout
	TimeoutTotal TimeoutKind = "total" // RunOptions.Timeout
)

// NodeTimeout reports a limit that was reached while a node ran. It matches
// context.DeadlineExceeded. Limits of a superstep or a run are not retried.
type NodeTimeout struct {
	Node    string // the first unfinished node in task order; empty between nodes
	Kind    TimeoutKind
	Limit   time.Duration
	Elapsed time.Duration // until the limit, since its start
}

// Error leaves Elapsed out, so equal failures have equal texts.
func (e *NodeTimeout) Error() string {
	switch e.Kind {
	case TimeoutIdle:
		return fmt.Sprintf("timed out: no sign of life for %v", e.Limit)
	case TimeoutStep:
		return fmt.Sprintf("timed out: the superstep took more than %v", e.Limit)
	case TimeoutTotal:
		return fmt.Sprintf("timed out: the run took more than %v", e.Limit)
	}
	return fmt.Sprintf("timed out: took more than %v", e.Limit)
}

// Is puts context.DeadlineExceeded into the chain.
func (e *NodeTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// of names the node of a timeout, unless it has one.
func (e *NodeTimeout) of(node string) *NodeTimeout {
	named := *e
	named.Node = cmp.Or(e.Node, node)
	return &named
}

// reached returns the timeout that ended ctx, or nil.
func reached(ctx context.Context) *NodeTimeout {
	if ctx.Err() == nil {
		return nil
	}
	late, _ := context.Cause(ctx).(*NodeTimeout)
	return late
}

// Heartbeat restarts the idle timeout of the node in ctx and of its outer nodes. Outside a run it
// does nothing.
func Heartbeat(ctx context.Context) {
	if t := taskFrom(ctx); t != nil {
		t.beat()
	}
}

// beat is a sign of life of a task and its outer tasks.
func (t *task) beat() {
	for ; t != nil; t = t.run.outer {
		if t.watch != nil {
			t.watch.beat()
		}
	}
}

// A watch limits an attempt. Both limits pause while the attempt waits for the
// stream's reader.
type watch struct {
	base, ctx context.Context
	cancel    context.CancelCauseFunc
	node      string
	limit     Timeout
	began     time.Time

	mu        sync.Mutex
	run, idle *time.Timer   // nil without a limit
	waiting   int           // events of the attempt that the reader has not taken
	since     time.Time     // start of that wait
	waited    time.Duration // not yet added to the limit
	given     time.Duration // added to the limit
	late      bool          // the run timer fired during a wait
	stopped   bool
}

// watched starts a watch for an attempt. Without a reader the limit is simply
// the context's deadline.
func (t *task) watched(limits Timeout) {
	w := &watch{base: t.Context, node: t.name(), limit: limits, began: time.Now()}
	w.ctx, w.cancel = context.WithCancelCause(w.base)
	if limits.Run > 0 && t.run.out == nil {
		cancel := w.cancel
		timed, stop := context.WithTimeoutCause(w.ctx, limits.Run, w.timeout(TimeoutRun, limits.Run, limits.Run))
		w.ctx, w.cancel = timed, func(cause error) { cancel(cause); stop() }
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if limits.Run > 0 && t.run.out != nil {
		w.run = time.AfterFunc(limits.Run, w.runEnds)
		w.ctx = limited{w.ctx, w}
	}
	if limits.Idle > 0 {
		w.idle = time.AfterFunc(limits.Idle, w.idleEnds)
	}
	t.Context, t.watch = w.ctx, w
}

// limited is the context of a watched attempt. Its deadline moves while the
// attempt waits for the reader.
type limited struct {
	context.Context
	watch *watch
}

func (l limited) Deadline() (time.Time, bool) {
	l.watch.mu.Lock()
	at := l.watch.began.Add(l.watch.limit.Run + l.watch.waited + l.watch.given)
	l.watch.mu.Unlock()
	if outer, ok := l.Context.Deadline(); ok && outer.Before(at) {
		at = outer
	}
	return at, true
}

func (l limited) Err() error {
	if reached(l.Context) != nil {
		return context.DeadlineExceeded
	}
	return l.Context.Err()
}

func (w *watch) timeout(kind TimeoutKind, limit, elapsed time.Duration) *NodeTimeout {
	return &NodeTimeout{w.node, kind, limit, elapsed}
}

func (w *watch) runEnds() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopped:
	case w.waiting > 0:
		w.waited, w.late = w.waited+time.Since(w.since), true
	case w.waited > 0:
		w.giveBack()
	default:
		w.cancel(w.timeout(TimeoutRun, w.limit.Run, w.limit.Run))
	}
}

// giveBack restarts the run timer for the time that the attempt has waited.
func (w *watch) giveBack() {
	w.run.Reset(w.waited)
	w.given, w.waited, w.late = w.given+w.waited, 0, false
}

func (w *watch) idleEnds() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped && w.waiting == 0 {
		w.cancel(w.timeout(TimeoutIdle, w.limit.Idle, time.Since(w.began)))
	}
}

func (w *watch) beat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idle != nil && !w.stopped {
		w.idle.Reset(w.limit.Idle)
	}
}

// wait pauses both limits until resume.
func (w *watch) wait() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting == 1 {
		w.since = time.Now()
	}
}

func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting--; w.waiting > 0 || w.stopped {
		return
	}
	if w.idle != nil {
		w.idle.Reset(w.limit.Idle)
	}
	switch {
	case w.late:
		w.giveBack()
	case w.run != nil:
		w.waited += time.Since(w.since)
	}
}

// end stops the watch. It returns the limit that the attempt reached, which may
// be the run's or the superstep's, or nil.
func (w *watch) end() *NodeTimeout {
	w.mu.Lock()
	w.stopped = true
	for _, timer := range []*time.Timer{w.run, w.idle} {
		if timer != nil {
			timer.Stop()
		}
	}
	w.mu.Unlock()
	late := reached(w.ctx)
	w.cancel(nil)
	return late
}

// unwatched returns the task after an attempt, with the context from before.
func (t *task) unwatched() *task {
	after := *t
	after.Context, after.watch = t.watch.base, nil
	return &after
}
