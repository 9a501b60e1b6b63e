package graph

import (
	"encoding/json"
	"fmt"

	"example.com/assay/graph/internal/machine"
)

// An entrance holds how a run begins or resumes.
type entrance struct {
	turnInput      update                     // the input
	lost           error                      // why the input, saved by an older version, cannot be decoded
	origin         any                        // the state before the input
	finishedBefore []result                   // finished tasks of the superstep that the input ended
	stateFrom      *stateRef                  // the other checkpoint that holds the first state; nil for none
	resumeAnswers  []Answer                   // answers to interrupts
	resumeUpdate   update                     // writes given with them
	resumeUpdates  []update                   // these and earlier ones, merged before the superstep
	answers        map[string]json.RawMessage // recorded, by place of the interrupt
}

// begin starts a run at the state of its thread with an input. A subgraph
// continues when its task does. The point is nil for a new thread.
func (pos *position) begin(in update, p *point, opts *RunOptions) error {
	if len(opts.Resume) > 0 {
		return fmt.Errorf("%w: an input begins a turn, in which nothing is asked yet: call Resume to answer", ErrAnswer)
	}
	if pos.ledger == nil {
		if in == nil {
			return ErrEmptyInput
		}
		return pos.start(in)
	}
	outermost := pos.ledger.owner == ""
	switch {
	case p == nil && in == nil:
		return fmt.Errorf("thread %q does not exist: %w", pos.ledger.thread, ErrEmptyInput)
	case p == nil:
		pos.turnInput = in
		return pos.start(in)
	}
	if err := pos.adopt(p); err != nil {
		return err
	}
	switch {
	case !outermost && p.last.Owner == pos.ledger.owner:
		return pos.continueThread(nil, opts)
	case in == nil && outermost && (pos.machine.Entering() || pos.due() > 0):
		return fmt.Errorf("thread %q has %s still to run: call Resume to continue it: %w", pos.ledger.thread, orNone(pos.comingNames()), ErrEmptyInput)
	case in == nil && outermost:
		return fmt.Errorf("thread %q has nothing left to run: %w", pos.ledger.thread, ErrEmptyInput)
	}
	return pos.beginTurn(in)
}

// resume continues a thread.
func (pos *position) resume(with update, p *point, opts *RunOptions) error {
	switch {
	case pos.ledger == nil:
		return fmt.Errorf("resuming graph %q: %w", pos.program.name, ErrNoCheckpointer)
	case pos.ledger.owner != "":
		return fmt.Errorf("resuming graph %q inside a node: call Invoke, which continues it with the node's task: %w", pos.program.name, ErrInvalidUpdate)
	case p == nil && len(opts.Resume) > 0:
		return fmt.Errorf("%w: thread %q does not exist", ErrAnswer, pos.ledger.thread)
	case p == nil:
		return fmt.Errorf("thread %q does not exist, so there is nothing to resume: %w", pos.ledger.thread, ErrEmptyInput)
	}
	if err := pos.adopt(p); err != nil {
		return err
	}
	return pos.continueThread(with, opts)
}

// start merges the input into the state.
func (pos *position) start(in update) error {
	if !pos.machine.Entering() {
		pos.machine.Enter(false)
	}
	if pos.ledger != nil {
		pos.origin = pos.program.typ.copyOf(pos.now.writable)
	}
	if err := pos.mergeInput(pos.now.writable, in); err != nil {
		pos.now = pos.program.newSnapshot() // a reducer may have stopped half-way
		return fmt.Errorf("merging the input: %w", err)
	}
	pos.program.show(&pos.now)
	return nil
}

// mergeInput merges writes that no task returned into a state.
func (pos *position) mergeInput(state any, in update) error {
	_, err := pos.merge(state, &pos.tally, []result{{node: end, update: in}})
	return err
}

// mergedWith copies the committed state, merges the updates of finished tasks
// into the copy, and reports whether they wrote a channel.
func (pos *position) mergedWith(finished []result) (then snapshot, wrote bool, err error) {
	then = pos.program.copied(pos.now)
	if wrote, err = pos.merge(then.writable, &pos.tally, finished); err == nil {
		pos.program.show(&then)
	}
	return then, wrote, err
}

// adopt makes a checkpoint the run's state.
func (pos *position) adopt(p *point) error {
	if err := pos.adoptPoint(p); err != nil {
		return fmt.Errorf("loading %s: %w", Key{pos.ledger.thread, pos.ledger.namespace, p.ID}, err)
	}
	return nil
}

func (pos *position) adoptPoint(p *point) error {
	if err := pos.migrated(p); err != nil {
		return err
	}
	state := pos.program.typ.fresh()
	err := pos.program.restore(state, p.values, p.extra)
	if err != nil {
		return err
	}
	pos.program.put(&pos.now, state)
	pos.origin = state
	pos.machine.Resume(p.Step)
	pos.ledger.moveTo(p)
	pos.noteLengths()
	if pos.turnInput, err = pos.program.readUpdate(p.last.Input); err != nil {
		if !p.older {
			return fmt.Errorf("reading the input: %w", err)
		}
		pos.turnInput, pos.lost = nil, err
	}
	return pos.restoreFrontier(p.last)
}

// beginTurn begins a turn at the state of a thread. It keeps the writes of
// finished tasks of an unfinished superstep, and drops the rest of that
// superstep.
func (pos *position) beginTurn(in update) error {
	finished, err := pos.finishedTasks()
	if err == nil {
		err = pos.commitResumeUpdates()
	}
	if err != nil {
		return err
	}
	pos.program.expire(pos.now.writable)
	if pos.machine.Entering() { // an accepted input that no run committed
		if err := pos.mergeInput(pos.now.writable, pos.turnInput); err != nil {
			return fmt.Errorf("merging the input before: %w", err)
		}
		pos.ledger.base = "" // save a snapshot: no task wrote that input
	}
	pos.program.show(&pos.now)
	if then, _, err := pos.mergedWith(finished); err == nil {
		pos.now, pos.finishedBefore = then, finished
	}
	pos.machine.Clear()
	pos.ledger.pendingWrites = nil
	pos.machine.Skip()
	pos.turnInput = in
	return pos.start(in)
}

// commitResumeUpdates merges updates given with answers to a superstep that
// will not be committed. No task wrote them, so the next checkpoint is a
// snapshot.
func (pos *position) commitResumeUpdates() error {
	if pos.machine.Entering() {
		return nil
	}
	if err := pos.tryResumeUpdates(); err != nil {
		return err
	}
	if pos.resumeUpdates != nil {
		pos.resumeUpdates, pos.ledger.base = nil, ""
	}
	return nil
}

// continueThread prepares a thread to continue.
func (pos *position) continueThread(in update, opts *RunOptions) error {
	if pos.machine.Entering() && pos.lost != nil {
		return fmt.Errorf("reading the input, which an older version of the graph saved: %w: give it once more", pos.lost)
	}
	pos.how.StopsAgain = pos.ledger.hasStopped
	pos.how.Stopped = !pos.how.StopsAgain && stoppedAtBreakpoint(pos.ledger.pendingWrites)
	if opts.Checkpoint != "" && opts.Checkpoint != pos.ledger.newest {
		if len(opts.Resume) > 0 {
			return fmt.Errorf("%w: checkpoint %s is not the newest of thread %q, and a run from there asks anew", ErrAnswer, opts.Checkpoint, pos.ledger.thread)
		}
		pos.how.Forks = pos.due() > 0 || pos.machine.Entering() // else nothing would follow it
	}
	if pos.machine.Entering() && (len(opts.Resume) > 0 || in != nil) {
		return fmt.Errorf("%w: thread %q has an input that has not begun to run", ErrAnswer, pos.ledger.thread)
	}
	pos.how.Resumes, pos.resumeAnswers, pos.resumeUpdate = true, opts.Resume, in
	return nil
}

// resumed merges the answers and the update of the call, and makes their records.
func (pos *position) resumed() (records []Record, err error) {
	if pos.machine.Entering() {
		return nil, pos.start(pos.turnInput)
	}
	if err := pos.mergeResumeUpdates(); err != nil {
		return nil, err
	}
	if len(pos.resumeAnswers) > 0 {
		pending, err := pendingOf(pos.ledger.pendingWrites, pos.taskIDs())
		if err != nil {
			return nil, err
		}
		if records, err = pos.ledger.answerRecords(pos.resumeAnswers, pending); err != nil {
			return nil, err
		}
	}
	if len(pos.resumeUpdate) > 0 {
		record, err := pos.mergeNewUpdate(pos.resumeUpdate)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	pos.ledger.pendingWrites = append(pos.ledger.pendingWrites, records...)
	if pos.ledger.owner == "" {
		pos.answers = answersOf(pos.ledger.pendingWrites)
	}
	return records, nil
}

// mergeResumeUpdates merges the recorded updates that were given with answers,
// one by one, and follows their Commands.
func (pos *position) mergeResumeUpdates() error {
	pos.resumeUpdates = nil
	for _, rec := range pos.ledger.pendingWrites {
		if rec.Kind == RecordUpdate && rec.Task == "" {
			u, err := pos.program.decodeUpdate(rec.Data)
			if err != nil {
				return fmt.Errorf("reading what came with an answer: %w", err)
			}
			if err := pos.mergeResumeUpdate(u); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeNewUpdate merges an update given with answers after earlier ones, and
// makes its record, which holds until the superstep is committed.
func (pos *position) mergeNewUpdate(u update) (Record, error) {
	key := ""
	if n := len(pos.resumeUpdates); n > 0 {
		key = fmt.Sprintf("%06d", n)
	}
	if err := pos.mergeResumeUpdate(u); err != nil {
		return Record{}, err
	}
	data, err := pos.program.appendSaved(nil, u)
	if err != nil {
		return Record{}, fmt.Errorf("recording the input: %w", err)
	}
	return Record{Namespace: pos.ledger.namespace, Checkpoint: pos.ledger.id, Kind: RecordUpdate, Key: key, Data: data}, nil
}

func (pos *position) mergeResumeUpdate(u update) error {
	if _, err := pos.merge(pos.now.writable, &pos.tally, []result{{node: end, update: u, allowCommands: true}}); err != nil {
		return fmt.Errorf("merging the input: %w", err)
	}
	pos.program.show(&pos.now)
	for _, w := range u {
		c, ok := w.(*command)
		switch {
		case ok:
			if err := pos.followCommand(c); err != nil {
				return err
			}
		case w.channel() == nil:
			return fmt.Errorf("%w: a command (%s) in the run's input: only nodes return commands", ErrInvalidUpdate, w.Op())
		}
	}
	pos.resumeUpdates = append(pos.resumeUpdates, u)
	return nil
}

// followCommand makes the targets of a Command in the input due. Tasks that are
// due stay.
func (pos *position) followCommand(c *command) error {
	var chosen machine.Choice
	for _, name := range c.targets {
		switch id := pos.program.nodeID(name); {
		case name == End:
		case id < 0:
			return &CommandError{Node: Start, Target: name, Known: pos.program.names()}
		default:
			chosen.Nodes = append(chosen.Nodes, id)
		}
	}
	for _, s := range c.sends {
		id := pos.program.nodeID(s.node)
		if id < 0 {
			return &CommandError{Node: Start, Target: s.node, Send: true, Known: pos.program.names()}
		}
		pos.program.addSend(&chosen, id, s)
	}
	pos.machine.Put(chosen.Nodes, chosen.Sends, nil)
	return nil
}

// beginAt begins a subgraph at a state of the outer graph instead of an input.
// That state may be the state of a checkpoint.
func (pos *position) beginAt(state any, p *point, of *stateRef) error {
	if p != nil {
		if err := pos.adopt(p); err != nil {
			return err
		}
		if p.last.Owner == pos.ledger.owner {
			return pos.continueThread(nil, &RunOptions{})
		}
		pos.machine.Clear()
		pos.machine.Skip()
		pos.ledger.pendingWrites, pos.ledger.base = nil, ""
		if pos.program.input != nil { // other channels keep the subgraph's own values
			own := pos.program.typ.copyOf(pos.now.writable)
			copyFields(own, state, pos.program.input)
			state = own
		}
	}
	pos.machine.Enter(false)
	pos.program.put(&pos.now, state)
	if pos.ledger == nil {
		return nil
	}
	pos.origin = pos.program.typ.copyOf(state)
	if !pos.keeps && pos.program.input == nil {
		pos.stateFrom = of
	}
	return nil
}
