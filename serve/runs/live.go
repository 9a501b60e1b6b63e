package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/assay/graph"
)

// A live is a run that this process executes.
type live struct {
	space   *Space
	claim   func() // releases the run's claim
	control *graph.Control
	ctx     context.Context
	stop    context.CancelCauseFunc
	earlier []*live       // the runs before it on its thread
	done    chan struct{} // closed when the run has ended here or this process gave it up
	adopted bool          // another process may have begun the run
	logged  int64         // bytes of its events; known when its graph has ended
	former  []point       // see remember

	mu  sync.Mutex
	run Run
}

func (s *Space) newLive(r Run, claim func()) *live {
	l := &live{space: s, claim: claim, control: new(graph.Control), done: make(chan struct{}), run: r}
	l.ctx, l.stop = context.WithCancelCause(context.Background())
	return l
}

func (l *live) cancel(why error) { l.stop(why) }

// now returns the run's current record.
func (l *live) now() Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run
}

func (l *live) set(change func(*Run)) Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.run)
	l.run.Updated = l.space.Now()
	return l.run
}

func (l *live) wait(ctx context.Context) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// find returns a live run of the space, or nil.
func (s *Space) find(id string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.live[id]; l != nil && l.space.tenant == s.tenant {
		return l
	}
	return nil
}

// liveOn returns the live runs of a thread, in order.
func (s *Space) liveOn(thread string) []*live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.on[s.saved(thread)])
}

// start queues a run after the others of its thread. It returns false when the manager is closed.
func (s *Space) start(l *live) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return false
	default:
	}
	key := s.saved(l.run.Thread)
	l.earlier = s.on[key]
	s.live[l.run.ID], s.on[key] = l, append(slices.Clip(l.earlier), l)
	if h := s.held[key]; h != nil {
		close(h.begun)
		h.begun = make(chan struct{})
	}
	s.working.Go(l.carryOut)
	return true
}

// leave removes a run from its thread's live runs, and reports whether others remain.
func (l *live) leave() (others bool) {
	s := l.space
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.saved(l.run.Thread)
	rest := slices.DeleteFunc(slices.Clone(s.on[key]), func(other *live) bool { return other == l })
	if s.on[key] = rest; len(rest) == 0 {
		delete(s.on, key)
	}
	return len(rest) > 0
}

// carryOut waits for the run's turn, runs its graph, and writes how it ended.
func (l *live) carryOut() {
	defer func() {
		l.leave()
		l.space.mu.Lock()
		delete(l.space.live, l.run.ID)
		l.space.mu.Unlock()
		l.claim()
		l.space.turns.leave(l.space.tenant)
		close(l.done)
		l.stop(nil)
	}()
	err := l.before()
	if err == nil {
		err = l.inTurn(l.runGraph)
	}
	l.end(err)
}

// before waits until the run may begin.
func (l *live) before() error {
	stopped := func() error { return context.Cause(l.ctx) }
	for _, other := range l.earlier {
		select {
		case <-other.done:
		case <-l.ctx.Done():
			return stopped()
		case <-l.space.closed:
			return errStopping
		}
	}
	if wait := l.run.Created.Add(l.run.Spec.Delay).Sub(l.space.Now()); l.run.Spec.Delay > 0 && wait > 0 {
		select {
		case <-time.After(wait):
		case <-l.ctx.Done():
			return stopped()
		case <-l.space.closed:
			return errStopping
		}
	}
	return nil
}

// inTurn waits for a slot, and calls do while holding it.
func (l *live) inTurn(do func() error) error {
	own := l.space.turns.ask(l.space.tenant)
	defer l.space.turns.giveUp(own)
	select {
	case <-own.ready:
	case <-l.ctx.Done():
	case <-l.space.closed:
		return errStopping
	}
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return do()
}

// runGraph runs the graph and writes its events. A panic of it is an error.
func (l *live) runGraph() (err error) {
	r := l.set(func(r *Run) { r.Status, r.Started = Running, l.space.Now() })
	l.space.tellNow(l.ctx, r)
	ended := l.space.Observe(r)
	defer func() { ended(l.now()) }()
	spec := r.Spec
	g, err := l.space.Graph(spec.Graph)
	if err != nil {
		return err
	}
	open, err := l.open(g, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	if err := l.remember(g.App); err != nil {
		return err
	}
	opts := &graph.RunOptions{
		Thread: l.space.saved(spec.Thread), RunID: r.ID, Checkpoint: spec.Checkpoint, RecursionLimit: spec.Limit,
		InterruptBefore: spec.Before, InterruptAfter: spec.After, Durability: spec.Durability, Timeout: spec.Timeout,
		Metadata: spec.Saved, Control: l.control, Modes: spec.Modes | l.space.Modes | graph.Updates | graph.Checkpoints,
	}
	logged := opts.Modes
	if open.Observe != nil {
		opts.Modes |= graph.Debug | graph.Tokens
	}
	out, err := l.record(open.App)
	if err != nil {
		return err
	}
	if g.Steps != nil && logged.Wants(graph.NodeToken) {
		out.steps = g.Steps
		opts.Modes |= graph.Tasks
	}
	defer func() {
		l.logged = out.bytes
		err = errors.Join(err, out.close())
	}()
	p := graph.Pursuit{Input: spec.Input, Resume: spec.Resume, Answers: spec.Answers, Again: l.adopted}
	for ev, failed := range open.App.Pursue(open.Context, p, opts) {
		if failed == nil && open.Observe != nil {
			open.Observe(ev)
		}
		if failed == nil {
			failed = out.step(ev)
		}
		if failed == nil && logged.Wants(ev.Kind) {
			failed = out.add(ev)
		}
		if failed != nil {
			return failed
		}
	}
	if g.Outcome != nil {
		if at, err := open.App.State(l.ctx, graph.Key{Thread: opts.Thread}); err == nil { // else the run has none: it has ended all the same
			l.set(func(r *Run) { r.Outcome = g.Outcome(at.State) })
		}
	}
	return nil
}

// statusOf returns the run's status for the error of its graph.
func (l *live) statusOf(err error) Status {
	timeout := (*graph.NodeTimeout)(nil)
	switch {
	case err == nil, errors.As(err, new(*graph.InterruptedError)):
		return Success
	case errors.Is(context.Cause(l.ctx), errCancelled), l.rolledBack():
		return Cancelled
	case errors.As(err, &timeout) && timeout.Kind == graph.TimeoutTotal:
		return TimedOut
	}
	return Errored
}

// unfinished reports whether a stopped run must continue later, in this process or another.
func (l *live) unfinished(err error) bool {
	return errors.As(err, new(*graph.DrainedError)) || errors.Is(err, errStopping) || errors.Is(context.Cause(l.ctx), errStopping)
}

// end writes how the run ended. It retries until it succeeds or the manager closes; a later process
// then takes the run up again and finds it at its end.
func (l *live) end(err error) {
	if l.unfinished(err) {
		return
	}
	status, temporary := l.statusOf(err), l.now().Spec.Temporary
	r := l.set(func(r *Run) {
		r.Status, r.Spec, r.Asks = status, nil, errors.As(err, new(*graph.InterruptedError))
		if status == Errored || status == TimedOut {
			r.Error = strings.ReplaceAll(err.Error(), "\x00", "\ufffd") // see storable
			r.Reason = strings.ReplaceAll(reason(err), "\x00", "\ufffd")
		}
	})
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		failed := l.conclude(context.Background(), r, temporary)
		if failed == nil {
			return
		}
		l.space.Warn(fmt.Errorf("writing the end of run %q: %w", r.ID, failed))
		select {
		case <-time.After(pause):
		case <-l.space.closed:
			return
		}
	}
}

// reason is why a graph failed: the error of its innermost node; "" if no node failed.
func reason(err error) (text string) {
	for node := (*graph.NodeError)(nil); errors.As(err, &node); err = node.Err {
		text = node.Err.Error()
	}
	return text
}

// conclude writes the records of an ended run and of its thread.
func (l *live) conclude(ctx context.Context, r Run, temporary bool) error {
	s := l.space
	defer s.hold(r.Thread)()
	others := l.leave()
	var c change
	if err := s.tell(ctx, &c, r); err != nil {
		return err
	}
	told := len(c.ops) > 0
	if l.rolledBack() {
		if err := l.undo(ctx, &c); err != nil {
			return err
		}
	} else {
		c.put(s.runsOn(r.Thread), r.ID, r, s.Keep)
		c.put(s.ids(), r.ID, place{s.tenant, r.Thread, l.logged}, s.Keep)
		c.remove(opened, r.ID)
	}
	c.remove(toCancel, r.ID)
	t, err := s.Thread(ctx, r.Thread)
	switch {
	case errors.As(err, new(*NotFoundError)): // the thread was removed
	case err != nil:
		return err
	case temporary && !others:
		if err := s.removeThread(ctx, r.Thread, false); err != nil {
			return err
		}
	default:
		var failure error
		if r.Error != "" {
			failure = errors.New(r.Error)
		}
		if err := s.refresh(ctx, &t, failure); err != nil {
			return err
		}
		if r.Status == Cancelled && !l.rolledBack() {
			t.Status = Idle
		}
		if others {
			t.Status = Busy
		}
		wrote, err := s.weigh(ctx, graph.Query{Thread: s.saved(t.ID), Run: r.ID})
		t.Bytes += wrote
		if err == nil {
			err = s.put(ctx, &c, &t)
		}
		if err != nil {
			return err
		}
	}
	if err := s.write(ctx, &c); err != nil {
		return err
	}
	s.charge(l.logged)
	if told {
		s.nudge()
	}
	return s.prune(ctx, r.Thread)
}

// prune removes the oldest runs of a thread beyond KeepRuns.
func (s *Space) prune(ctx context.Context, thread string) error {
	all, err := list[Run](ctx, s.Manager, s.runsOn(thread), nil)
	if err != nil || len(all) <= s.KeepRuns {
		return err
	}
	slices.SortFunc(all, newestFirst)
	var c change
	for _, r := range all[s.KeepRuns:] {
		if !r.Status.Ended() {
			continue
		}
		s.forget(&c, r)
		if err := s.Log.Remove(ctx, r.ID); err != nil {
			return err
		}
	}
	if len(c.ops) == 0 {
		return nil
	}
	return s.write(ctx, &c)
}
