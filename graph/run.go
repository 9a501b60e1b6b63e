package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DefaultRecursionLimit is how many supersteps a run may take when neither its
// options nor the graph's say otherwise.
const DefaultRecursionLimit = 1000

// RunOptions configure one run. Nil is the zero value.
type RunOptions struct {
	// RecursionLimit is how many supersteps this call may run. Default: the
	// graph's own limit; else, inside a node, the limit of the enclosing run;
	// else DefaultRecursionLimit. Negative is an error.
	RecursionLimit int
	// Concurrency is how many nodes of a superstep run at once. It does not
	// change the result. Default: all of them. Negative is an error. Graphs that
	// run inside a node count for themselves.
	Concurrency int
	// StepTimeout is how long a superstep may take. When it is reached the run
	// fails, and nothing of the superstep is committed. Default: no limit.
	// Negative is an error.
	StepTimeout time.Duration
	// Timeout is how long the whole run may take. Default: no limit. Negative is
	// an error.
	Timeout time.Duration
	// Control lets others stop the run. Default: only its nodes can, with Drain.
	Control *Control
	// Modes selects what Stream reports. Default Updates.
	Modes Mode

	// Thread names the thread that the run belongs to. Its state is what the run
	// starts from; one run at a time may have it (ErrThreadBusy). With a
	// checkpointer it must be set, but for a graph inside a node, which belongs
	// to the thread of the graph around it unless it names one of its own.
	Thread string
	// Checkpoint is the ID of the checkpoint to start from. When it is not the
	// newest the run is a fork: what came after it stays as it was. Default: the
	// newest.
	Checkpoint string
	// Resume answers interrupts; the input's writes are merged before the run
	// goes on. Default: nobody answers.
	Resume []Answer
	// InterruptBefore and InterruptAfter are breakpoints beside the graph's own.
	InterruptBefore, InterruptAfter []string
	// Durability says when the run is saved. Default DurabilitySync.
	Durability Durability
	// RunID names the run in its checkpoints. Default: a random one.
	RunID string
	// Metadata is kept with every checkpoint of the run.
	Metadata map[string]string
	// Replay takes what nodes return from an earlier run. Graphs inside nodes are
	// replayed as well. Default: nodes run.
	Replay Recording
	// Namespace tells apart the graphs that one node runs side by side. Default:
	// how manieth of the node's it is.
	Namespace string
}

func (o *RunOptions) check() error {
	switch {
	case o == nil:
	case o.RecursionLimit < 0:
		return fmt.Errorf("recursion limit is %d: it must be at least 1", o.RecursionLimit)
	case o.Concurrency < 0:
		return fmt.Errorf("concurrency is %d: it must be at least 1", o.Concurrency)
	case o.Durability > DurabilityExit:
		return fmt.Errorf("durability is %d: it must be one of the constants", o.Durability)
	case strings.ContainsAny(o.Namespace, ":|/"):
		return fmt.Errorf("namespace is %q: it must not contain \":\", \"|\" or \"/\"", o.Namespace)
	case o.StepTimeout < 0 || o.Timeout < 0:
		return fmt.Errorf("timeouts are %v a superstep and %v a run: they must not be negative", o.StepTimeout, o.Timeout)
	}
	return nil
}

// Invoke runs the graph to its end and returns the final state. When it fails,
// it returns the state of the last superstep that was committed, and the error.
func (c *Compiled[S]) Invoke(ctx context.Context, in Update[S], opts *RunOptions) (S, error) {
	return c.run(ctx, in, opts, nil)
}

// sink is where a run's events go.
type sink[S any] interface {
	publisher
	send(Event[S])
}

// run is one execution of a graph. Its loop owns every field; nodes get copies.
type run[S any] struct {
	*Compiled[S]
	now      snapshot[S] // the committed state
	then     snapshot[S] // what the superstep under way makes of it
	limit    int
	parallel int
	perStep  time.Duration // 0 is no limit
	timed    bool          // a superstep or the run may run out of time
	step     int           // the last superstep begun: -1 input, 0 Start, 1 the first nodes
	first    int           // the superstep before this call's first
	out      sink[S]
	scope
	own     Control   // unless there is another
	obeys   bool      // the control is the run's, not that of an enclosing run
	record  bool      // keep what is written, for a parent graph
	written Update[S] // all committed writes, when record is set

	keep     *keeper     // nil when the run is not saved
	entering bool        // the input is to be committed and Start to be left
	reenters bool        // the input is saved already
	given    Update[S]   // of a run that enters
	lost     error       // why the input, which an older version saved, cannot be read
	origin   S           // the state before the input
	kept     []result[S] // finished tasks of the superstep that the input put an end to
	early    Update[S]   // writes that came with answers, merged before the superstep
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
	next    []int         // nodes of the next superstep that edges trigger, sorted
	sends   []delivery[S] // and those that Sends start, after them
	held    []bool        // deferred nodes that were triggered, by node
	arrived [][]bool      // by join, by place: which sources have run

	queued   []int         // by node: the superstep it was last queued for
	touched  []int         // joins that the superstep under way has reached
	spare    []delivery[S] // what sends was a superstep ago, to be used again
	results  []result[S]
	tasks    []task    // allocated and not used yet
	journals []journal // likewise
	tally    *tally
}

// A snapshot is a state as the run keeps it and as it shows it. In what is
// shown lists have no spare capacity, so that a node that appends to its copy
// does not write into the run's.
type snapshot[S any] struct{ kept, shown S }

// result is what a task came to.
type result[S any] struct {
	node   int   // end for a run's input
	task   *task // its last attempt
	update Update[S]
	sent   *delivery[S]         // what a Send gave it to run on; nil reads the state
	chosen choice[S]            // successors chosen by conditional edges and commands
	jumps  bool                 // a command stands in for all that leads away
	memo   *memo                // nil without a cache
	left   map[recordKey][]byte // what earlier attempts, of other processes too, left on record
	inner  map[string]string    // and what they left of subgraphs that keep their state
	done   bool                 // they finished the task
	waits  bool                 // for answers
	err    error
}

func (c *Compiled[S]) run(ctx context.Context, in Update[S], opts *RunOptions, out sink[S]) (S, error) {
	var zero S
	if err := opts.check(); err != nil {
		return zero, err
	}
	r := newRun(ctx, c, zero, opts)
	if out != nil {
		r.out = out
	}
	if opts != nil && opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout, &NodeTimeout{"", TimeoutTotal, opts.Timeout, opts.Timeout})
		defer cancel()
	}
	if c.input != nil {
		in = slices.DeleteFunc(slices.Clone(in), func(w Write[S]) bool {
			if w == nil {
				return false // merge says so
			}
			slot := c.slot(w.channel())
			return slot >= 0 && !c.input[slot]
		})
	}
	err := r.conduct(ctx, opts, func() error { return r.begin(ctx, in, opts) })
	return r.visible(), err
}

// conduct runs the graph from where begin puts it. A checkpointer's panic is
// an error of the run.
func (r *run[S]) conduct(ctx context.Context, opts *RunOptions, begin func() error) (err error) {
	defer recoverAs(&err)
	release, err := r.attach(ctx, opts)
	if err != nil {
		return err
	}
	defer release()
	if err = r.breaks(opts); err == nil {
		err = begin()
	}
	if err != nil {
		return r.close(err)
	}
	return r.loop(ctx)
}

// close waits until all that the run has made is saved.
func (r *run[S]) close(err error) error {
	if r.keep == nil || r.keep.owner != "" {
		return err
	}
	if late := r.keep.lane.close(); late != nil && !errors.Is(err, late) {
		return notSaved(err, fmt.Errorf("saving the run: %w", late))
	}
	return err
}

// notSaved is the error of a run whose end could not be saved. What is asked
// is then not on record, so that nobody can answer it: the run failed.
func notSaved(err, late error) error {
	if _, stopped := err.(*InterruptedError); stopped {
		return late
	}
	return errors.Join(err, late)
}

// newRun prepares a run from state. Inside a node of another graph its events
// go to that graph's stream.
func newRun[S any](ctx context.Context, c *Compiled[S], state S, opts *RunOptions) *run[S] {
	r := &run[S]{Compiled: c, limit: c.limit, step: -1}
	r.now.kept = state
	r.show(&r.now)
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
		r.limit = outer.info.Limit
	}
	if r.limit == 0 {
		r.limit = DefaultRecursionLimit
	}
	if outer != nil && outer.run.events != nil {
		r.out = nested[S]{outer, outer.info.Node, c}
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
func (r *run[S]) start(ctx context.Context, in Update[S]) error {
	r.entering, r.origin = true, r.now.kept
	if _, err := r.merge(&r.now.kept, r.tally, []result[S]{{node: end, update: in}}); err != nil {
		var zero S // a reducer may have stopped half-way
		r.now.kept = zero
		return fmt.Errorf("merging the input: %w", err)
	}
	r.show(&r.now)
	if ctx.Err() != nil {
		return ended(ctx, nil)
	}
	return nil
}

// show sets what is shown of a snapshot from what is kept.
func (r *run[S]) show(s *snapshot[S]) {
	s.shown = s.kept
	r.clip(&s.shown)
}

// clip takes the spare capacity off a state's lists.
func (r *run[S]) clip(s *S) {
	for _, ch := range r.lists {
		ch.clip(s)
	}
}

// loop runs supersteps until nothing is left to run.
func (r *run[S]) loop(ctx context.Context) error {
	r.events = r.out
	began := time.Time{}
	if r.out != nil {
		began = time.Now()
	}
	r.publish(Event[S]{Kind: RunStart, Graph: r.name, Fingerprint: r.fingerprint}, -1)
	saving := r.saving
	err := r.enter(ctx, saving)
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
	if r.wants(RunEnd) {
		r.step++
		r.publish(Event[S]{Kind: RunEnd, State: r.visible(), Nodes: r.dueNames(), Waiting: r.waiting(), Err: err, Elapsed: time.Since(began)}, -1)
	}
	return err
}

// enter commits the input and leaves Start, unless the run goes on where it was.
func (r *run[S]) enter(ctx, saving context.Context) error {
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
func (r *run[S]) leaveStart(ctx context.Context) error {
	var chosen choice[S]
	if err := r.route(ctx, Start, &r.Compiled.start, r.now.shown, &chosen); err != nil {
		return err
	}
	r.leave(&r.Compiled.start, &chosen, false)
	r.settle()
	return nil
}

// superstep runs the queued nodes on one state and commits what they return,
// all of it or nothing.
func (r *run[S]) superstep(ctx, saving context.Context) error {
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
		r.publish(Event[S]{Kind: StepStart, Nodes: r.dueNames()}, -1)
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
	was := r.now
	r.now = r.then
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
		r.now = was
		return err
	}
	r.early = nil
	if stops {
		return r.interrupted(nil)
	}
	return nil
}

// visible is the state as the caller sees it.
func (r *run[S]) visible() S {
	return r.view(r.output)
}

// input is what a task runs on: the committed state, or what it was sent. It is
// for reading only.
func (r *run[S]) input(res *result[S], n *node[S]) *S {
	switch {
	case res.sent != nil:
		return &res.sent.state
	case n.opts.Reads == nil:
		return &r.now.shown
	}
	own := r.part(n.opts.Reads)
	return &own
}

// view is the committed state for a reader: all of it when only is nil, else
// these channels.
func (r *run[S]) view(only []Channel[S]) S {
	if only == nil {
		return r.now.shown
	}
	return r.part(only)
}

// part is apart from view because its variables live on the heap.
func (r *run[S]) part(only []Channel[S]) S {
	var s S
	for _, ch := range only {
		ch.copyField(&s, &r.now.shown)
	}
	return s
}

func (r *run[S]) wants(k EventKind) bool { return r.out != nil && r.out.wants(k) }

// publish sends an event of the run itself, placed at a position in its step.
func (r *run[S]) publish(ev Event[S], position int) {
	if !r.wants(ev.Kind) {
		return
	}
	ev.Step = r.step
	ev.Places = []Place{{r.step, position}}
	r.out.send(ev)
}

// publishState reports the state after all tasks of a superstep.
func (r *run[S]) publishState(position int) {
	if r.wants(StateValue) {
		r.publish(Event[S]{Kind: StateValue, State: r.now.shown}, position)
	}
}
