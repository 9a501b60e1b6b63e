package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A run is the driver of a machine in this process: it runs nodes as
// goroutines, commits changes through a persister, and sends events to a
// stream. Its loop owns the machine; tasks that record something take mu.
type run struct {
	machine
	mu          sync.Mutex
	out         publisher  // nil when nobody listens
	todo        output     // what the machine wants done
	persister   *persister // nil when the run is not saved
	outer       *task      // the node of another graph that the run is in; nil at the root
	ordinal     string     // tells the run from others inside its node
	control     *Control
	ownControl  Control // unless there is another
	drive       driver
	ownsControl bool      // the control is the run's, not that of an enclosing run
	recording   Recording // nil when the run is not a replay
	parallel    int
	perStep     time.Duration // 0 is no limit
	timed       bool          // a superstep or the run may run out of time
	tasks       []task        // allocated together
	used        int           // how many of them
	journals    []journal     // allocated and not used yet

	// saving is what the run saves with: what has been done is saved, also when
	// the run is made to stop. Nil when nothing is saved.
	saving context.Context
}

// A driver does what the machine of a run wants done, until that is nothing.
// Graphs inside the nodes of a run have its driver.
type driver func(r *run, ctx context.Context) error

// newRun prepares a run from the zero state. Inside a node of another graph its
// events go to that graph's stream.
func newRun(ctx context.Context, p *program, opts *RunOptions) *run {
	r := &run{machine: newMachine(p)}
	r.limit, r.outer, r.drive = p.defaultLimit, taskFrom(ctx), p.drive
	r.control, r.ownsControl = &r.ownControl, r.outer == nil
	if r.outer != nil {
		outer := r.outer.run
		r.drive = outer.drive
		r.isSubgraph, r.control, r.answers, r.recording, r.saving = true, outer.control, outer.answers, outer.recording, outer.saving
		if outer.out != nil {
			r.out = nested{r.outer, r.outer.name(), p}
		}
	}
	r.parallel, r.perStep = opts.Concurrency, opts.StepTimeout
	r.timed = opts.StepTimeout > 0 || opts.Timeout > 0
	if opts.Replay != nil {
		r.recording = opts.Replay
	}
	if opts.Control != nil {
		r.control, r.ownsControl = opts.Control, true
	}
	if opts.RecursionLimit > 0 {
		r.limit = opts.RecursionLimit
	}
	if r.limit == 0 && r.outer != nil {
		r.limit = r.outer.run.limit
	}
	r.limit = cmp.Or(r.limit, DefaultRecursionLimit)
	return r
}

// noOptions are those of a call without any. Nobody changes them.
var noOptions RunOptions

// A beginning puts a machine where it starts: on a point, or nil.
type beginning func(m *machine, in update, p *point, opts *RunOptions) error

func (p *program) run(ctx context.Context, in update, opts *RunOptions, out publisher, begin beginning) (any, error) {
	if opts == nil {
		opts = &noOptions
	}
	if err := opts.check(); err != nil {
		return p.typ.fresh(), err
	}
	r := newRun(ctx, p, opts)
	if out != nil {
		r.out = out
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout, &NodeTimeout{"", TimeoutTotal, opts.Timeout, opts.Timeout})
		defer cancel()
	}
	in = p.allowed(in)
	err := r.runFrom(ctx, opts, func(at *point) error { return begin(&r.machine, in, at, opts) })
	return r.visible(), err
}

// runFrom runs the graph from where begin puts it. A checkpointer's panic is
// an error of the run.
func (r *run) runFrom(ctx context.Context, opts *RunOptions, begin func(*point) error) (err error) {
	defer recoverAs(&err)
	release, err := r.attach(ctx, opts)
	if err != nil {
		return err
	}
	defer release()
	if r.out != nil {
		r.modes = r.out.wanted()
	}
	r.canInterrupt = r.ledger != nil || r.isSubgraph
	err = r.breaks(opts)
	var p *point
	if err == nil && r.ledger != nil {
		p, err = r.read(ctx, opts.Checkpoint)
	}
	if err == nil {
		err = begin(p)
	}
	if err == nil && r.entering && ctx.Err() != nil {
		err = ended(ctx, nil)
	}
	if err != nil {
		if late := r.close(); late != nil && !errors.Is(err, late) {
			err = saveError(err, fmt.Errorf("saving the run: %w", late))
		}
		return err
	}
	return r.drive(r, ctx)
}

// loop does what the machine wants done, until that is nothing.
func (r *run) loop(ctx context.Context) error {
	began := r.began()
	if r.recording != nil {
		r.stopErr = r.recording.Run(r.at(), r.name, r.fingerprint)
	}
	r.feed(ctx, func() { r.ready(&r.todo) })
	for !r.todo.end {
		r.carryOut(ctx, (*run).execute)
	}
	return r.finish(began)
}

// carryOut does what the machine wants done next. How tasks are run is execute's
// to say.
func (r *run) carryOut(ctx context.Context, execute driver) {
	out := &r.todo
	switch r.show(out.events); {
	case out.save != nil:
		err := r.persister.commit(r.saving, out.save)
		r.feed(ctx, func() { r.commitDone(out, err) })
	case out.routes:
		err := r.askRouters(ctx, r.edits, r.now.shown)
		r.feed(ctx, func() { r.routersDone(out, err) })
	default:
		err := execute(r, ctx)
		r.feed(ctx, func() { r.tasksDone(out, err) })
	}
}

// finish ends a run whose machine wants nothing done any more.
func (r *run) finish(began time.Time) error {
	r.show(r.todo.events)
	if r.err == nil && r.persist == PersistAlways && r.ledger != nil && r.owner != "" {
		r.outer.journal.noteChild(r.namespace, r.id)
	}
	r.ended(&r.todo, r.close())
	for i := range r.todo.events {
		r.todo.events[i].Elapsed = since(began)
	}
	r.show(r.todo.events)
	if stopped, is := r.err.(*InterruptedError); is && r.ledger != nil && r.owner != "" {
		r.outer.journal.addQuestions(r.ordinal, stopped.Pending)
	}
	return r.err
}

// feed gives the machine the reasons to stop the run, then the outcome of its
// last output. Goroutines that a node left behind may record meanwhile.
func (r *run) feed(ctx context.Context, outcome func()) {
	if ctx.Err() != nil {
		r.stopErr = ended(ctx, nil)
	}
	if reason := r.control.reason.Load(); reason != nil && r.ownsControl {
		r.drainReason = reason
	}
	r.locked(outcome)
}

// record puts what tasks have come to on record: all of it, or nothing.
func (r *run) record(ctx context.Context, records ...Record) error {
	r.mu.Lock()
	change := r.recorded(records...)
	r.mu.Unlock()
	if change == nil {
		return r.persister.checkOpen()
	}
	if err := r.persister.commit(ctx, change); err != nil {
		return fmt.Errorf("recording the %s of a task: %w", records[0].Kind, err)
	}
	return nil
}

// close waits until all that the run has made is saved.
func (r *run) close() error {
	if r.ledger == nil || r.owner != "" {
		return nil
	}
	return r.persister.close()
}

func (r *run) show(events []event) {
	for _, ev := range events {
		r.out.publish(ev)
	}
}

// at is where the run is: nowhere at the root.
func (r *run) at() []Place {
	if r.outer == nil {
		return nil
	}
	return r.outer.places()
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
