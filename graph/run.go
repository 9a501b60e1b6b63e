package graph

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// run is one execution of a graph. Its loop owns every field; nodes get copies.
type run struct {
	*program
	now      snapshot  // the committed state
	then     snapshot  // what the superstep under way makes of it
	was      snapshot  // the state before that, of a run that is saved: it stands when the superstep is not
	paused   *snapshot // of a run that stopped to ask: the committed state with what finished tasks wrote
	parallel int
	perStep  time.Duration // 0 is no limit
	timed    bool          // a superstep or the run may run out of time
	step     int           // the last superstep begun: -1 input, 0 Start, 1 the first nodes
	out      publisher
	scope
	own     Control // unless there is another
	obeys   bool    // the control is the run's, not that of an enclosing run
	record  bool    // keep what is written, for a parent graph
	written update  // all committed writes, when record is set

	keep     *keeper     // nil when the run is not saved
	asks     bool        // nodes may stop the run: it is saved, or a graph around it may be
	entering bool        // the input is to be committed and Start to be left
	reenters bool        // the input is saved already
	given    update      // of a run that enters
	lost     error       // why the input, which an older version saved, cannot be read
	origin   any         // the state before the input
	kept     []result    // finished tasks of the superstep that the input put an end to
	early    update      // writes that came with answers, merged before the superstep
	before   breakpoints // of the call
	after    breakpoints
	passed   bool    // the run has stopped before the next superstep already
	dirty    changes // DurabilityExit: what is not saved yet
	from     *lent   // the state that the run starts from, when another checkpoint has it
	leaves   bool    // the superstep under way leaves Start

	point   *point      // of a run that is not going to run: what it stands on
	lastRan []savedTask // and what ran before that

	// The frontier: what is to run, and what waits. With state and step it is
	// all that a run is made of between two supersteps.
	next    []int      // nodes of the next superstep that edges trigger, sorted
	sends   []delivery // and those that Sends start, after them
	held    []bool     // deferred nodes that were triggered, by node
	arrived [][]bool   // by join, by place: which sources have run

	queued   []int      // by node: the superstep it was last queued for
	touched  []int      // joins that the superstep under way has reached
	spare    []delivery // what sends was a superstep ago, to be used again
	results  []result
	tasks    []task    // allocated and not used yet
	journals []journal // likewise
	tally    *tally
}

// A snapshot is a state as the run keeps it and as it shows it. In what is
// shown lists have no spare capacity, so that a node that appends to its copy
// does not write into the run's.
type snapshot struct{ kept, shown any }

func (p *program) newSnapshot() snapshot { return snapshot{p.typ.fresh(), p.typ.fresh()} }

// copied is a snapshot that shares nothing with s but what the states point to.
func (p *program) copied(s snapshot) snapshot {
	return snapshot{p.typ.copyOf(s.kept), p.typ.copyOf(s.shown)}
}

// put makes a state the one of a snapshot.
func (p *program) put(s *snapshot, state any) {
	p.typ.copyTo(s.kept, state)
	p.show(s)
}

// result is what a task came to.
type result struct {
	node   int   // end for a run's input
	task   *task // its last attempt
	update update
	sent   *delivery // what a Send gave it to run on; nil reads the state
	chosen choice    // successors chosen by conditional edges and commands
	jumps  bool      // a command stands in for all that leads away
	memo   *memo     // nil without a cache
	past   *past     // what earlier attempts, of other processes too, left on record; nil for nothing
	waits  bool      // for answers
	err    error

	replayed bool // the update comes from a recording
}

// finished reports whether an earlier attempt finished the task.
func (res *result) finished() bool { return res.past != nil && res.past.done }

// past is what earlier attempts at a task left on record.
type past struct {
	left  map[recordKey][]byte
	inner map[string]string // newest checkpoints of subgraphs that keep their state
	done  bool              // they finished the task
}

// newRun prepares a run from the zero state. Inside a node of another graph its events
// go to that graph's stream.
func newRun(ctx context.Context, c *program, opts *RunOptions) *run {
	r := &run{program: c, step: -1, now: c.newSnapshot(), then: c.newSnapshot()}
	r.limit = c.most
	outer := taskFrom(ctx)
	r.outer = outer
	r.control, r.obeys = &r.own, outer == nil
	if outer != nil {
		r.control, r.answers, r.recording, r.saving = outer.run.control, outer.run.answers, outer.run.recording, outer.run.saving
	}
	if opts != nil {
		r.parallel = opts.Concurrency
		r.perStep = opts.StepTimeout
		if opts.Replay != nil {
			r.recording = opts.Replay
		}
		if opts.Control != nil {
			r.control, r.obeys = opts.Control, true
		}
		r.timed = opts.StepTimeout > 0 || opts.Timeout > 0
		if opts.RecursionLimit > 0 {
			r.limit = opts.RecursionLimit
		}
	}
	if r.limit == 0 && outer != nil {
		r.limit = outer.run.limit
	}
	if r.limit == 0 {
		r.limit = DefaultRecursionLimit
	}
	if outer != nil && outer.run.events != nil {
		r.out = nested{outer, outer.node, c}
	}
	r.held = make([]bool, len(c.nodes))
	r.queued = make([]int, len(c.nodes))
	r.tally = newTally(len(c.channels))
	r.arrived = make([][]bool, len(c.joins))
	for i, j := range c.joins {
		r.arrived[i] = make([]bool, len(j.sources))
	}
	return r
}

// start merges the input into the state.
func (r *run) start(ctx context.Context, in update) error {
	r.entering, r.origin = true, r.typ.copyOf(r.now.kept)
	if _, err := r.merge(r.now.kept, r.tally, []result{{node: end, update: in}}); err != nil {
		r.now = r.newSnapshot() // a reducer may have stopped half-way
		return fmt.Errorf("merging the input: %w", err)
	}
	r.show(&r.now)
	if ctx.Err() != nil {
		return ended(ctx, nil)
	}
	return nil
}

// show sets what is shown of a snapshot from what is kept.
func (p *program) show(s *snapshot) {
	p.typ.copyTo(s.shown, s.kept)
	p.clip(s.shown)
}

// clip takes the spare capacity off a state's lists.
func (p *program) clip(s any) {
	for _, ch := range p.lists {
		ch.clip(s)
	}
}

// loop runs supersteps until nothing is left to run.
func (r *run) loop(ctx context.Context) error {
	r.events = r.out
	began := time.Time{}
	if r.out != nil {
		began = time.Now()
	}
	r.publish(event{foreign: foreign{Kind: RunStart, Graph: r.name, Fingerprint: r.fingerprint}}, -1)
	saving := r.saving
	var err error
	if r.recording != nil {
		err = r.replayRun()
	}
	if err == nil {
		err = r.enter(ctx, saving)
	}
	r.first = r.step
	for err == nil && r.due() > 0 {
		if err = r.drained(); err == nil {
			err = r.stopBefore(saving)
		}
		if err == nil {
			err = r.superstep(ctx, saving)
		}
	}
	if late := r.saveAtExit(saving); late != nil {
		err = notSaved(err, late)
	}
	if err == nil && r.persist == PersistAlways && r.keep != nil && r.keep.owner != "" {
		r.outer.journal.keepsChild(r.keep.namespace, r.keep.id)
	}
	err = r.close(err)
	if r.paused != nil && errors.Is(err, errWaiting) {
		r.now = *r.paused
	}
	if r.wants(RunEnd) {
		r.step++
		r.publish(event{foreign: foreign{Kind: RunEnd, Nodes: r.dueNames(), Waiting: r.waiting(), Err: err, Elapsed: time.Since(began)}, state: r.visible()}, -1)
	}
	return err
}

// enter commits the input and leaves Start, unless the run goes on where it was.
func (r *run) enter(ctx, saving context.Context) error {
	if !r.entering {
		r.publishState(r.due())
		return nil
	}
	if !r.reenters {
		if err := r.save(saving, SourceInput, r.kept); err != nil {
			return err
		}
	}
	r.publishState(0)
	r.step++
	if err := r.leaveStart(ctx); err != nil {
		r.step--
		return err
	}
	r.entering, r.leaves = false, true
	err := r.save(saving, SourceLoop, nil)
	r.leaves = false
	return err
}

// leaveStart queues what follows Start.
func (r *run) leaveStart(ctx context.Context) error {
	var chosen choice
	if err := r.route(ctx, Start, &r.program.start, r.now.shown, &chosen); err != nil {
		return err
	}
	r.leave(&r.program.start, &chosen, false)
	r.settle()
	return nil
}

// superstep runs the queued nodes on one state and commits what they return,
// all of it or nothing.
func (r *run) superstep(ctx, saving context.Context) error {
	if ctx.Err() != nil {
		return ended(ctx, nil)
	}
	if r.step-r.first >= r.limit {
		return &RecursionError{r.limit, r.dueNames()}
	}
	r.step++
	if r.outer != nil {
		r.outer.beat()
	}
	if r.wants(StepStart) {
		r.publish(event{foreign: foreign{Kind: StepStart, Nodes: r.dueNames()}}, -1)
	}
	if r.recording != nil {
		if err := r.replayStep(); err != nil {
			return err
		}
	}
	results := r.stage()
	if r.keep != nil {
		r.keep.claims = nil
		if err := r.rejoin(results); err != nil {
			return err
		}
	}
	if r.perStep > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.perStep, &NodeTimeout{"", TimeoutStep, r.perStep, r.perStep})
		defer cancel()
	}
	wrote, err := r.execute(ctx, results)
	if r.caching {
		if late := r.remember(results); err == nil {
			err = late
		}
	}
	if err != nil {
		return err
	}
	if err := r.handedOver(results); err != nil {
		return err
	}
	if r.keep == nil {
		r.now, r.then = r.then, r.now
	} else {
		if r.was.kept == nil {
			r.was = r.newSnapshot()
		}
		r.was, r.now, r.then = r.now, r.then, r.was
	}
	if r.record {
		r.noteWrites(results)
	}
	var ran []string
	if len(r.after) > 0 {
		ran = r.dueNames()
	}
	r.advance(results)
	if wrote || r.early != nil {
		r.publishState(len(results))
	}
	stops := r.stopsAfter(ran)
	if stops {
		r.keep.halts = true
	}
	if err := r.save(saving, SourceLoop, results); err != nil {
		r.now, r.was = r.was, r.now
		return err
	}
	r.early = nil
	if stops {
		return r.interrupted(nil)
	}
	return nil
}
