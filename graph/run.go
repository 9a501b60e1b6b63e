package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A run drives a machine in this process. It runs nodes as goroutines, commits
// changes through a persister, and publishes events to a stream. Its loop owns
// the machine. Tasks that record something hold mu.
type run struct {
	machine
	mu          sync.Mutex
	out         publisher  // nil without a reader
	todo        output     // the machine's last output
	persister   *persister // nil when the run is not saved
	outer       *task      // the task of the outer graph; nil at the root
	ordinal     string     // identifies the run inside its node
	label       string     // RunOptions.RunID of the outermost run
	control     *Control
	ownControl  Control // the run's own, used when no other Control is given
	drive       driver
	ownsControl bool      // the run has its own Control, not the outer run's
	recording   Recording // nil when the run is not a replay
	remote      RemoteRunner
	parallel    int
	perStep     time.Duration // 0 for no limit
	timed       bool          // a limit for supersteps or the run is set
	direct      bool          // see straight
	line        *line
	tasks       []task    // allocated in a batch
	used        int       // tasks in use
	journals    []journal // allocated in a batch, not used yet

	// saving is the context for commits. It outlives the run's cancellation, so
	// finished work is saved. Nil when nothing is saved.
	saving context.Context
}

// A driver carries out the outputs of a run's machine until the end. Subgraphs
// use their outer run's driver.
type driver func(r *run, ctx context.Context) error

// newRun prepares a run from the zero state. Inside a node its events go to the
// outer graph's stream.
func newRun(ctx context.Context, p *program, opts *RunOptions) *run {
	r, _ := p.idle.Get().(*run)
	if r == nil {
		r = new(run)
		r.now, r.nextShown = p.newSnapshot(), p.typ.fresh()
	}
	r.machine.init(p)
	r.limit, r.outer, r.drive, r.label = p.defaultLimit, taskFrom(ctx), p.drive, opts.RunID
	r.control, r.ownsControl = &r.ownControl, r.outer == nil
	if r.outer != nil {
		outer := r.outer.run
		r.drive, r.label = outer.drive, outer.label
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
	if r.outer == nil {
		r.remote = opts.Remote
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

// noOptions are the options of a call without any. They never change.
var noOptions RunOptions

// A beginning starts a machine at a point, or at nil for a new thread.
type beginning func(m *machine, in update, p *point, opts *RunOptions) error

// run runs the graph, and shows the last committed state, which is valid during that call.
func (p *program) run(ctx context.Context, in update, opts *RunOptions, out publisher, begin beginning, show func(state any)) error {
	if opts == nil {
		opts = &noOptions
	}
	if err := opts.check(); err != nil {
		return err
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
	show(r.visible())
	if err == nil {
		r.release()
	}
	return err
}

// runFrom runs the graph after begin. A panic of the checkpointer is an error
// of the run.
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

// loop carries out the machine's outputs until the end.
func (r *run) loop(ctx context.Context) error {
	began := r.began()
	if r.recording != nil {
		r.stopErr = r.recording.Run(r.at(), r.name, r.fingerprint)
	}
	r.feed(ctx, func() { r.ready(&r.todo) })
	for r.direct = r.goesStraight(); !r.todo.end; {
		if !r.straight(ctx) {
			r.carryOut(ctx, (*run).execute)
		}
	}
	return r.finish(began)
}

// carryOut carries out the machine's last output. Execute runs its tasks.
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

// finish ends a run after the machine's last output.
func (r *run) finish(began time.Time) error {
	r.show(r.todo.events)
	if r.err == nil && r.keeps && r.ledger != nil && r.owner != "" {
		r.outer.journal.noteChild(r.namespace, r.id)
	}
	r.ended(&r.todo, r.close())
	for i := range r.todo.events {
		r.todo.events[i].Elapsed = since(began)
	}
	r.show(r.todo.events)
	if stopped, is := r.err.(*InterruptedError); is && r.ledger != nil && r.owner != "" {
		var pending []question
		if len(stopped.Pending) > 0 {
			pending, _ = r.pending()
		}
		r.outer.journal.addQuestions(r.ordinal, pending...)
	}
	return r.err
}

// feed tells the machine why to stop, if at all, and reports an outcome.
// Goroutines that a node left behind may record meanwhile.
func (r *run) feed(ctx context.Context, outcome func()) {
	if ctx.Err() != nil {
		r.stopErr = ended(ctx, nil)
	}
	if reason := r.control.reason.Load(); reason != nil && r.ownsControl {
		r.drainReason = reason
	}
	r.locked(outcome)
}

// record saves records of tasks in one commit.
func (r *run) record(ctx context.Context, records ...Record) error {
	r.mu.Lock()
	change := r.recorded(records...)
	r.mu.Unlock()
	if change == nil {
		return r.persister.checkOpen()
	}
	if err := r.persister.commit(ctx, change); err != nil {
		return fmt.Errorf("recording the %s of a task of thread %q: %w", records[0].Kind, r.thread, err)
	}
	return nil
}

// close waits until everything is saved.
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

// at returns the run's place: none at the root.
func (r *run) at() []Place {
	if r.outer == nil {
		return nil
	}
	return r.outer.places()
}

// began reads the clock only for a reader of events.
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
