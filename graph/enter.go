package graph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// An entrance holds how a run begins or resumes.
type entrance struct {
	entering       bool                       // the input is still to be committed, and Start to be left
	reenters       bool                       // the input is already saved
	leavesStart    bool                       // the current superstep leaves Start
	turnInput      update                     // the input
	lost           error                      // why the input, saved by an older version, cannot be decoded
	origin         any                        // the state before the input
	finishedBefore []result                   // finished tasks of the superstep that the input ended
	stateFrom      *stateRef                  // the other checkpoint that holds the first state; nil for none
	forks          bool                       // the run starts from a checkpoint that is not the newest
	resumeAnswers  []Answer                   // answers to interrupts
	resumeUpdate   update                     // writes given with them
	resumeUpdates  []update                   // these and earlier ones, merged before the superstep
	answers        map[string]json.RawMessage // recorded, by place of the interrupt
}

// begin starts a run at the state of its thread with an input. A subgraph
// continues when its task does. The point is nil for a new thread.
func (m *machine) begin(in update, p *point, opts *RunOptions) error {
	if len(opts.Resume) > 0 {
		return fmt.Errorf("%w: an input begins a turn, in which nothing is asked yet: call Resume to answer", ErrAnswer)
	}
	if m.ledger == nil {
		if in == nil {
			return ErrEmptyInput
		}
		return m.start(in)
	}
	outermost := m.owner == ""
	switch {
	case p == nil && in == nil:
		return fmt.Errorf("thread %q does not exist: %w", m.thread, ErrEmptyInput)
	case p == nil:
		m.turnInput = in
		return m.start(in)
	}
	if err := m.adopt(p); err != nil {
		return err
	}
	switch {
	case !outermost && p.last.Owner == m.owner:
		return m.continueThread(nil, opts)
	case in == nil && outermost && (m.entering || m.due() > 0):
		return fmt.Errorf("thread %q has %s still to run: call Resume to continue it: %w", m.thread, orNone(m.comingNames()), ErrEmptyInput)
	case in == nil && outermost:
		return fmt.Errorf("thread %q has nothing left to run: %w", m.thread, ErrEmptyInput)
	}
	return m.beginTurn(in)
}

// resume continues a thread.
func (m *machine) resume(with update, p *point, opts *RunOptions) error {
	switch {
	case m.ledger == nil:
		return fmt.Errorf("resuming graph %q: %w", m.name, ErrNoCheckpointer)
	case m.owner != "":
		return fmt.Errorf("resuming graph %q inside a node: call Invoke, which continues it with the node's task: %w", m.name, ErrInvalidUpdate)
	case p == nil && len(opts.Resume) > 0:
		return fmt.Errorf("%w: thread %q does not exist", ErrAnswer, m.thread)
	case p == nil:
		return fmt.Errorf("thread %q does not exist, so there is nothing to resume: %w", m.thread, ErrEmptyInput)
	}
	if err := m.adopt(p); err != nil {
		return err
	}
	return m.continueThread(with, opts)
}

// start merges the input into the state.
func (m *machine) start(in update) error {
	m.entering, m.phase = true, phaseBegin
	if m.ledger != nil {
		m.origin = m.typ.copyOf(m.now.writable)
	}
	if err := m.mergeInput(m.now.writable, in); err != nil {
		m.now = m.newSnapshot() // a reducer may have stopped half-way
		return fmt.Errorf("merging the input: %w", err)
	}
	m.show(&m.now)
	return nil
}

// mergeInput merges writes that no task returned into a state.
func (m *machine) mergeInput(state any, in update) error {
	_, err := m.merge(state, &m.tally, []result{{node: end, update: in}})
	return err
}

// mergedWith copies the committed state, merges the updates of finished tasks
// into the copy, and reports whether they wrote a channel.
func (m *machine) mergedWith(finished []result) (then snapshot, wrote bool, err error) {
	then = m.copied(m.now)
	if wrote, err = m.merge(then.writable, &m.tally, finished); err == nil {
		m.show(&then)
	}
	return then, wrote, err
}

// adopt makes a checkpoint the run's state.
func (m *machine) adopt(p *point) error {
	if err := m.adoptPoint(p); err != nil {
		return fmt.Errorf("loading %s: %w", Key{m.thread, m.namespace, p.ID}, err)
	}
	return nil
}

func (m *machine) adoptPoint(p *point) error {
	if err := m.migrated(p); err != nil {
		return err
	}
	state := m.typ.fresh()
	err := m.restore(state, p.values, p.extra)
	if err != nil {
		return err
	}
	m.put(&m.now, state)
	m.origin = state
	m.step = p.Step
	m.moveTo(p)
	m.noteLengths()
	if m.turnInput, err = m.readUpdate(p.last.Input); err != nil {
		if !p.older {
			return fmt.Errorf("reading the input: %w", err)
		}
		m.turnInput, m.lost = nil, err
	}
	return m.restoreFrontier(p.last)
}

// beginTurn begins a turn at the state of a thread. It keeps the writes of
// finished tasks of an unfinished superstep, and drops the rest of that
// superstep.
func (m *machine) beginTurn(in update) error {
	finished, err := m.finishedTasks()
	if err == nil {
		err = m.commitResumeUpdates()
	}
	if err != nil {
		return err
	}
	m.expire(m.now.writable)
	if m.entering { // an accepted input that no run committed
		if err := m.mergeInput(m.now.writable, m.turnInput); err != nil {
			return fmt.Errorf("merging the input before: %w", err)
		}
		m.base = "" // save a snapshot: no task wrote that input
	}
	m.show(&m.now)
	if then, _, err := m.mergedWith(finished); err == nil {
		m.now, m.finishedBefore = then, finished
	}
	m.clearFrontier()
	m.pendingWrites = nil
	m.step++
	m.reenters, m.turnInput = false, in
	return m.start(in)
}

// commitResumeUpdates merges updates given with answers to a superstep that
// will not be committed. No task wrote them, so the next checkpoint is a
// snapshot.
func (m *machine) commitResumeUpdates() error {
	if m.entering {
		return nil
	}
	if err := m.tryResumeUpdates(); err != nil {
		return err
	}
	if m.resumeUpdates != nil {
		m.resumeUpdates, m.base = nil, ""
	}
	return nil
}

// continueThread prepares a thread to continue.
func (m *machine) continueThread(in update, opts *RunOptions) error {
	if m.entering && m.lost != nil {
		return fmt.Errorf("reading the input, which an older version of the graph saved: %w: give it once more", m.lost)
	}
	m.stopsAgain = m.hasStopped
	m.stoppedBefore = !m.stopsAgain && stoppedAtBreakpoint(m.pendingWrites)
	if opts.Checkpoint != "" && opts.Checkpoint != m.newest {
		if len(opts.Resume) > 0 {
			return fmt.Errorf("%w: checkpoint %s is not the newest of thread %q, and a run from there asks anew", ErrAnswer, opts.Checkpoint, m.thread)
		}
		m.forks = m.due() > 0 || m.entering // else nothing would follow it
	}
	if m.entering && (len(opts.Resume) > 0 || in != nil) {
		return fmt.Errorf("%w: thread %q has an input that has not begun to run", ErrAnswer, m.thread)
	}
	m.phase, m.resumeAnswers, m.resumeUpdate = phaseFork, opts.Resume, in
	return nil
}

// fork saves a copy of the current checkpoint, and continues from the copy.
func (m *machine) fork(out *output) {
	m.step++
	m.pendingWrites = nil
	m.save(out, SourceFork, nil)
}

// recordResume merges the answers and the update of the call, and records them.
func (m *machine) recordResume(out *output) {
	if m.entering {
		if err := m.start(m.turnInput); err != nil {
			m.fail(err)
		}
		return
	}
	records, err := m.resumeRecords()
	if err != nil {
		m.fail(err)
		return
	}
	if len(records) > 0 {
		m.requestCommit(out, m.recorded(records...))
		m.pendingWrites = append(m.pendingWrites, records...)
	}
	if m.owner == "" {
		m.answers = answersOf(m.pendingWrites)
	}
}

func (m *machine) resumeRecords() (records []Record, err error) {
	if len(m.resumeAnswers) > 0 {
		tasks, err := m.taskIDsAfterResume()
		if err != nil {
			return nil, err
		}
		pending, err := pendingOf(m.pendingWrites, tasks)
		if err != nil {
			return nil, err
		}
		if records, err = m.answerRecords(m.resumeAnswers, pending); err != nil {
			return nil, err
		}
	}
	brought, err := m.mergeResumeUpdates(m.resumeUpdate)
	return append(records, brought...), err
}

// mergeResumeUpdates merges the updates given with answers, one by one, and
// follows their Commands. Updates of earlier calls come first. It returns the
// record of the new one; the record holds until the superstep is committed.
func (m *machine) mergeResumeUpdates(in update) ([]Record, error) {
	var all []update
	for _, rec := range m.pendingWrites {
		if rec.Kind == RecordUpdate && rec.Task == "" {
			u, err := m.decodeUpdate(rec.Data)
			if err != nil {
				return nil, fmt.Errorf("reading what came with an answer: %w", err)
			}
			all = append(all, u)
		}
	}
	key := ""
	if len(all) > 0 {
		key = fmt.Sprintf("%06d", len(all))
	}
	if len(in) > 0 {
		all = append(all, in)
	}
	for _, u := range all {
		if err := m.mergeResumeUpdate(u); err != nil {
			return nil, err
		}
	}
	m.resumeUpdates = all
	if len(in) == 0 {
		return nil, nil
	}
	data, err := m.appendSaved(nil, in)
	if err != nil {
		return nil, fmt.Errorf("recording the input: %w", err)
	}
	return []Record{{Namespace: m.namespace, Checkpoint: m.id, Kind: RecordUpdate, Key: key, Data: data}}, nil
}

func (m *machine) mergeResumeUpdate(u update) error {
	if _, err := m.merge(m.now.writable, &m.tally, []result{{node: end, update: u, allowCommands: true}}); err != nil {
		return fmt.Errorf("merging the input: %w", err)
	}
	m.show(&m.now)
	for _, w := range u {
		c, ok := w.(*command)
		switch {
		case ok:
			if err := m.followCommand(c); err != nil {
				return err
			}
		case w.channel() == nil:
			return fmt.Errorf("%w: a command (%s) in the run's input: only nodes return commands", ErrInvalidUpdate, w.Op())
		}
	}
	slices.Sort(m.next)
	return nil
}

// taskIDsAfterResume returns the IDs of the tasks that are due. It includes
// targets of recorded Commands.
func (m *machine) taskIDsAfterResume() ([]string, error) {
	was, next, sends := m.copied(m.now), slices.Clone(m.next), slices.Clone(m.sends)
	_, err := m.mergeResumeUpdates(nil)
	tasks := m.taskIDs()
	m.now, m.next, m.sends, m.resumeUpdates = was, next, sends, nil
	return tasks, err
}

// followCommand adds the targets of a Command in the input to the frontier.
// Tasks that are due stay.
func (m *machine) followCommand(c *command) error {
	for _, name := range c.targets {
		switch id := m.nodeID(name); {
		case name == End:
		case id < 0:
			return &CommandError{Node: Start, Target: name, Known: m.names()}
		case !slices.Contains(m.next, id):
			m.next = append(m.next, id)
		}
	}
	var chosen choice
	for _, s := range c.sends {
		id := m.nodeID(s.node)
		if id < 0 {
			return &CommandError{Node: Start, Target: s.node, Send: true, Known: m.names()}
		}
		m.addSend(&chosen, id, s)
	}
	m.sends = append(m.sends, chosen.sends...)
	return nil
}

// beginAt begins a subgraph at a state of the outer graph instead of an input.
// That state may be the state of a checkpoint.
func (m *machine) beginAt(state any, p *point, of *stateRef) error {
	m.entering, m.phase = true, phaseBegin
	if m.ledger == nil {
		m.put(&m.now, state)
		return nil
	}
	if p != nil {
		m.entering = false
		if err := m.adopt(p); err != nil {
			return err
		}
		if p.last.Owner == m.owner {
			return m.continueThread(nil, &RunOptions{})
		}
		m.clearFrontier()
		m.pendingWrites, m.base, m.entering = nil, "", true
		m.step++
		if m.program.input != nil { // other channels keep the subgraph's own values
			own := m.typ.copyOf(m.now.writable)
			copyFields(own, state, m.program.input)
			state = own
		}
	}
	m.put(&m.now, state)
	m.origin = m.typ.copyOf(state)
	if !m.keeps && m.program.input == nil {
		m.stateFrom = of
	}
	return nil
}
