package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A StateUpdate is an update made by hand, in a node's name.
type StateUpdate[S any] struct {
	// As is the node that is to have made the update: what follows it in the
	// graph is what runs next. Input leaves the update to the next run, Start
	// lets the nodes that follow Start be next; with End nothing is. Default: the
	// node that ran last, or Start if none did; when several ran beside each
	// other, an error.
	As     string
	Update Update[S]
}

// Input is what StateUpdate.As says of an input that no run has committed.
const Input = "__input__"

// UpdateState adds a checkpoint to a thread with an update made by hand, and
// returns its key. The key's ID is the checkpoint that the update is made on;
// when it is not the newest the thread forks there. Without an ID it is the
// newest, with what finished tasks of the superstep under way wrote. A thread
// that does not exist begins with it.
//
// Routers run, on the updated state; nodes do not. With a Command the update
// leads where the command says.
func (c *Compiled[S]) UpdateState(ctx context.Context, key Key, update StateUpdate[S]) (Key, error) {
	return c.BulkUpdateState(ctx, key, [][]StateUpdate[S]{{update}})
}

// BulkUpdateState is UpdateState for several supersteps, each with the updates
// of its nodes, one checkpoint for each. All of them are saved, or none.
func (c *Compiled[S]) BulkUpdateState(ctx context.Context, key Key, supersteps [][]StateUpdate[S]) (Key, error) {
	plain := make([][]handUpdate, len(supersteps))
	for i, updates := range supersteps {
		for _, u := range updates {
			plain[i] = append(plain[i], handUpdate{u.As, inputOf(u.Update)})
		}
	}
	return c.updateState(ctx, key, plain)
}

// A handUpdate is a StateUpdate without the type of its state.
type handUpdate struct {
	as     string
	update update
}

func (c *program) updateState(ctx context.Context, key Key, supersteps [][]handUpdate) (_ Key, err error) {
	defer recoverAs(&err)
	if len(supersteps) == 0 {
		return key, fmt.Errorf("updating %s: %w: no supersteps", key, ErrInvalidUpdate)
	}
	release, r, err := c.writable(ctx, key)
	if err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	defer release()
	all := &gatherer{Checkpointer: c.saver}
	r.keep.saver = all
	for i, updates := range supersteps {
		if len(updates) == 0 {
			return key, fmt.Errorf("updating %s: %w: superstep %d has no updates", key, ErrInvalidUpdate, i)
		}
		if err := r.updateByHand(ctx, updates, len(supersteps) > 1 || len(updates) > 1); err != nil {
			return key, fmt.Errorf("updating %s: %w", key, err)
		}
	}
	if err := c.saver.Commit(context.WithoutCancel(ctx), key.Thread, all.change); err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	key.ID = r.keep.id
	return key, nil
}

// A gatherer makes one change of several, which others commit.
type gatherer struct {
	Checkpointer
	change Change
}

// Commit keeps an addition back.
func (g *gatherer) Commit(_ context.Context, _ string, change Change) error {
	g.change.Add = append(g.change.Add, change.Add...)
	g.change.Forget = append(g.change.Forget, change.Forget...)
	g.change.Records = append(g.change.Records, change.Records...)
	return nil
}

// Fork adds a checkpoint like the one that key names, with the same parent, so
// that a run can go on from there once more: its tasks run anew. It returns the
// new checkpoint's key.
func (c *program) Fork(ctx context.Context, key Key) (_ Key, err error) {
	defer recoverAs(&err)
	release, r, err := c.writable(ctx, key)
	if err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	defer release()
	if r.keep.id == "" {
		return key, fmt.Errorf("forking %s: %w", key, ErrNoCheckpoint)
	}
	id, err := following(r.keep.newest)
	if err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	same := r.point.Checkpoint
	if same.Base == same.ID {
		same.Base = id
	}
	same.ID, same.Source, same.Time = id, SourceFork, r.keep.timestamp()
	change := Change{Add: []Checkpoint{same}}
	if r.passed { // a run from there does not stop where it has stopped
		change.Records = []Record{r.keep.mark(id)}
	}
	if err := c.saver.Commit(context.WithoutCancel(ctx), key.Thread, change); err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	key.ID = id
	return key, nil
}

// writable reads a checkpoint into a run that may save.
func (c *program) writable(ctx context.Context, key Key) (release func(), r *run, err error) {
	if c.saver == nil {
		return nil, nil, ErrNoCheckpointer
	}
	if key.Thread == "" {
		return nil, nil, ErrNoThread
	}
	unlock, err := c.saver.Lock(ctx, key.Thread)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if release == nil { // an error, or a panic
			unlock()
		}
	}()
	p, newest, err := readBoth(ctx, c.saver, key)
	if err != nil && (key.ID != "" || !errors.Is(err, ErrNoCheckpoint)) {
		return nil, nil, err
	}
	if r, err = c.resting(key, p); err != nil {
		return nil, nil, err
	}
	r.keep.stamp = Checkpoint{Graph: c.name, Fingerprint: c.fingerprint, Version: c.version}
	if p == nil {
		return unlock, r, nil
	}
	r.keep.newest, r.point, r.lastRan = newest, p, p.ran
	r.passed = marked(p.records)
	r.keep.stamp.Metadata, r.keep.stamp.Run = p.Metadata, p.Run
	if key.ID == "" && !r.entering {
		if err := r.mergeEarly(); err != nil {
			return nil, nil, err
		}
		if r.kept, err = r.finished(); err != nil {
			return nil, nil, err
		}
		then := r.copied(r.now)
		if _, err := r.merge(then.kept, r.tally, r.kept); err != nil {
			r.kept = nil // in conflict; what is written by hand stands alone
		} else {
			r.show(&then)
			r.now = then
		}
	}
	return unlock, r, nil
}

// updateByHand makes one checkpoint of the updates of a superstep.
func (r *run) updateByHand(ctx context.Context, updates []handUpdate, named bool) error {
	as := updates[0].as
	if as == "" && len(updates) == 1 && !named {
		var err error
		if as, err = r.lastNode(); err != nil {
			return err
		}
	}
	if as == Input {
		return r.inputByHand(ctx, updates)
	}
	results := slices.Clone(r.kept)
	if len(results) > 0 { // they were merged for themselves, before the update: no delta says so
		r.keep.base = ""
	}
	was := r.dueNames()
	if r.entering { // what goes on by hand has left Start
		r.entering, r.leaves = false, true
		if _, err := r.merge(r.now.kept, r.tally, []result{{node: end, update: r.given}}); err != nil {
			return fmt.Errorf("merging the input: %w", err)
		}
	}
	r.expire(r.now.kept)
	r.next, r.sends = r.next[:0], r.sends[:0]
	r.step++
	var err error
	if as == Start || as == End {
		err = r.borderByHand(ctx, as, updates)
	} else {
		updates[0].as = as
		results, err = r.nodesByHand(ctx, updates, results)
	}
	if err != nil {
		return err
	}
	r.settle()
	// A run that has stopped before these nodes goes on with them.
	r.keep.halts = r.passed && slices.Equal(was, r.dueNames())
	err = r.save(ctx, SourceUpdate, results)
	r.kept, r.keep.left, r.early, r.leaves = nil, nil, nil, false
	return err
}

// inputByHand makes the update an input that is not committed.
func (r *run) inputByHand(ctx context.Context, updates []handUpdate) error {
	if len(updates) > 1 {
		return fmt.Errorf("%w: an update as Input stands alone", ErrInvalidUpdate)
	}
	if r.keep.id != "" {
		r.step++
	}
	r.clearFrontier()
	r.entering, r.origin, r.given = true, r.typ.copyOf(r.now.kept), updates[0].update
	if _, err := r.merge(r.typ.copyOf(r.now.kept), r.tally, []result{{node: end, update: r.given}}); err != nil {
		return err
	}
	r.lastRan = nil
	return r.save(ctx, SourceInput, r.kept)
}

// borderByHand leaves Start with an update, or ends everything with it.
func (r *run) borderByHand(ctx context.Context, as string, updates []handUpdate) error {
	if len(updates) > 1 {
		return fmt.Errorf("%w: an update as %s stands alone", ErrInvalidUpdate, as)
	}
	r.early = updates[0].update
	if _, err := r.merge(r.now.kept, r.tally, []result{{node: end, update: r.early}}); err != nil {
		return err
	}
	r.show(&r.now)
	if as == End {
		r.clearFrontier()
		return nil
	}
	r.leaves, r.lastRan = true, nil
	return r.leaveStart(ctx)
}

// nodesByHand merges updates in the names of nodes, after those of tasks that
// have finished, and queues what follows the nodes. The others have arrived at
// their joins.
func (r *run) nodesByHand(ctx context.Context, updates []handUpdate, results []result) ([]result, error) {
	var own []result
	for i, u := range updates {
		id := r.id(u.as)
		switch {
		case u.as == "":
			return nil, fmt.Errorf("%w: update %d does not say As which node it is made", ErrInvalidUpdate, i)
		case id < 0:
			return nil, fmt.Errorf("%w: no node %q to update as; known nodes: %s", ErrInvalidUpdate, u.as, orNone(r.names()))
		}
		t := &task{Context: ctx, run: &r.scope}
		t.node, t.step = u.as, int32(r.step)
		own = append(own, result{node: id, update: u.update, task: t})
	}
	slices.SortStableFunc(own, func(a, b result) int { return a.node - b.node })
	if _, err := r.merge(r.now.kept, r.tally, own); err != nil {
		return nil, err
	}
	r.show(&r.now)
	for i := range results {
		if !slices.ContainsFunc(results[i].update, func(w write) bool { return w.Op() == OpGoto }) {
			r.arrive(&r.nodes[results[i].node].exits)
		}
	}
	r.lastRan = nil
	for i := range own {
		res := &own[i]
		n := &r.nodes[res.node]
		if err := r.steer(res); err != nil {
			return nil, err
		}
		if !res.jumps {
			if err := r.route(res.task, n.name, &n.exits, r.now.shown, &res.chosen); err != nil {
				return nil, err
			}
		}
		r.leave(&n.exits, &res.chosen, res.jumps)
		r.lastRan = append(r.lastRan, savedTask{Node: n.name})
	}
	return append(results, own...), nil
}

// lastNode is the one node that ran last, or Start.
func (r *run) lastNode() (string, error) {
	var names []string
	for _, t := range r.lastRan {
		if t.Node != "" && t.Node != Start && !slices.Contains(names, t.Node) {
			names = append(names, t.Node)
		}
	}
	switch len(names) {
	case 0:
		return Start, nil
	case 1:
		return names[0], nil
	}
	return "", fmt.Errorf("%w: ambiguous: %s ran last, beside each other; say As which of them the update is made", ErrInvalidUpdate, orNone(names))
}
