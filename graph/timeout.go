package graph

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Timeout limits an attempt at a node. When a limit is reached the node's
// context ends, and what the node returns after that is discarded, also when it
// is a success; retry policies see a *NodeTimeout. A node that ignores its
// context still holds the run up, since nothing of a run may outlive it. Time in
// which an attempt waits for a slow reader of Stream does not count.
type Timeout struct {
	// Run is how long an attempt may take. Default: no limit.
	Run time.Duration `json:"run,omitzero"`
	// Idle is how long an attempt may go without a sign of life: a call of
	// Heartbeat, Emit or EmitToken, or a superstep of a graph that runs inside the
	// node. Default: no limit.
	Idle time.Duration `json:"idle,omitzero"`
}

// or is the timeout with what it leaves open taken from another. Negative
// limits are none, and leave nothing open.
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

// NodeTimeout is a limit that was reached while a node ran. It is a
// context.DeadlineExceeded. Those of a superstep or of the whole run are not
// tried again.
type NodeTimeout struct {
	Node    string // the first in task order that had not returned; empty between nodes
	Kind    TimeoutKind
	Limit   time.Duration
	Elapsed time.Duration // since what the limit is for began, until it was reached
}

// Error leaves Elapsed out, so that equal failures read equal.
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

// Is reports context.DeadlineExceeded as being in the chain.
func (e *NodeTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// of is the timeout as that of a node, unless it is another's already.
func (e *NodeTimeout) of(node string) *NodeTimeout {
	named := *e
	named.Node = cmp.Or(e.Node, node)
	return &named
}

// reached is the timeout that ended ctx, or nil.
func reached(ctx context.Context) *NodeTimeout {
	if ctx.Err() == nil {
		return nil
	}
	late, _ := context.Cause(ctx).(*NodeTimeout)
	return late
}

// Heartbeat says that the node that runs in ctx is alive, and starts its idle
// timeout anew, as well as those of the nodes that its graph runs in. Outside a
// run it does nothing.
func Heartbeat(ctx context.Context) {
	if t := taskFrom(ctx); t != nil {
		t.beat()
	}
}

// beat is a sign of life of a task and of those that it runs in.
func (t *task) beat() {
	for ; t != nil; t = t.run.outer {
		if t.watch != nil {
			t.watch.beat()
		}
	}
}

// A watch holds an attempt to its timeout. Time that the attempt waits for the
// reader of the stream is not its own: both limits stand still.
type watch struct {
	base, ctx context.Context
	cancel    context.CancelCauseFunc
	node      string
	limit     Timeout
	began     time.Time

	mu        sync.Mutex
	run, idle *time.Timer   // nil without a limit
	waiting   int           // events of the attempt that the reader has not taken yet
	since     time.Time     // when the attempt began to wait
	waited    time.Duration // and is not given back yet
	given     time.Duration // and is given back
	late      bool          // the run timer went off meanwhile; waited is what is left
	stopped   bool
}

// watched puts an attempt that has not begun under a watch. An attempt that
// nobody listens to has its limit as its context's deadline.
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

// limited is the context of an attempt whose deadline moves on while the attempt
// waits for the reader.
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

// giveBack lets the run timer go on for as long as the attempt has waited.
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

// wait stops the clocks until resume.
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

// end stops the watch and returns the limit that the attempt reached, its own
// or one that it shares with others, or nil.
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

// unwatched is the task after its attempt, in the context from before it.
func (t *task) unwatched() *task {
	after := *t
	after.Context, after.watch = t.watch.base, nil
	return &after
}
