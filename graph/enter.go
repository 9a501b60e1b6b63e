package graph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// An entrance is where a run comes in.
type entrance struct {
	entering bool                       // the input is to be committed and Start to be left
	reenters bool                       // the input is saved already
	leaves   bool                       // the superstep under way leaves Start
	given    update                     // the input
	lost     error                      // why the input, which an older version saved, cannot be read
	origin   any                        // the state before the input
	kept     []result                   // finished tasks of the superstep that the input put an end to
	from     *lent                      // the state that the run starts from, when another checkpoint has it
	forks    bool                       // the run goes on from a checkpoint that is not the newest
	resumes  []Answer                   // to interrupts
	brings   update                     // writes that come with them
	early    []update                   // those and earlier ones, merged before the superstep
	answers  map[string]json.RawMessage // on record, by interrupt
}

// begin puts the run where it starts: at the state of its thread, with an
// input. A graph inside a task goes on when the task does. The point is nil for
// a thread that does not exist.
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
		m.given = in
		return m.start(in)
	}
	if err := m.adopt(p); err != nil {
		return err
	}
	switch {
	case !outermost && p.last.Owner == m.owner:
		return m.goOn(nil, opts)
	case in == nil && outermost && (m.entering || m.due() > 0):
		return fmt.Errorf("thread %q has %s still to run: call Resume to go on with it: %w", m.thread, orNone(m.comingNames()), ErrEmptyInput)
	case in == nil && outermost:
		return fmt.Errorf("thread %q has nothing left to run: %w", m.thread, ErrEmptyInput)
	}
	return m.turn(in)
}

// resume puts the run where its thread was left.
func (m *machine) resume(with update, p *point, opts *RunOptions) error {
	switch {
	case m.ledger == nil:
		return fmt.Errorf("resuming graph %q: %w", m.name, ErrNoCheckpointer)
	case m.owner != "":
		return fmt.Errorf("resuming graph %q inside a node, which goes on with the node's task: call Invoke: %w", m.name, ErrInvalidUpdate)
	case p == nil && len(opts.Resume) > 0:
		return fmt.Errorf("%w: thread %q does not exist", ErrAnswer, m.thread)
	case p == nil:
		return fmt.Errorf("thread %q does not exist, so there is nothing to resume: %w", m.thread, ErrEmptyInput)
	}
	if err := m.adopt(p); err != nil {
		return err
	}
	return m.goOn(with, opts)
}

// start merges the input into the state.
func (m *machine) start(in update) error {
	m.entering, m.phase = true, phaseBegin
	if m.ledger != nil {
		m.origin = m.typ.copyOf(m.now.kept)
	}
	if err := m.mergeInput(m.now.kept, in); err != nil {
		m.now = m.newSnapshot() // a reducer may have stopped half-way
		return fmt.Errorf("merging the input: %w", err)
	}
	m.show(&m.now)
	return nil
}

// mergeInput merges writes that no task returned into a state.
func (m *machine) mergeInput(state any, in update) error {
	_, err := m.merge(state, m.tally, []result{{node: end, update: in}})
	return err
}

// mergedWith is a copy of the committed state with the results of tasks merged
// into it, and whether they wrote a channel.
func (m *machine) mergedWith(finished []result) (then snapshot, wrote bool, err error) {
	then = m.copied(m.now)
	if wrote, err = m.merge(then.kept, m.tally, finished); err == nil {
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
	err := m.restore(state, p.values, p.lent)
	if err != nil {
		return err
	}
	m.put(&m.now, state)
	m.origin = state
	m.step = p.Step
	m.stand(p)
	m.measure()
	if m.given, err = m.readUpdate(p.last.Input); err != nil {
		if !p.older {
			return fmt.Errorf("reading the input: %w", err)
		}
		m.given, m.lost = nil, err
	}
	return m.restoreFrontier(p.last)
}

// turn starts anew from the state of a thread. What finished tasks of an
// unfinished superstep wrote is kept; the rest of that superstep is given up.
func (m *machine) turn(in update) error {
	finished, err := m.finishedTasks()
	if err == nil {
		err = m.takeEarly()
	}
	if err != nil {
		return err
	}
	m.expire(m.now.kept)
	if m.entering { // an input that was accepted and never began to run
		if err := m.mergeInput(m.now.kept, m.given); err != nil {
			return fmt.Errorf("merging the input before: %w", err)
		}
		m.base = "" // the checkpoint is a snapshot: no task wrote that input
	}
	m.show(&m.now)
	if then, _, err := m.mergedWith(finished); err == nil {
		m.now, m.kept = then, finished
	}
	m.clearFrontier()
	m.left = nil
	m.step++
	m.reenters, m.given = false, in
	return m.start(in)
}

// takeEarly merges what came with an answer to a superstep that will not be
// committed. The next checkpoint is a snapshot, since no task of its own wrote
// that.
func (m *machine) takeEarly() error {
	if m.entering {
		return nil
	}
	if err := m.mergeEarly(); err != nil {
		return err
	}
	if m.early != nil {
		m.early, m.base = nil, ""
	}
	return nil
}

// goOn resumes a thread.
func (m *machine) goOn(in update, opts *RunOptions) error {
	if m.entering && m.lost != nil {
		return fmt.Errorf("reading the input, which an older version of the graph saved: %w: give it once more", m.lost)
	}
	m.passed = marked(m.left)
	if opts.Checkpoint != "" && opts.Checkpoint != m.newest {
		if len(opts.Resume) > 0 {
			return fmt.Errorf("%w: checkpoint %s is not the newest of thread %q, and a run from there asks anew", ErrAnswer, opts.Checkpoint, m.thread)
		}
		m.forks = m.due() > 0 || m.entering // else nothing would follow it
	}
	if m.entering && (len(opts.Resume) > 0 || in != nil) {
		return fmt.Errorf("%w: thread %q has an input that has not begun to run", ErrAnswer, m.thread)
	}
	m.phase, m.resumes, m.brings = phaseFork, opts.Resume, in
	return nil
}

// fork makes a checkpoint like the one that the run stands on, to go on from.
func (m *machine) fork(out *output) {
	m.step++
	m.left = nil
	m.save(out, SourceFork, nil)
}

// takeAnswers puts on record what came with the call, and merges it.
func (m *machine) takeAnswers(out *output) {
	if m.entering {
		if err := m.start(m.given); err != nil {
			m.fail(err)
		}
		return
	}
	records, err := m.answersAndWrites()
	if err != nil {
		m.fail(err)
		return
	}
	if len(records) > 0 {
		m.hand(out, m.recorded(records...))
		m.left = append(m.left, records...)
	}
	if m.owner == "" {
		m.answers = answersOf(m.left)
	}
}

func (m *machine) answersAndWrites() (records []Record, err error) {
	if len(m.resumes) > 0 {
		tasks, err := m.tasksToCome()
		if err != nil {
			return nil, err
		}
		pending, err := pendingOf(m.left, tasks)
		if err != nil {
			return nil, err
		}
		if records, err = m.take(m.resumes, pending); err != nil {
			return nil, err
		}
	}
	brought, err := m.bring(m.brings)
	return append(records, brought...), err
}

// bring merges what came with answers, this call's and those before it each for
// itself, and leads where their commands say. What it returns is to be on record
// until the superstep is committed.
func (m *machine) bring(in update) ([]Record, error) {
	var all []update
	for _, rec := range m.left {
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
		if err := m.bringOne(u); err != nil {
			return nil, err
		}
	}
	m.early = all
	if len(in) == 0 {
		return nil, nil
	}
	data, err := m.appendSaved(nil, in)
	if err != nil {
		return nil, fmt.Errorf("recording the input: %w", err)
	}
	return []Record{{Namespace: m.namespace, Checkpoint: m.id, Kind: RecordUpdate, Key: key, Data: data}}, nil
}

func (m *machine) bringOne(u update) error {
	if _, err := m.merge(m.now.kept, m.tally, []result{{node: end, update: u, leads: true}}); err != nil {
		return fmt.Errorf("merging the input: %w", err)
	}
	m.show(&m.now)
	for _, w := range u {
		c, ok := w.(*command)
		switch {
		case ok:
			if err := m.lead(c); err != nil {
				return err
			}
		case w.channel() == nil:
			return fmt.Errorf("%w: a command (%s) in the run's input, which no node returned", ErrInvalidUpdate, w.Op())
		}
	}
	slices.Sort(m.next)
	return nil
}

// tasksToCome are the IDs of the tasks that are due, with those that commands
// on record lead to.
func (m *machine) tasksToCome() ([]string, error) {
	was, next, sends := m.copied(m.now), slices.Clone(m.next), slices.Clone(m.sends)
	_, err := m.bring(nil)
	tasks := m.taskIDs()
	m.now, m.next, m.sends, m.early = was, next, sends, nil
	return tasks, err
}

// lead adds to the frontier where a command in the input leads. What is due
// already stays: it was decided by others.
func (m *machine) lead(c *command) error {
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
		m.deliver(&chosen, id, s)
	}
	m.sends = append(m.sends, chosen.sends...)
	return nil
}

// beginAt is begin for a subgraph that starts from a state of the graph around
// it and not from an input. The state may be that of a checkpoint.
func (m *machine) beginAt(state any, p *point, of *lent) error {
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
			return m.goOn(nil, &RunOptions{})
		}
		m.clearFrontier()
		m.left, m.base, m.entering = nil, "", true
		m.step++
		if m.program.input != nil { // what it does not take from outside is its own
			own := m.typ.copyOf(m.now.kept)
			copyFields(own, state, m.program.input)
			state = own
		}
	}
	m.put(&m.now, state)
	m.origin = m.typ.copyOf(state)
	if m.persist == PersistPerRun && m.program.input == nil {
		m.from = of
	}
	return nil
}
