package graph

import (
	"errors"
	"fmt"
	"slices"
)

// A machine is the rules of a run: what runs next, how writes merge, what is
// saved and what is told. It is plain data. It does no I/O, starts no
// goroutine, reads no clock and holds no context, so the same inputs always
// lead to the same outputs. A driver stands around it: it runs nodes and
// routers, commits changes, shows events, and feeds in what came of that.
//
//	in                              out
//	begin, resume, edit             events to show, and then one of:
//	step     a task's outcome         a change to commit
//	settle   no more outcomes         tasks to run
//	routed   what routers chose       routers to ask
//	saved    a commit's outcome       the end
//	stop, drain
type machine struct {
	*program
	*ledger            // nil when the run is not saved
	modes    Mode      // events that somebody reads
	inner    bool      // the run is inside a node of another graph
	asks     bool      // nodes may stop the run: it is saved, or a graph around it may be
	limit    int       // supersteps that the call may run
	first    int       // the superstep before the call's first
	step     int       // the last superstep begun: -1 input, 0 Start, 1 the first nodes
	phase    phase     // what comes next
	begun    bool      // the run has said that it begins
	err      error     // why the run ended
	reason   *string   // why somebody asked the run to drain
	why      error     // why the run cannot go on
	now      snapshot  // the committed state
	then     any       // what will be shown when the superstep under way is concluded
	was      any       // what was shown before, of a run that is saved: it stands when the superstep is not
	paused   *snapshot // of a run that stopped to ask: now, with what finished tasks wrote
	merged   bool      // then is made, and now.kept is ahead of what is shown
	collects bool      // keep what is written, for a parent graph
	written  update    // all committed writes, when collects is set
	before   breakpoints
	after    breakpoints
	passed   bool // the run has stopped before the next superstep already
	stops    bool // it will stop when the superstep under way is saved

	entrance
	frontier
	edits   []result    // by hand, and what leaves Start
	ran     []result    // an edit's superstep
	lastRan []savedTask // what ran before it
	wasDue  []string    // and what was to run

	results []result
	tally   *tally
	dirty   changes // DurabilityExit: what is not saved yet
	told    *event  // of the checkpoint that is to be saved
	handed  *Change // what the driver is to commit
}

// A phase is what a machine does next.
type phase uint8

const (
	phaseFork    phase = iota // save a checkpoint like the one that the run goes on from
	phaseAnswers              // put answers on record
	phaseBegin                // say that the run begins
	phaseInput                // save the input
	phaseStart                // leave Start
	phaseLeave                // wait for Start's routers
	phaseRest                 // begin a superstep
	phaseHalt                 // stop at a breakpoint
	phaseTasks                // wait for tasks
	phaseSaved                // go on behind a superstep
	phaseClose                // DurabilityExit: save
	phaseEdit                 // wait for an edit
	phaseOver
)

// An output is what a machine wants done, in the order of the fields.
type output struct {
	events []event
	save   *Change // saved says how that went
	tasks  bool    // run the results: stepped says of each how it went, settle that there is no more
	routes bool    // ask the routers behind the edits: routed says how that went
	end    bool
}

// reset empties an output, which is used again: its events have been shown.
func (out *output) reset() {
	clear(out.events)
	*out = output{events: out.events[:0]}
}

func newMachine(p *program) machine {
	m := machine{program: p, step: -1, now: p.newSnapshot(), then: p.typ.fresh(), tally: newTally(len(p.channels))}
	m.held = make([]bool, len(p.nodes))
	m.queued = make([]int, len(p.nodes))
	if len(p.joins) > 0 {
		m.arrived = make([][]bool, len(p.joins))
		for i, j := range p.joins {
			m.arrived[i] = make([]bool, len(j.sources))
		}
	}
	return m
}

// ready adds to an output what the machine wants done next, unless something is.
func (m *machine) ready(out *output) {
	for out.save == nil && !out.tasks && !out.routes && !out.end {
		m.advance(out)
	}
}

func (m *machine) advance(out *output) {
	switch m.phase {
	case phaseFork:
		m.phase = phaseAnswers
		if m.forks {
			m.fork(out)
		}
	case phaseAnswers:
		m.phase = phaseBegin
		m.takeAnswers(out)
	case phaseBegin:
		m.begins(out)
	case phaseInput:
		m.phase = phaseStart
		if !m.reenters {
			m.save(out, SourceInput, m.kept)
		}
	case phaseStart:
		m.publishState(out, 0)
		m.step++
		m.phase = phaseLeave
		m.askStart(out)
	case phaseRest:
		m.rest(out)
	case phaseHalt:
		m.halt(out, nil)
	case phaseSaved:
		m.early, m.leaves, m.phase = nil, false, phaseRest
		if m.stops {
			m.halt(out, nil)
		}
	case phaseClose:
		m.phase = phaseOver
		m.saveAtExit(out)
	default:
		out.end = true
	}
}

// begins says that the run begins, and where.
func (m *machine) begins(out *output) {
	m.begun = true
	m.publish(out, event{foreign: foreign{Kind: RunStart, Graph: m.name, Fingerprint: m.fingerprint}}, -1)
	switch {
	case m.why != nil:
		m.fail(m.why)
	case m.entering:
		m.phase = phaseInput
	default:
		m.publishState(out, m.due())
		m.first, m.phase = m.step, phaseRest
	}
}

// askStart leaves Start, or asks its routers where to go first.
func (m *machine) askStart(out *output) {
	if len(m.program.start.branches) > 0 {
		m.edits = append(m.edits[:0], result{node: atStart})
		out.routes = true
		return
	}
	m.leaveStart(out, &choice{})
}

// leaveStart queues what follows Start.
func (m *machine) leaveStart(out *output, chosen *choice) {
	m.leave(&m.program.start, chosen, false)
	m.arrange()
	m.entering, m.leaves = false, true
	m.first, m.phase = m.step, phaseSaved
	m.save(out, SourceLoop, nil)
}

// routed is told that the routers asked for have chosen, or that one failed.
func (m *machine) routed(out *output, err error) {
	out.reset()
	switch {
	case m.phase == phaseEdit && err == nil:
		m.edited(out)
		return
	case m.phase == phaseEdit:
		m.err = err
		return
	case err != nil:
		m.step--
		m.fail(err)
	default:
		m.leaveStart(out, &m.edits[0].chosen)
	}
	m.ready(out)
}

// rest begins the next superstep, or ends the run.
func (m *machine) rest(out *output) {
	passed := m.passed
	switch {
	case m.due() == 0:
		m.fail(nil)
		return
	case m.reason != nil:
		m.fail(&DrainedError{*m.reason, m.dueNames()})
		return
	}
	m.passed = false
	switch {
	case len(m.before) > 0 && !passed && slices.ContainsFunc(m.dueNames(), m.before.has):
		m.phase = phaseHalt
		m.hand(out, m.recorded(m.mark(m.id)))
	case m.why != nil:
		m.fail(m.why)
	case m.step-m.first >= m.limit:
		m.fail(&RecursionError{m.limit, m.dueNames()})
	default:
		m.step++
		if m.wants(StepStart) {
			m.publish(out, event{foreign: foreign{Kind: StepStart, Nodes: m.dueNames()}}, -1)
		}
		m.stage()
		if err := m.rejoin(); err != nil {
			m.fail(err)
			return
		}
		m.merged, m.phase, out.tasks = false, phaseTasks, true
	}
}

// saved is told how the commit of a change went.
func (m *machine) saved(out *output, err error) {
	out.reset()
	told, change := m.told, m.handed
	m.told, m.handed = nil, nil
	if err == nil {
		if told != nil {
			out.events = append(out.events, *told)
		}
		m.ready(out)
		return
	}
	if len(change.Add) > 0 {
		err = fmt.Errorf("saving checkpoint %s: %w", m.id, err)
	} else {
		err = fmt.Errorf("recording the %s of a task: %w", change.Records[0].Kind, err)
	}
	if m.phase == phaseOver {
		m.err = notSaved(m.err, err)
	} else {
		m.unsave(err)
	}
	m.ready(out)
}

// hand gives the driver a change to commit.
func (m *machine) hand(out *output, change *Change) { out.save, m.handed = change, change }

// unsave ends a run that could not be saved: the state is the one of the
// checkpoint before.
func (m *machine) unsave(err error) {
	if m.phase == phaseSaved && !m.leaves {
		m.now.shown, m.was = m.was, m.now.shown
		m.typ.copyTo(m.now.kept, m.now.shown)
	}
	m.fail(err)
}

// fail ends the run, with success if err is nil.
func (m *machine) fail(err error) {
	if m.merged { // and not concluded
		m.unmerge()
	}
	m.err, m.phase = err, phaseClose
}

// notSaved is the error of a run whose end could not be saved. What is asked
// is then not on record, so that nobody can answer it: the run failed.
func notSaved(err, late error) error {
	if _, stopped := err.(*InterruptedError); stopped {
		return late
	}
	return errors.Join(err, late)
}

// ended is told that all changes are committed, or why not, and ends the run.
func (m *machine) ended(out *output, late error) {
	out.reset()
	if late != nil && !errors.Is(m.err, late) {
		m.err = notSaved(m.err, fmt.Errorf("saving the run: %w", late))
	}
	if m.paused != nil && errors.Is(m.err, errWaiting) {
		m.now = *m.paused
	}
	if m.begun && m.wants(RunEnd) {
		m.step++
		m.publish(out, event{foreign: foreign{Kind: RunEnd, Nodes: m.dueNames(), Waiting: m.waiting(), Err: m.err}, state: m.visible()}, -1)
	}
}

// halt ends a run that waits: for answers, or at a breakpoint.
func (m *machine) halt(out *output, pending []PendingInterrupt) {
	m.publish(out, event{foreign: foreign{Kind: RunInterrupt, Interrupts: pending, Nodes: m.dueNames()}}, m.due())
	m.fail(&InterruptedError{Pending: pending, Next: m.dueNames()})
}
