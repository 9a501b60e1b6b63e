package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// A StateSnapshot is a thread at one of its checkpoints.
type StateSnapshot[S any] struct {
	// State is the checkpoint's state, including the channels that Output
	// hides. Without an ID in the key it also has the writes of finished tasks
	// of the unfinished superstep.
	State    S
	Key      Key
	Parent   string
	Source   Source
	Step     int
	Time     time.Time
	Run      string
	Metadata map[string]string
	// Next names the nodes that are due, once for each of their tasks. Without
	// an ID in the key it leaves out finished tasks, unless there is a
	// Conflict. It is Start before the input is committed.
	Next []string
	// Tasks are the known tasks of the superstep after the checkpoint: tasks
	// that are due, or that ran.
	Tasks []TaskState[S]
	// Interrupts wait for answers.
	Interrupts []PendingInterrupt
	// Conflict is why the updates of finished tasks cannot be merged. State
	// then lacks them.
	Conflict error
}

// A TaskState is a task of a superstep.
type TaskState[S any] struct {
	ID         string
	Node       string
	Send       int // position among the superstep's Sends, 1 for the first; 0 when edges triggered the node
	Done       bool
	Update     Update[S] // set for a finished task; nil when an older graph version returned it, or the next checkpoint is broken
	Failure    string    // of its last failed attempt, if any
	Interrupts []PendingInterrupt
	// Child is the key of a graph inside the node; see With.
	Child Key
}

// With returns the graph with a checkpointer. Use it to read a subgraph's
// threads with the subgraph's types.
func (c *Compiled[S]) With(saver Checkpointer) *Compiled[S] {
	own := *c.plain
	own.saver = saver
	return &Compiled[S]{&own}
}

// State returns the current state of a thread, or the state of the key's checkpoint when it has an
// ID. It only reads, and does not disturb a run of the thread. A missing thread is ErrNoCheckpoint.
func (c *Compiled[S]) State(ctx context.Context, key Key) (*StateSnapshot[S], error) {
	d, err := c.plain.stateAt(ctx, key)
	return snapshotOf[S](d), err
}

// A described is a StateSnapshot without the type of its state.
type described struct {
	StateSnapshot[struct{}]
	state   any
	updates []update // by task
}

func snapshotOf[S any](d *described) *StateSnapshot[S] {
	if d == nil {
		return nil
	}
	out := &StateSnapshot[S]{
		State: *d.state.(*S), Key: d.Key, Parent: d.Parent, Source: d.Source, Step: d.Step, Time: d.Time, Run: d.Run,
		Metadata: d.Metadata, Next: d.Next, Interrupts: d.Interrupts, Conflict: d.Conflict,
	}
	for i, t := range d.Tasks {
		out.Tasks = append(out.Tasks, TaskState[S]{t.ID, t.Node, t.Send, t.Done, typed[S](d.updates[i]), t.Failure, t.Interrupts, t.Child})
	}
	return out
}

func (c *program) stateAt(ctx context.Context, key Key) (_ *described, err error) {
	defer recoverAs(&err)
	pos, p, err := c.readPosition(ctx, key)
	if err != nil {
		return nil, err
	}
	var next ranTasks
	for child, err := range c.saver.List(ctx, Query{Thread: key.Thread, Namespace: key.Namespace, Parent: p.ID, Source: SourceLoop}) {
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", key, err)
		}
		s, err := readSaved(child)
		if err != nil {
			return nil, err
		}
		next = ranTasks{child.Step, s.Tasks}
	}
	return pos.describe(p, next.after(p), key.ID == "")
}

// readPosition reads a checkpoint into a position that will not run.
func (c *program) readPosition(ctx context.Context, key Key) (*position, *point, error) {
	if err := c.checkThread(key.Thread); err != nil {
		return nil, nil, err
	}
	p, err := readPoint(ctx, c.saver, key)
	if err != nil {
		return nil, nil, err
	}
	pos, err := c.positionAt(key, p)
	return pos, p, err
}

func (c *program) checkThread(thread string) error {
	switch {
	case c.saver == nil:
		return ErrNoCheckpointer
	case thread == "":
		return ErrNoThread
	}
	return nil
}

// positionAt returns a position at a checkpoint.
func (c *program) positionAt(key Key, p *point) (*position, error) {
	pos := new(position)
	pos.now, pos.nextShown = c.newSnapshot(), c.typ.fresh()
	pos.init(c)
	pos.ledger = &ledger{thread: key.Thread, namespace: key.Namespace}
	if p == nil {
		return pos, nil
	}
	pos.ledger.owner = p.last.Owner
	return pos, pos.adopt(p)
}

// describe returns the snapshot of the current checkpoint. Ran holds the tasks
// after it, if their superstep was committed.
func (pos *position) describe(p *point, ran []savedTask, merged bool) (*described, error) {
	s := &described{StateSnapshot: StateSnapshot[struct{}]{
		Key: Key{pos.ledger.thread, pos.ledger.namespace, p.ID}, Parent: p.Parent, Source: p.Source, Step: p.Step,
		Time: p.Time, Run: p.Run, Metadata: p.Metadata,
	}}
	if merged {
		if err := pos.tryResumeUpdates(); err != nil {
			s.Conflict = err
		}
	}
	var err error
	if err = pos.taskStates(s, p, ran); err != nil {
		return nil, err
	}
	pending, err := pendingOf(pos.ledger.pendingWrites, pos.taskIDs())
	if err != nil {
		return nil, err
	}
	s.Interrupts = asked(pending)
	if s.Next = pos.comingNames(); merged && ran == nil && !pos.machine.Entering() {
		s.Next = s.Next[:0]
		for _, t := range s.Tasks {
			if !t.Done {
				s.Next = append(s.Next, t.Node)
			}
		}
		if err := pos.mergeFinished(); err != nil {
			s.Conflict, s.Next = err, pos.comingNames()
		}
	}
	s.state = pos.now.shown
	return s, nil
}

// ranTasks are the tasks whose superstep made a checkpoint.
type ranTasks struct {
	step  int
	tasks []savedTask
}

// after returns the tasks of the superstep after a checkpoint. When that
// superstep's checkpoint was removed, a later one may have its place.
func (r ranTasks) after(p *point) []savedTask {
	if r.step != p.Step+1 {
		return nil
	}
	return r.tasks
}

// tryResumeUpdates merges updates given with answers to an uncommitted
// superstep. On an error the state does not change.
func (pos *position) tryResumeUpdates() error {
	was := pos.program.copied(pos.now)
	if err := pos.mergeResumeUpdates(); err != nil {
		pos.now, pos.resumeUpdates = was, nil
		return err
	}
	return nil
}

// mergeFinished merges the updates of finished tasks, unless they conflict.
func (pos *position) mergeFinished() error {
	finished, err := pos.finishedTasks()
	if err != nil {
		return err
	}
	then, _, err := pos.mergedWith(finished)
	if err == nil {
		pos.now = then
	}
	return err
}

// taskStates describes the tasks after the current checkpoint.
func (pos *position) taskStates(s *described, p *point, ran []savedTask) error {
	if pos.machine.Entering() {
		s.Tasks = []TaskState[struct{}]{{Node: Start, ID: taskID(pos.ledger.namespace, pos.ledger.id, p.Step+1, Start, 0), Done: ran != nil}}
		s.updates = []update{pos.turnInput}
		return nil
	}
	ran = slices.DeleteFunc(slices.Clone(ran), func(t savedTask) bool { return t.Node == "" || t.Node == Start })
	byTask := pos.ledger.recordsByTask()
	pending, err := pendingBy(pos.ledger.pendingWrites)
	if err != nil {
		return err
	}
	for i, name := range pos.dueNames() {
		_, send := pos.machine.Task(i)
		t, wrote := TaskState[struct{}]{ID: taskID(pos.ledger.namespace, pos.ledger.id, p.Step+1, name, send), Node: name, Send: send}, update(nil)
		records := byTask[t.ID]
		if data, ok := records[recordKey{RecordError, ""}]; ok {
			var f savedFailure
			if err := decodeInto(data, &f); err != nil {
				return fmt.Errorf("reading the failure of node %q: %w", name, err)
			}
			t.Failure = f.Message
		}
		switch data, ok := records[recordKey{RecordUpdate, ""}]; {
		case i < len(ran) && ran[i].Node == name:
			t.Done = true
			if !p.older {
				wrote, _ = pos.program.readUpdate(ran[i].Update) // an error means that the next checkpoint is broken; reading that checkpoint reports it
			}
		case ok:
			t.Done = true
			wrote, err = pos.program.decodeUpdate(data)
		}
		if err != nil {
			return fmt.Errorf("reading what node %q returned: %w", name, err)
		}
		if !t.Done {
			t.Interrupts = asked(pending[t.ID])
		}
		if n := &pos.program.nodes[pos.program.nodeID(name)]; n.inner != nil && n.persistence != PersistNever {
			t.Child = Key{Thread: pos.ledger.thread, Namespace: childNamespace(pos.ledger.namespace, name, t.ID, "", n.persistence.keeps(send > 0))}
		}
		s.Tasks, s.updates = append(s.Tasks, t), append(s.updates, wrote)
	}
	return nil
}

// historySnapshot returns a checkpoint for History.
func (c *program) historySnapshot(ctx context.Context, key Key, ran ranTasks) (_ *described, err error) {
	defer recoverAs(&err)
	pos, p, err := c.readPosition(ctx, key)
	if err != nil {
		return nil, err
	}
	return pos.describe(p, ran.after(p), false)
}

// HistoryOptions select checkpoints of a thread. Nil is the zero value.
type HistoryOptions struct {
	Namespace string            // of a subgraph; see TaskState.Child
	Before    string            // older than this ID. Default: all
	Source    Source            // with this source. Default: all
	Run       string            // of this run. Default: all
	Metadata  map[string]string // with all these entries. Default: all
	Limit     int               // maximum number. Default: all
}

// History yields a thread's snapshots, newest first, without uncommitted
// writes. It yields an unreadable checkpoint as an error, and continues with
// the next. A missing thread has no snapshots.
func (c *Compiled[S]) History(ctx context.Context, thread string, opts *HistoryOptions) iter.Seq2[*StateSnapshot[S], error] {
	return mapped(c.plain.history(ctx, thread, opts), snapshotOf[S])
}

func (c *program) history(ctx context.Context, thread string, opts *HistoryOptions) iter.Seq2[*described, error] {
	if opts == nil {
		opts = &HistoryOptions{}
	}
	return func(yield func(*described, error) bool) {
		if c.saver == nil {
			yield(nil, ErrNoCheckpointer)
			return
		}
		wanted := Query{Namespace: opts.Namespace, Before: opts.Before, Source: opts.Source, Run: opts.Run, Metadata: maps.Clone(opts.Metadata)}
		ran := map[string]ranTasks{} // by the checkpoint that the tasks ran on
		n := 0
		for row, err := range c.saver.List(ctx, Query{Thread: thread, Namespace: opts.Namespace}) {
			if err != nil {
				yield(nil, fmt.Errorf("listing thread %q: %w", thread, err))
				return
			}
			saved, err := readSaved(row)
			if err == nil && row.Source == SourceLoop {
				ran[row.Parent] = ranTasks{row.Step, saved.Tasks}
			}
			if !wanted.Matches(row) {
				continue
			}
			var snap *described
			if err == nil {
				snap, err = c.historySnapshot(ctx, Key{thread, opts.Namespace, row.ID}, ran[row.ID])
			}
			if errors.Is(err, ErrNoCheckpoint) {
				continue // pruned meanwhile
			}
			if !yield(snap, err) {
				return
			}
			if n++; n == opts.Limit {
				return
			}
		}
	}
}
