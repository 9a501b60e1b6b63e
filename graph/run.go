package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/assay/graph/internal/machine"
)

// A run drives a machine in this process. It runs nodes as goroutines, commits
// changes through a persister, and publishes events to a stream. Its loop owns
// the position. Tasks that record something hold mu.
type run struct {
	program      *program
	pos          position
	paused       *snapshot // in a run that was interrupted: the state, with the writes of finished tasks
	err          error     // why the run ends
	stopErr      error     // why no further superstep may begin
	modes        Mode      // events that a reader wants
	canInterrupt bool      // the run is saved, or an outer graph may be
	mu           sync.Mutex
	out          publisher  // nil without a reader
	persister    *persister // nil when the run is not saved
	outer        *task      // the task of the outer graph; nil at the root
	ordinal      string     // identifies the run inside its node
	label        string     // RunOptions.RunID of the outermost run
	control      *Control
	ownControl   Control // the run's own, used when no other Control is given
	drive        driver
	ownsControl  bool      // the run has its own Control, not the outer run's
	recording    Recording // nil when the run is not a replay
	remote       RemoteRunner
	parallel     int
	perStep      time.Duration // 0 for no limit
	timed        bool          // a limit for supersteps or the run is set
	direct       bool          // see straight
	line         *line
	lines        []line    // of saved supersteps, allocated in a batch, not used yet
	tasks        []task    // allocated in a batch
	used         int       // tasks in use
	journals     []journal // allocated in a batch, not used yet

	// saving is the context for commits. It outlives the run's cancellation, so
	// finished work is saved. Nil when nothing is saved.
	saving context.Context
}

// A driver does what a run's machine says until the end. Subgraphs
// use their outer run's driver.
type driver func(r *run, ctx context.Context) error

// newRun prepares a run from the zero state. Inside a node its events go to the
// outer graph's stream.
func newRun(ctx context.Context, p *program, opts *RunOptions) *run {
	r, _ := p.idle.Get().(*run)
	if r == nil {
		r = new(run)
		r.pos.now, r.pos.nextShown = p.newSnapshot(), p.typ.fresh()
	}
	r.program = p
	r.pos.init(p)
	limit := p.defaultLimit
	r.outer, r.drive, r.label = taskFrom(ctx), p.drive, opts.RunID
	r.control, r.ownsControl = &r.ownControl, r.outer == nil
	if r.outer != nil {
		outer := r.outer.run
		r.drive, r.label = outer.drive, outer.label
		r.pos.isSubgraph, r.control, r.pos.answers, r.recording, r.saving = true, outer.control, outer.pos.answers, outer.recording, outer.saving
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
		limit = opts.RecursionLimit
	}
	if limit == 0 && r.outer != nil {
		limit = r.outer.run.pos.how.Limit
	}
	r.pos.how.Limit = cmp.Or(limit, DefaultRecursionLimit)
	return r
}

// noOptions are the options of a call without any. They never change.
var noOptions RunOptions

// A beginning makes a position ready at a point, or at nil for a new thread.
type beginning func(pos *position, in update, p *point, opts *RunOptions) error

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
	err := r.runFrom(ctx, opts, func(at *point) error { return begin(&r.pos, in, at, opts) })
	show(r.pos.visible())
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
	r.canInterrupt = r.pos.ledger != nil || r.pos.isSubgraph
	err = r.breaks(opts)
	var p *point
	if err == nil && r.pos.ledger != nil {
		p, err = r.read(ctx, opts.Checkpoint)
	}
	if err == nil {
		err = begin(p)
	}
	if err == nil && r.pos.machine.Entering() && ctx.Err() != nil {
		err = ended(ctx, nil)
	}
	if err != nil {
		if late := r.close(); late != nil && !errors.Is(err, late) {
			err = saveError(err, fmt.Errorf("saving the run: %w", late))
		}
		return err
	}
	how := &r.pos.how
	how.Saved, how.ShowsRun, how.ShowsState, how.ShowsSteps = r.pos.ledger != nil, r.wants(RunStart), r.wants(StateValue), r.wants(StepStart)
	r.pos.machine.Begin(*how)
	if r.recording != nil {
		r.stopErr = r.recording.Run(r.at(), r.program.name, r.program.fingerprint)
	}
	return r.drive(r, ctx)
}

// loop does what the machine says until the end.
func (r *run) loop(ctx context.Context) error {
	began := r.began()
	r.direct = r.goesStraight()
	for c := r.next(ctx, machine.Event{}); c.Do != machine.Finish; {
		if c.Do == machine.Run && r.direct {
			c = r.next(ctx, r.straight(ctx))
		} else {
			c = r.next(ctx, r.carryOut(ctx, c, (*run).execute))
		}
	}
	return r.finish(began)
}

// next tells the machine how its last command went and why to stop, if at all,
// and returns its next command.
func (r *run) next(ctx context.Context, e machine.Event) machine.Command {
	if ctx.Err() != nil {
		r.stopErr = ended(ctx, nil)
	}
	e.Stop, e.Drain = r.stopErr != nil, r.ownsControl && r.control.reason.Load() != nil
	return r.pos.machine.Step(e)
}

// carryOut does what the machine says. Execute runs the tasks of a superstep.
func (r *run) carryOut(ctx context.Context, c machine.Command, execute driver) (e machine.Event) {
	var err error
	switch c.Do {
	case machine.ShowRun:
		r.publish(event{foreign: foreign{Kind: RunStart, Graph: r.program.name, Fingerprint: r.program.fingerprint}}, -1)
	case machine.ShowState:
		r.publish(event{foreign: foreign{Kind: StateValue}, state: r.pos.now.shown}, c.Place)
	case machine.ShowStep:
		r.publish(event{foreign: foreign{Kind: StepStart, Nodes: r.pos.dueNames()}}, -1)
	case machine.Answer:
		err = r.answer()
	case machine.Ask:
		e.Choice = new(machine.Choice)
		err = r.program.route(ctx, Start, r.program.branches, r.pos.now.shown, e.Choice)
	case machine.SaveFork:
		err = r.save(SourceFork, nil)
	case machine.SaveInput:
		err = r.save(SourceInput, r.pos.finishedBefore)
	case machine.SaveStart:
		err = r.save(SourceLoop, nil)
	case machine.SaveStep:
		if err = r.save(SourceLoop, r.pos.results); err != nil {
			r.pos.restoreShown()
		}
		r.pos.resumeUpdates = nil
	case machine.Run:
		if err = r.stage(); err == nil {
			err = execute(r, ctx)
		}
	case machine.Merge:
		e.Wrote, err = r.merge()
	case machine.RecordStop:
		err = r.record(r.saving, r.pos.ledger.breakpointRecord(r.pos.ledger.id))
	case machine.Halt:
		err = r.halt()
	case machine.Wait:
		r.wait()
	case machine.Close:
		r.settle()
	}
	if err != nil {
		r.err, e.Failed = err, true
	}
	return e
}

// stage makes the tasks of a superstep, with what earlier runs of them left.
func (r *run) stage() (err error) {
	r.pos.stage()
	r.locked(func() { err = r.pos.rejoin(r.pos.machine.Superstep()) })
	return err
}

// settle makes the error of the run, and saves what is not saved.
func (r *run) settle() {
	if r.pos.merged { // and not concluded
		r.pos.unmerge()
	}
	thread := r.pos.ledger.saved().Thread
	switch why, task := r.pos.machine.Ending(); {
	case task >= 0:
		r.err = r.pos.results[task].err
	case why == machine.Stopped:
		r.err = r.stopErr
	case why == machine.Drained:
		r.err = &DrainedError{*r.control.reason.Load(), r.pos.dueNames(), thread}
	case why == machine.Limited:
		r.err = &RecursionError{r.pos.how.Limit, r.pos.dueNames(), thread}
	}
	if r.pos.ledger == nil || r.pos.ledger.mode != DurabilityExit {
		return
	}
	var change *Change
	var err error
	r.locked(func() { change, err = r.pos.saveAtExit() })
	if err == nil && change != nil {
		err = r.commit(change)
	}
	if err != nil {
		r.err = saveError(r.err, err)
	}
}

// finish ends a run after the machine's last command.
func (r *run) finish(began time.Time) error {
	l := r.pos.ledger
	if r.err == nil && r.pos.keeps && l != nil && l.owner != "" {
		r.outer.journal.noteChild(l.namespace, l.id)
	}
	if late := r.close(); late != nil && !errors.Is(r.err, late) {
		r.err = saveError(r.err, fmt.Errorf("saving the run: %w", late))
	}
	stopped, is := r.err.(*InterruptedError)
	if is && r.paused != nil {
		r.pos.now = *r.paused
	}
	if r.pos.machine.Begun() && r.wants(RunEnd) {
		next := r.pos.dueNames()
		if is {
			next = stopped.Next
		}
		step := r.pos.machine.Superstep() + 1
		r.out.publish(event{foreign: foreign{
			Kind: RunEnd, Step: step, Places: []Place{{step, -1}}, Nodes: next, Waiting: r.pos.waiting(), Err: r.err, Elapsed: since(began),
		}, state: r.pos.visible()})
	}
	if is && l != nil && l.owner != "" {
		var pending []question
		if len(stopped.Pending) > 0 {
			for i := range r.pos.results {
				if res := &r.pos.results[i]; res.interrupted {
					pending = append(pending, *res.interrupts...)
				}
			}
		}
		r.outer.journal.addQuestions(r.ordinal, pending...)
	}
	return r.err
}

// saveError is the error of a run whose end could not be saved. An unsaved
// interrupt cannot be answered, so the run has failed.
func saveError(err, late error) error {
	if _, stopped := err.(*InterruptedError); stopped {
		return late
	}
	return errors.Join(err, late)
}

// answer merges the answers and the update of the call, and records them.
func (r *run) answer() (err error) {
	var records []Record
	r.locked(func() { records, err = r.pos.resumed() })
	if err == nil && len(records) > 0 {
		err = r.record(r.saving, records...)
	}
	return err
}

// save saves a checkpoint of the run. The results are those of the last
// superstep, or nil.
func (r *run) save(source Source, results []result) error {
	var change *Change
	var err error
	r.locked(func() { change, err = r.pos.makeCheckpoint(source, results) })
	if err == nil && change != nil {
		err = r.commit(change)
	}
	if err == nil && change != nil && r.wants(CheckpointSaved) {
		c := change.Add[0]
		r.publish(event{foreign: foreign{Kind: CheckpointSaved, Checkpoint: c.ID, Parent: c.Parent, Source: source, Nodes: r.pos.comingNames()}}, r.pos.due())
	}
	return err
}

// commit saves a change of the run.
func (r *run) commit(change *Change) error {
	if err := r.persister.commit(r.saving, change); err != nil {
		return fmt.Errorf("saving %s: %w", r.pos.ledger.saved(), err)
	}
	return nil
}

// record saves records of tasks in one commit.
func (r *run) record(ctx context.Context, records ...Record) error {
	if err := r.keep(ctx, records); err != nil {
		return fmt.Errorf("recording the %s of a task of thread %q: %w", records[0].Kind, r.pos.ledger.thread, err)
	}
	return nil
}

// keep is record, without a name in its error.
func (r *run) keep(ctx context.Context, records []Record) error {
	var change *Change
	r.locked(func() { change = r.pos.ledger.recorded(records...) })
	if change == nil {
		return r.persister.checkOpen()
	}
	return r.persister.commit(ctx, change)
}

// close waits until everything is saved.
func (r *run) close() error {
	if r.pos.ledger == nil || r.pos.ledger.owner != "" {
		return nil
	}
	return r.persister.close()
}

// locked calls do while no task changes the ledger.
func (r *run) locked(do func()) {
	if r.pos.ledger != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	do()
}

func (r *run) wants(k EventKind) bool { return r.modes.Wants(k) }

// publish shows an event of the run itself, at a position in its step.
func (r *run) publish(ev event, position int) {
	if r.wants(ev.Kind) {
		step := r.pos.machine.Superstep()
		ev.Step, ev.Places = step, []Place{{step, position}}
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
