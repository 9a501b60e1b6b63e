package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph/internal/machine"
)

// A StateUpdate is an update by hand, made as a node.
type StateUpdate[S any] struct {
	// As is the node that the update counts for; its successors run next. Input
	// saves the update as the input of the next run. Start triggers the
	// successors of Start, End triggers nothing, not even what finished tasks
	// lead to. Default: the node that ran last, or Start before the first. When
	// several ran last, or some tasks of a superstep have finished and others
	// have not, it is an error.
	As     string
	Update Update[S]
}

// Input is the StateUpdate.As of an input that no run has committed.
const Input = "__input__"

// UpdateState adds a checkpoint with an update by hand, and returns its key.
// The update applies to the key's checkpoint; an older one forks the thread.
// Without an ID it applies to the newest, with the writes of finished tasks of
// the unfinished superstep. A missing thread begins with it.
//
// Routers run on the updated state; nodes do not. A Command in the update is
// followed. The update ends an unfinished superstep: finished tasks lead where
// they would have led, and tasks that wait or failed are dropped, also those of
// other nodes. To keep them, answer their interrupts instead.
//
// The key of a graph inside a node that waits, see TaskState.Child, is for that
// graph's own UpdateState and Fork. The graph goes on from the new checkpoint
// when the outer thread is resumed. Once its node has finished, UpdateState is
// refused, and Fork makes the node due again.
func (c *Compiled[S]) UpdateState(ctx context.Context, key Key, update StateUpdate[S]) (Key, error) {
	return c.BulkUpdateState(ctx, key, [][]StateUpdate[S]{{update}})
}

// BulkUpdateState is UpdateState for several supersteps, each with the updates
// of its nodes. Each superstep makes one checkpoint. All are saved, or none.
func (c *Compiled[S]) BulkUpdateState(ctx context.Context, key Key, supersteps [][]StateUpdate[S]) (Key, error) {
	plain := make([][]handUpdate, len(supersteps))
	for i, updates := range supersteps {
		for _, u := range updates {
			plain[i] = append(plain[i], handUpdate{u.As, inputOf(u.Update)})
		}
	}
	return c.plain.updateState(ctx, key, plain)
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
	release, pos, _, err := c.openThread(ctx, key)
	if err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	defer release()
	if err := checkWaits(ctx, c.saver, key, pos.ledger.owner); err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	var all Change
	for i, updates := range supersteps {
		if len(updates) == 0 {
			return key, fmt.Errorf("updating %s: %w: superstep %d has no updates", key, ErrInvalidUpdate, i)
		}
		change, err := pos.edit(ctx, updates, len(supersteps) > 1 || len(updates) > 1)
		if err != nil {
			return key, fmt.Errorf("updating %s: %w", key, err)
		}
		all.extend(*change)
	}
	setTimes(all.Add, c.clock)
	if err := c.saver.Commit(context.WithoutCancel(ctx), key.Thread, all); err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	key.ID = pos.ledger.id
	return key, nil
}

// Fork copies the key's checkpoint, with the same parent, and returns the
// copy's key. A run from there runs its tasks anew.
//
// Fork of a graph inside a node that has finished also forks the outer graphs,
// at the checkpoints before their nodes. The key that it returns is in another
// namespace, unless the graph keeps its state. Resume of the outer thread runs
// the node again, and the graph in it goes on from the copy; other nodes of
// those supersteps run again, too.
func (c *Compiled[S]) Fork(ctx context.Context, key Key) (Key, error) {
	return c.plain.fork(ctx, key)
}

func (c *program) fork(ctx context.Context, key Key) (_ Key, err error) {
	defer recoverAs(&err)
	release, pos, p, err := c.openThread(ctx, key)
	if err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	defer release()
	if p == nil {
		return key, fmt.Errorf("forking %s: %w", key, ErrNoCheckpoint)
	}
	if err := checkWaits(ctx, c.saver, key, pos.ledger.owner); errors.Is(err, ErrInvalidUpdate) {
		f := &threadFork{ctx: ctx, saver: c.saver, thread: key.Thread}
		inside, err := f.inside(p)
		if err == nil {
			setTimes(f.rows, c.clock)
			err = c.saver.Commit(context.WithoutCancel(ctx), key.Thread, Change{Add: f.rows})
		}
		if err != nil {
			return key, fmt.Errorf("forking %s: %w", key, err)
		}
		return inside, nil
	} else if err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	id, err := nextID(pos.ledger.newest)
	if err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	same := p.Checkpoint
	if same.Base == same.ID {
		same.Base = id
	}
	same.ID, same.Source = id, SourceFork
	change := Change{Add: []Checkpoint{same}}
	setTimes(change.Add, c.clock)
	if pos.how.Stopped { // a run from there does not stop where it has stopped
		change.Records = []Record{pos.ledger.breakpointRecord(id)}
	}
	if err := c.saver.Commit(context.WithoutCancel(ctx), key.Thread, change); err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	key.ID = id
	return key, nil
}

// openThread locks a thread and reads a checkpoint into a position for edits.
// The point is nil for a missing thread.
func (c *program) openThread(ctx context.Context, key Key) (release func(), pos *position, p *point, err error) {
	if err := c.checkThread(key.Thread); err != nil {
		return nil, nil, nil, err
	}
	unlock, err := c.saver.Lock(ctx, key.Thread)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if release == nil { // an error, or a panic
			unlock()
		}
	}()
	p, newest, err := readBoth(ctx, c.saver, key)
	if err != nil && (key.ID != "" || !errors.Is(err, ErrNoCheckpoint)) {
		return nil, nil, nil, err
	}
	if pos, err = c.positionAt(key, p); err != nil {
		return nil, nil, nil, err
	}
	stamp := Checkpoint{Graph: c.name, Fingerprint: c.fingerprint, Version: c.version}
	if p == nil {
		pos.ledger.setTemplate(stamp)
		return unlock, pos, nil, nil
	}
	pos.ledger.newest, pos.lastRan = newest, p.ran
	pos.how.Stopped = stoppedAtBreakpoint(p.records)
	stamp.Metadata, stamp.Run = p.Metadata, p.Run
	pos.ledger.setTemplate(stamp)
	if key.ID == "" {
		if err := pos.keepFinishedTasks(); err != nil {
			return nil, nil, nil, err
		}
	}
	return unlock, pos, p, nil
}

// checkWaits refuses an edit of a subgraph whose node has finished, also further
// out: the outer run would not see it.
func checkWaits(ctx context.Context, saver Checkpointer, key Key, owner string) error {
	for inside := key.Namespace; inside != ""; {
		outer := inside[:max(0, strings.LastIndex(inside, "/"))]
		p, err := readPoint(ctx, saver, Key{key.Thread, outer, ""})
		if err != nil {
			return err
		}
		if owner == "" || !p.waits(owner) {
			return fmt.Errorf("%w: no node waits for the graph in namespace %q, so the run would not see the edit: Fork of this key makes the node due again, and returns the key to edit", ErrInvalidUpdate, inside)
		}
		inside, owner = outer, p.last.Owner
	}
	return nil
}

// dueTask returns the node of a task that is due after a checkpoint, and its
// position among the Sends.
func (s *saved) dueTask(c Checkpoint, task string) (node string, send int, is bool) {
	for _, name := range s.Next {
		if taskID(c.Namespace, c.ID, c.Step+1, name, 0) == task {
			return name, 0, true
		}
	}
	for i, send := range s.Sends {
		if taskID(c.Namespace, c.ID, c.Step+1, send.Node, i+1) == task {
			return send.Node, i + 1, true
		}
	}
	return "", 0, false
}

// waits reports whether a task of the superstep after the checkpoint is unfinished.
func (p *point) waits(task string) bool {
	_, _, known := p.last.dueTask(p.Checkpoint, task)
	for _, r := range p.records { // also of a task that a Command given to Resume led to
		if r.Task == task && r.Kind == RecordUpdate {
			return false
		}
		known = known || r.Task == task
	}
	return known
}

// keepFinishedTasks merges the updates of finished tasks as a superstep does,
// unless they conflict. An update by hand follows them.
func (pos *position) keepFinishedTasks() error {
	if pos.machine.Entering() {
		return nil
	}
	err := pos.commitResumeUpdates()
	if err == nil {
		pos.finishedBefore, err = pos.finishedTasks()
	}
	if err != nil || len(pos.finishedBefore) == 0 {
		return err
	}
	before := pos.program.copied(pos.now)
	pos.program.expire(pos.now.writable)
	if then, _, err := pos.mergedWith(pos.finishedBefore); err == nil {
		pos.now, pos.finishedOn = then, before.shown
	} else {
		pos.now, pos.finishedBefore = before, nil
	}
	return nil
}

// edit makes one superstep of updates by hand, and the change that saves it. It
// calls routers.
func (pos *position) edit(ctx context.Context, updates []handUpdate, named bool) (_ *Change, err error) {
	as := updates[0].as
	if as == "" && len(updates) == 1 && !named {
		if as, err = pos.lastNode(); err != nil {
			return nil, err
		}
	}
	if as == Input {
		return pos.inputByHand(updates)
	}
	pos.editRan = slices.Clone(pos.finishedBefore)
	if len(pos.editRan) > 0 { // they were merged before the update, and no delta contains that
		pos.ledger.base = ""
	}
	due, entering := pos.dueNames(), pos.machine.Entering()
	if entering { // an edit leaves Start
		pos.ledger.base = "" // the input is an earlier superstep, and no delta contains it
		if err := pos.mergeInput(pos.now.writable, pos.turnInput); err != nil {
			return nil, fmt.Errorf("merging the input: %w", err)
		}
	}
	// Without an expiry, the superstep of the input is still to come, or that of the finished tasks has begun.
	if !(entering && as == Start) && len(pos.finishedBefore) == 0 {
		pos.program.expire(pos.now.writable)
	}
	pos.machine.Skip()
	var edits []result
	if as == Start || as == End {
		edits, err = pos.borderByHand(as, updates)
	} else {
		updates[0].as = as
		edits, err = pos.nodesByHand(updates)
	}
	if err == nil {
		err = pos.lead(ctx, edits)
	}
	if err != nil {
		return nil, err
	}
	// A run that has already stopped before these nodes runs them next.
	pos.ledger.stopsAtBreakpoint = pos.how.Stopped && slices.Equal(due, pos.dueNames())
	change, err := pos.makeCheckpoint(SourceUpdate, pos.editRan)
	pos.finishedBefore, pos.resumeUpdates = nil, nil
	return change, err
}

// lead calls the routers of nodes that have run by hand, and of finished tasks
// on the state that these had, and makes what they lead to due. No nodes lead
// nowhere.
func (pos *position) lead(ctx context.Context, by []result) error {
	p := pos.program
	if len(by) == 0 {
		pos.machine.Edit(nil)
		pos.machine.Clear()
		return nil
	}
	var edits []machine.Edit
	add := func(res *result, state any) (err error) {
		if res.node != atStart {
			if err := pos.applyCommands(res); err != nil {
				return pos.nodeError(res, err)
			}
		}
		if !res.chosen.Jumps {
			err = p.route(ctx, p.writer(res.node), p.branchesOf(res.node), state, &res.chosen)
		}
		edits = append(edits, machine.Edit{Node: res.node, Choice: &res.chosen})
		return err
	}
	for i := range pos.finishedBefore {
		own := p.typ.copyOf(pos.finishedOn)
		if _, err := pos.merge(own, &pos.tally, pos.finishedBefore[i:i+1]); err != nil {
			return err
		}
		p.clip(own)
		if err := add(&pos.finishedBefore[i], own); err != nil {
			return err
		}
	}
	for i := range by {
		if err := add(&by[i], pos.now.shown); err != nil {
			return err
		}
	}
	pos.machine.Edit(edits)
	return nil
}

// inputByHand saves the update as an uncommitted input.
func (pos *position) inputByHand(updates []handUpdate) (*Change, error) {
	if len(updates) > 1 {
		return nil, fmt.Errorf("%w: an update as Input must be the only one", ErrInvalidUpdate)
	}
	if pos.ledger.id != "" {
		pos.machine.Skip()
	}
	pos.machine.Clear()
	pos.machine.Enter(false)
	pos.origin, pos.turnInput = pos.program.typ.copyOf(pos.now.writable), updates[0].update
	if err := pos.mergeInput(pos.program.typ.copyOf(pos.now.writable), pos.turnInput); err != nil {
		return nil, err
	}
	pos.lastRan = nil
	return pos.makeCheckpoint(SourceInput, pos.finishedBefore)
}

// borderByHand leaves Start with an update, or ends the thread's work with it.
func (pos *position) borderByHand(as string, updates []handUpdate) ([]result, error) {
	if len(updates) > 1 {
		return nil, fmt.Errorf("%w: an update as %s must be the only one", ErrInvalidUpdate, as)
	}
	pos.resumeUpdates = []update{updates[0].update}
	if err := pos.mergeInput(pos.now.writable, updates[0].update); err != nil {
		return nil, err
	}
	pos.program.show(&pos.now)
	if as == End {
		return nil, nil
	}
	pos.lastRan = nil
	return []result{{node: atStart}}, nil
}

// nodesByHand merges updates as nodes, after the updates of finished tasks.
func (pos *position) nodesByHand(updates []handUpdate) ([]result, error) {
	var own []result
	for i, u := range updates {
		id := pos.program.nodeID(u.as)
		switch {
		case u.as == "":
			return nil, fmt.Errorf("%w: update %d names no node: set StateUpdate.As", ErrInvalidUpdate, i)
		case id < 0:
			return nil, fmt.Errorf("%w: no node %q to update as; known nodes: %s", ErrInvalidUpdate, u.as, orNone(pos.program.names()))
		}
		own = append(own, result{node: id, update: u.update})
	}
	slices.SortStableFunc(own, func(a, b result) int { return a.node - b.node })
	if _, err := pos.merge(pos.now.writable, &pos.tally, own); err != nil {
		return nil, err
	}
	pos.program.show(&pos.now)
	pos.lastRan = nil
	for i := range own {
		pos.lastRan = append(pos.lastRan, savedTask{Node: pos.program.writer(own[i].node)})
	}
	pos.editRan = append(pos.editRan, own...)
	return own, nil
}

// lastNode returns the one node that ran last, or Start.
func (pos *position) lastNode() (string, error) {
	if len(pos.finishedBefore) > 0 {
		return "", fmt.Errorf("%w: ambiguous: some tasks of a superstep have finished, and others have not: set StateUpdate.As", ErrInvalidUpdate)
	}
	var names []string
	for _, t := range pos.lastRan {
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
	return "", fmt.Errorf("%w: ambiguous: %s ran last at the same time: set StateUpdate.As to one of them", ErrInvalidUpdate, orNone(names))
}
