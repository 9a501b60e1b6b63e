package graph

import (
	"context"
	"fmt"
	"slices"
)

// begin puts the run where it starts: at the state of its thread, with an
// input. A graph inside a task goes on when the task does.
func (r *run) begin(ctx context.Context, in update, opts *RunOptions) error {
	if opts == nil {
		opts = &RunOptions{}
	}
	if len(opts.Resume) > 0 {
		return fmt.Errorf("%w: an input begins a turn, in which nothing is asked yet: call Resume to answer", ErrAnswer)
	}
	if r.keep == nil {
		if in == nil {
			return ErrEmptyInput
		}
		return r.start(ctx, in)
	}
	inner := r.keep.owner != ""
	p, err := r.read(ctx, opts.Checkpoint)
	switch {
	case err != nil:
		return err
	case p == nil && in == nil:
		return fmt.Errorf("thread %q does not exist: %w", opts.Thread, ErrEmptyInput)
	case p == nil:
		r.given = in
		return r.start(ctx, in)
	}
	if err := r.adopt(p); err != nil {
		return fmt.Errorf("loading %s: %w", Key{r.keep.thread, r.keep.namespace, p.ID}, err)
	}
	switch {
	case inner && p.last.Owner == r.keep.owner:
		return r.goOn(ctx, nil, opts)
	case in == nil && !inner && (r.entering || r.due() > 0):
		return fmt.Errorf("thread %q has %s still to run: call Resume to go on with it: %w", opts.Thread, orNone(r.comingNames()), ErrEmptyInput)
	case in == nil && !inner:
		return fmt.Errorf("thread %q has nothing left to run: %w", opts.Thread, ErrEmptyInput)
	}
	return r.turn(ctx, in)
}

// resume puts the run where its thread was left.
func (r *run) resume(ctx context.Context, with update, opts *RunOptions) error {
	if opts == nil {
		opts = &RunOptions{}
	}
	switch {
	case r.keep == nil:
		return fmt.Errorf("resuming graph %q: %w", r.name, ErrNoCheckpointer)
	case r.keep.owner != "":
		return fmt.Errorf("resuming graph %q inside a node, which goes on with the node's task: call Invoke: %w", r.name, ErrInvalidUpdate)
	}
	p, err := r.read(ctx, opts.Checkpoint)
	switch {
	case err != nil:
		return err
	case p == nil && len(opts.Resume) > 0:
		return fmt.Errorf("%w: thread %q does not exist", ErrAnswer, opts.Thread)
	case p == nil:
		return fmt.Errorf("thread %q does not exist, so there is nothing to resume: %w", opts.Thread, ErrEmptyInput)
	}
	if err := r.adopt(p); err != nil {
		return fmt.Errorf("loading %s: %w", Key{r.keep.thread, r.keep.namespace, p.ID}, err)
	}
	return r.goOn(ctx, with, opts)
}

// read loads the checkpoint to start from. A subgraph that keeps its state
// starts where the graph around it says it was.
func (r *run) read(ctx context.Context, id string) (*point, error) {
	k := r.keep
	k.settle()
	p, err := r.load(ctx, id)
	if err != nil || p == nil || k.owner == "" {
		return p, err
	}
	// With DurabilityExit a task's checkpoint may not be saved yet. If the process
	// died, another run uses its ID again, and the task is not the same.
	dead := r.outer.journal.keep.unsaved && p.Run != k.stamp.Run
	if p.last.Owner == k.owner && !dead {
		return p, nil
	}
	id = r.outer.journal.keep.child(k.namespace)
	if id == "" {
		k.stand(&point{folded: &folded{}}) // its rows are of a run that was given up
		return nil, nil
	}
	return r.load(ctx, id)
}

// adopt makes a checkpoint the run's state.
func (r *run) adopt(p *point) error {
	if err := r.migrated(p); err != nil {
		return err
	}
	state, err := r.program.restore(p.values, p.lent)
	if err != nil {
		return err
	}
	r.put(&r.now, state)
	r.origin = state
	r.step = p.Step
	r.keep.stand(p)
	r.measure()
	if r.given, err = r.readUpdate(p.last.Input); err != nil {
		if !p.older {
			return fmt.Errorf("reading the input: %w", err)
		}
		r.given, r.lost = nil, err
	}
	return r.restoreFrontier(p.last)
}

// turn starts anew from the state of a thread. What finished tasks of an
// unfinished superstep wrote is kept; the rest of that superstep is given up.
func (r *run) turn(ctx context.Context, in update) error {
	finished, err := r.finished()
	if err != nil {
		return err
	}
	r.expire(r.now.kept)
	if r.entering { // an input that was accepted and never began to run
		if _, err := r.merge(r.now.kept, r.tally, []result{{node: end, update: r.given}}); err != nil {
			return fmt.Errorf("merging the input before: %w", err)
		}
		r.keep.base = "" // the checkpoint is a snapshot: no task wrote that input
	}
	r.show(&r.now)
	kept := r.copied(r.now)
	if _, err := r.merge(kept.kept, r.tally, finished); err == nil {
		r.show(&kept)
		r.now, r.kept = kept, finished
	}
	r.clearFrontier()
	r.keep.left = nil
	r.step++
	r.reenters, r.given = false, in
	return r.start(ctx, in)
}

// goOn resumes a thread.
func (r *run) goOn(ctx context.Context, in update, opts *RunOptions) error {
	k := r.keep
	if r.entering && r.lost != nil {
		return fmt.Errorf("reading the input, which an older version of the graph saved: %w: give it once more", r.lost)
	}
	r.passed = marked(k.left)
	if opts.Checkpoint != "" && opts.Checkpoint != k.newest {
		if len(opts.Resume) > 0 {
			return fmt.Errorf("%w: checkpoint %s is not the newest of thread %q, and a run from there asks anew", ErrAnswer, opts.Checkpoint, k.thread)
		}
		if err := r.fork(); err != nil {
			return err
		}
	}
	if r.entering {
		if len(opts.Resume) > 0 || in != nil {
			return fmt.Errorf("%w: thread %q has an input that has not begun to run", ErrAnswer, k.thread)
		}
		return r.start(ctx, r.given)
	}
	if r.record {
		if err := r.recover(ctx); err != nil {
			return err
		}
	}
	var records []Record
	if len(opts.Resume) > 0 {
		tasks, err := r.tasksToCome()
		if err != nil {
			return err
		}
		pending, err := pendingOf(k.left, tasks)
		if err != nil {
			return err
		}
		if records, err = k.resume(opts.Resume, pending); err != nil {
			return err
		}
	}
	brought, err := r.bring(in)
	if err != nil {
		return err
	}
	if records = append(records, brought...); len(records) > 0 {
		if err := k.record(ctx, records...); err != nil {
			return err
		}
		k.left = append(k.left, records...)
	}
	if k.owner == "" {
		r.answers = answersOf(k.left)
	}
	return nil
}

// fork makes a checkpoint like the one that the run stands on, to go on from.
func (r *run) fork() error {
	if r.due() == 0 && !r.entering {
		return nil // nothing would follow it
	}
	r.step++
	r.keep.left = nil
	return r.save(r.saving, SourceFork, nil)
}

// bring merges what came with an answer, and leads where its commands say. What
// it returns is to be on record until the superstep is committed.
func (r *run) bring(in update) ([]Record, error) {
	k := r.keep
	var before update
	for _, rec := range k.left {
		if rec.Kind == RecordUpdate && rec.Task == "" {
			var err error
			if before, err = r.decodeUpdate(rec.Data); err != nil {
				return nil, fmt.Errorf("reading what came with an answer: %w", err)
			}
		}
	}
	all := slices.Concat(before, in)
	if len(all) == 0 {
		return nil, nil
	}
	res := result{node: end, update: all, task: &task{}}
	if _, err := r.merge(r.now.kept, r.tally, []result{res}); err != nil {
		return nil, fmt.Errorf("merging the input: %w", err)
	}
	r.show(&r.now)
	for _, w := range all {
		c, ok := w.(*command)
		switch {
		case ok:
			if err := r.lead(c); err != nil {
				return nil, err
			}
		case w.channel() == nil:
			return nil, fmt.Errorf("%w: a command (%s) in the run's input, which no node returned", ErrInvalidUpdate, w.Op())
		}
	}
	slices.Sort(r.next)
	r.early = all
	if len(in) == 0 {
		return nil, nil
	}
	data, err := r.appendSaved(nil, all)
	if err != nil {
		return nil, fmt.Errorf("recording the input: %w", err)
	}
	return []Record{{Namespace: k.namespace, Checkpoint: k.id, Kind: RecordUpdate, Data: data}}, nil
}

// tasksToCome are the IDs of the tasks that are due, with those that commands
// on record lead to.
func (r *run) tasksToCome() ([]string, error) {
	was, next, sends := r.copied(r.now), slices.Clone(r.next), slices.Clone(r.sends)
	_, err := r.bring(nil)
	tasks := r.taskIDs()
	r.now, r.next, r.sends, r.early = was, next, sends, nil
	return tasks, err
}

// lead adds to the frontier where a command in the input leads. What is due
// already stays: it was decided by others.
func (r *run) lead(c *command) error {
	find := func(name string, send bool) (int, error) {
		at := slices.IndexFunc(r.nodes, func(n node) bool { return n.name == name })
		if at < 0 {
			return 0, &CommandError{Node: Start, Target: name, Send: send, Known: r.names()}
		}
		return at, nil
	}
	for _, name := range c.targets {
		if name == End {
			continue
		}
		id, err := find(name, false)
		if err != nil {
			return err
		}
		if !slices.Contains(r.next, id) {
			r.next = append(r.next, id)
		}
	}
	var chosen choice
	for _, s := range c.sends {
		id, err := find(s.node, true)
		if err != nil {
			return err
		}
		r.deliver(&chosen, id, s)
	}
	r.sends = append(r.sends, chosen.sends...)
	return nil
}

// beginAt is begin for a subgraph that starts from a state of the graph around
// it and not from an input.
func (r *run) beginAt(ctx context.Context, state any) error {
	r.entering = true
	if r.keep == nil {
		r.put(&r.now, state)
		return nil
	}
	p, err := r.read(ctx, "")
	if err != nil {
		return err
	}
	if p != nil {
		r.entering = false
		if err := r.adopt(p); err != nil {
			return fmt.Errorf("loading %s: %w", Key{r.keep.thread, r.keep.namespace, p.ID}, err)
		}
		if p.last.Owner == r.keep.owner {
			return r.goOn(ctx, nil, &RunOptions{})
		}
		r.clearFrontier()
		r.keep.left, r.keep.base, r.entering = nil, "", true
		r.step++
		own := state
		if r.program.input != nil { // what it does not take from outside is its own
			own = r.typ.copyOf(r.now.kept)
			for i, ch := range r.channels {
				if r.program.input[i] {
					ch.copyField(own, state)
				}
			}
		}
		state = own
	}
	r.put(&r.now, state)
	r.origin = r.typ.copyOf(state)
	if j := r.outer.journal; j.lends && r.persist == PersistPerRun && r.program.input == nil {
		r.from = &lent{j.keep.namespace, j.point}
	}
	return nil
}
