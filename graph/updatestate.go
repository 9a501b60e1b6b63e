package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
// when the outer thread is resumed. Once its node has finished, both are refused.
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
	release, m, _, err := c.openThread(ctx, key)
	if err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	defer release()
	var all Change
	for i, updates := range supersteps {
		if len(updates) == 0 {
			return key, fmt.Errorf("updating %s: %w: superstep %d has no updates", key, ErrInvalidUpdate, i)
		}
		var out output
		if m.edit(&out, updates, len(supersteps) > 1 || len(updates) > 1); out.routes {
			m.routersDone(&out, c.askEditRouters(ctx, m))
		}
		if m.err != nil {
			return key, fmt.Errorf("updating %s: %w", key, m.err)
		}
		all.extend(*out.save)
		m.commitDone(&out, nil)
	}
	setTimes(all.Add, c.clock)
	if err := c.saver.Commit(context.WithoutCancel(ctx), key.Thread, all); err != nil {
		return key, fmt.Errorf("updating %s: %w", key, err)
	}
	key.ID = m.id
	return key, nil
}

// askEditRouters calls the routers of finished tasks, each on the state that it
// had, and of the updates.
func (p *program) askEditRouters(ctx context.Context, m *machine) error {
	finished := len(m.finishedBefore)
	for i := range finished {
		own := p.typ.copyOf(m.finishedOn)
		if _, err := m.merge(own, &m.tally, m.finishedBefore[i:i+1]); err != nil {
			return err
		}
		p.clip(own)
		if err := p.askRouters(ctx, m.edits[i:i+1], own); err != nil {
			return err
		}
	}
	return p.askRouters(ctx, m.edits[finished:], m.now.shown)
}

// askRouters calls the routers of nodes that have run.
func (p *program) askRouters(ctx context.Context, asked []result, state any) error {
	for i := range asked {
		res := &asked[i]
		if res.jumps {
			continue
		}
		if err := p.route(ctx, p.writer(res.node), p.exits(res.node), state, &res.chosen); err != nil {
			return err
		}
	}
	return nil
}

// Fork copies the key's checkpoint, with the same parent, and returns the
// copy's key. A run from there runs its tasks anew.
func (c *Compiled[S]) Fork(ctx context.Context, key Key) (Key, error) {
	return c.plain.fork(ctx, key)
}

func (c *program) fork(ctx context.Context, key Key) (_ Key, err error) {
	defer recoverAs(&err)
	release, m, p, err := c.openThread(ctx, key)
	if err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	defer release()
	if p == nil {
		return key, fmt.Errorf("forking %s: %w", key, ErrNoCheckpoint)
	}
	id, err := nextID(m.newest)
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
	if m.stoppedBefore { // a run from there does not stop where it has stopped
		change.Records = []Record{m.breakpointRecord(id)}
	}
	if err := c.saver.Commit(context.WithoutCancel(ctx), key.Thread, change); err != nil {
		return key, fmt.Errorf("forking %s: %w", key, err)
	}
	key.ID = id
	return key, nil
}

// openThread locks a thread and reads a checkpoint into a machine for edits.
// The point is nil for a missing thread.
func (c *program) openThread(ctx context.Context, key Key) (release func(), m *machine, p *point, err error) {
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
	if m, err = c.machineAt(key, p); err != nil {
		return nil, nil, nil, err
	}
	if err := checkWaits(ctx, c.saver, key, m.owner); err != nil {
		return nil, nil, nil, err
	}
	stamp := Checkpoint{Graph: c.name, Fingerprint: c.fingerprint, Version: c.version}
	if p == nil {
		m.setTemplate(stamp)
		return unlock, m, nil, nil
	}
	m.newest, m.lastRan = newest, p.ran
	m.stoppedBefore = stoppedAtBreakpoint(p.records)
	stamp.Metadata, stamp.Run = p.Metadata, p.Run
	m.setTemplate(stamp)
	if key.ID == "" {
		if err := m.keepFinishedTasks(); err != nil {
			return nil, nil, nil, err
		}
	}
	return unlock, m, p, nil
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
		if owner == "" || !p.waits(outer, owner) {
			return fmt.Errorf("%w: no node waits for the graph in namespace %q, so the run would not see the edit: fork the outer graph at a checkpoint before that node, and resume it until the graph waits", ErrInvalidUpdate, inside)
		}
		inside, owner = outer, p.last.Owner
	}
	return nil
}

// waits reports whether a task of the superstep after the checkpoint is unfinished.
func (p *point) waits(namespace, task string) bool {
	known := false
	for _, name := range p.last.Next {
		known = known || taskID(namespace, p.ID, p.Step+1, name, 0) == task
	}
	for i, s := range p.last.Sends {
		known = known || taskID(namespace, p.ID, p.Step+1, s.Node, i+1) == task
	}
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
func (m *machine) keepFinishedTasks() error {
	if m.entering {
		return nil
	}
	err := m.commitResumeUpdates()
	if err == nil {
		m.finishedBefore, err = m.finishedTasks()
	}
	if err != nil || len(m.finishedBefore) == 0 {
		return err
	}
	before := m.copied(m.now)
	m.expire(m.now.writable)
	if then, _, err := m.mergedWith(m.finishedBefore); err == nil {
		m.now, m.finishedOn = then, before.shown
	} else {
		m.now, m.finishedBefore = before, nil
	}
	return nil
}

// edit makes one superstep of updates by hand. Its output is a change to
// commit, or routers to call first.
func (m *machine) edit(out *output, updates []handUpdate, named bool) {
	if m.err = m.editOnce(out, updates, named); m.err == nil && out.save == nil && !out.routes {
		m.finishEdit(out)
	}
}

func (m *machine) editOnce(out *output, updates []handUpdate, named bool) (err error) {
	as := updates[0].as
	if as == "" && len(updates) == 1 && !named {
		if as, err = m.lastNode(); err != nil {
			return err
		}
	}
	if as == Input {
		return m.inputByHand(out, updates)
	}
	m.editRan = slices.Clone(m.finishedBefore)
	if len(m.editRan) > 0 { // they were merged before the update, and no delta contains that
		m.base = ""
	}
	m.editDue = m.dueNames()
	if m.entering { // an edit leaves Start
		m.entering, m.leavesStart = false, true
		m.base = "" // the input is an earlier superstep, and no delta contains it
		if err := m.mergeInput(m.now.writable, m.turnInput); err != nil {
			return fmt.Errorf("merging the input: %w", err)
		}
	}
	// Without an expiry, the superstep of the input is still to come, or that of the finished tasks has begun.
	if !(m.leavesStart && as == Start) && len(m.finishedBefore) == 0 {
		m.expire(m.now.writable)
	}
	m.next, m.sends = m.next[:0], m.sends[:0]
	m.step++
	if as == Start || as == End {
		return m.borderByHand(out, as, updates)
	}
	updates[0].as = as
	return m.nodesByHand(out, updates)
}

// finishEdit queues the successors of the edits, and makes a checkpoint.
func (m *machine) finishEdit(out *output) {
	for i := range m.edits {
		res := &m.edits[i]
		m.queueSuccessors(m.exits(res.node), &res.chosen, res.jumps)
	}
	m.edits = nil
	m.arrange()
	// A run that has already stopped before these nodes runs them next.
	m.stopsAtBreakpoint = m.stoppedBefore && slices.Equal(m.editDue, m.dueNames())
	if m.err = m.makeCheckpoint(out, SourceUpdate, m.editRan); m.err != nil {
		return
	}
	m.finishedBefore, m.resumeUpdates, m.leavesStart = nil, nil, false
}

// inputByHand saves the update as an uncommitted input.
func (m *machine) inputByHand(out *output, updates []handUpdate) error {
	if len(updates) > 1 {
		return fmt.Errorf("%w: an update as Input must be the only one", ErrInvalidUpdate)
	}
	if m.id != "" {
		m.step++
	}
	m.clearFrontier()
	m.entering, m.origin, m.turnInput = true, m.typ.copyOf(m.now.writable), updates[0].update
	if err := m.mergeInput(m.typ.copyOf(m.now.writable), m.turnInput); err != nil {
		return err
	}
	m.lastRan = nil
	return m.makeCheckpoint(out, SourceInput, m.finishedBefore)
}

// borderByHand leaves Start with an update, or ends the thread's work with it.
func (m *machine) borderByHand(out *output, as string, updates []handUpdate) error {
	if len(updates) > 1 {
		return fmt.Errorf("%w: an update as %s must be the only one", ErrInvalidUpdate, as)
	}
	m.resumeUpdates = []update{updates[0].update}
	if err := m.mergeInput(m.now.writable, updates[0].update); err != nil {
		return err
	}
	m.show(&m.now)
	if as == End {
		m.clearFrontier()
		return nil
	}
	m.leavesStart, m.lastRan = true, nil
	return m.leadOn(out, []result{{node: atStart}})
}

// nodesByHand merges updates as nodes, after the updates of finished tasks.
func (m *machine) nodesByHand(out *output, updates []handUpdate) error {
	var own []result
	for i, u := range updates {
		id := m.nodeID(u.as)
		switch {
		case u.as == "":
			return fmt.Errorf("%w: update %d names no node: set StateUpdate.As", ErrInvalidUpdate, i)
		case id < 0:
			return fmt.Errorf("%w: no node %q to update as; known nodes: %s", ErrInvalidUpdate, u.as, orNone(m.names()))
		}
		own = append(own, result{node: id, update: u.update})
	}
	slices.SortStableFunc(own, func(a, b result) int { return a.node - b.node })
	if _, err := m.merge(m.now.writable, &m.tally, own); err != nil {
		return err
	}
	m.show(&m.now)
	m.lastRan = nil
	for i := range own {
		if err := m.applyCommands(&own[i]); err != nil {
			return m.nodeError(&own[i], err)
		}
		m.lastRan = append(m.lastRan, savedTask{Node: m.writer(own[i].node)})
	}
	m.editRan = append(m.editRan, own...)
	return m.leadOn(out, own)
}

// leadOn calls the routers of finished tasks and of updates.
func (m *machine) leadOn(out *output, own []result) error {
	for i := range m.finishedBefore {
		if err := m.applyCommands(&m.finishedBefore[i]); err != nil {
			return m.nodeError(&m.finishedBefore[i], err)
		}
	}
	m.edits, out.routes = slices.Concat(m.finishedBefore, own), true
	return nil
}

// lastNode returns the one node that ran last, or Start.
func (m *machine) lastNode() (string, error) {
	if len(m.finishedBefore) > 0 {
		return "", fmt.Errorf("%w: ambiguous: some tasks of a superstep have finished, and others have not: set StateUpdate.As", ErrInvalidUpdate)
	}
	var names []string
	for _, t := range m.lastRan {
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
