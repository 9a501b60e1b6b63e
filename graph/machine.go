package graph

import (
	"errors"
	"fmt"
	"slices"
)

// A machine holds the rules of a run: it chooses tasks, merges writes, and
// decides what is saved and shown. It is plain data. It does no I/O, starts no
// goroutine, reads no clock and holds no context. Equal inputs always give
// equal outputs. A driver runs the nodes and routers, commits changes, shows
// events, and reports the outcomes.
//
//	in                                    out
//	begin, resume, edit                   events to show, and then one of:
//	taskDone, taskRecorded  one task        a change to commit
//	tasksDone    no more outcomes           tasks to run
//	routersDone  the routers' choices       routers to call
//	commitDone   a commit's outcome         the end
type machine struct {
	*program
	*ledger                 // nil when the run is not saved
	modes         Mode      // events that a reader wants
	isSubgraph    bool      // the run is inside a node of another graph
	canInterrupt  bool      // the run is saved, or an outer graph may be
	limit         int       // supersteps that this call may run
	first         int       // the superstep before this call's first
	step          int       // the last superstep begun: -1 input, 0 Start, 1 the first nodes
	phase         phase     // what comes next
	started       bool      // RunStart was published
	err           error     // why the run ended
	drainReason   *string   // of a request to drain the run
	stopErr       error     // stops the run before its next superstep
	now           snapshot  // the committed state
	nextShown     any       // the state to show once the current superstep is concluded
	previousShown any       // the state shown before, in a saved run; restored when the commit fails
	paused        *snapshot // in a run that was interrupted: now, with the writes of finished tasks
	merged        bool      // nextShown is made, and now.writable is ahead of now.shown
	collects      bool      // keep all writes for the outer graph
	keeps         bool      // the state is kept for the next run in the same node
	written       update    // all committed writes, when collects is set
	before        breakpoints
	after         breakpoints
	stoppedBefore bool // the run has already stopped at a breakpoint before the next superstep
	stopsAgain    bool // a repeated run had stopped there itself: see Pursuit.Again
	stopsAfter    bool // the run stops once the current superstep is saved

	entrance
	frontier
	edits      []result    // updates by hand; also the exit from Start
	editRan    []result    // tasks of an edit's superstep
	lastRan    []savedTask // tasks that ran before the edit
	editDue    []string    // nodes that were due before the edit
	finishedOn any         // the state before finishedBefore was merged, for the routers of these tasks

	results    []result
	tally      tally
	dirty      changes // DurabilityExit: unsaved changes
	savedEvent *event  // published once the checkpoint is committed
	committing *Change // the change that the driver is to commit
	room       room
}

// A room is the first memory of a machine's lists, for graphs and supersteps of a few parts.
type room struct {
	queued [8]int
	next   [4]int
	slots  [8]slot
	result [1]result
	writes [2]write
}

// A phase is the next action of a machine.
type phase uint8

const (
	phaseFork    phase = iota // save a copy of the checkpoint that the run starts from
	phaseAnswers              // record answers
	phaseBegin                // publish RunStart
	phaseInput                // save the input
	phaseStart                // leave Start
	phaseLeave                // wait for Start's routers
	phaseRest                 // begin a superstep
	phaseHalt                 // stop at a breakpoint
	phaseTasks                // wait for tasks
	phaseSaved                // continue after a superstep
	phaseClose                // DurabilityExit: save
	phaseEdit                 // wait for an edit
	phaseOver
)

// An output lists what the driver is to do, in the order of the fields.
type output struct {
	events []event
	save   *Change // the driver reports with commitDone
	tasks  bool    // run the results; the driver reports each with taskDone, the end with tasksDone
	routes bool    // call the routers of the edits; the driver reports with routersDone
	end    bool
}

// reset empties an output for reuse. Its events have been shown.
func (out *output) reset() {
	clear(out.events)
	*out = output{events: out.events[:0]}
}

// init makes a machine ready that has nothing but its three states. It must not be copied after that.
func (m *machine) init(p *program) {
	m.program, m.step = p, -1
	m.queued, m.tally.slots, m.next, m.results = m.room.queued[:], m.room.slots[:], m.room.next[:0], m.room.result[:0]
	m.room.result[0].update = m.room.writes[:0]
	if len(p.nodes) > len(m.queued) {
		m.queued = make([]int, len(p.nodes))
	}
	if len(p.channels) > len(m.tally.slots) {
		m.tally.slots = make([]slot, len(p.channels))
	}
	if len(p.joins) > 0 {
		m.arrived = make([][]bool, len(p.joins))
		for i, j := range p.joins {
			m.arrived[i] = make([]bool, len(j.sources))
		}
	}
}

// ready fills an output with the next action, unless it has one.
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
		m.recordResume(out)
	case phaseBegin:
		m.begins(out)
	case phaseInput:
		m.phase = phaseStart
		if !m.reenters {
			m.save(out, SourceInput, m.finishedBefore)
		}
	case phaseStart:
		m.publishState(out, 0)
		m.step++
		m.phase = phaseLeave
		m.askStart(out)
	case phaseRest:
		m.rest(out)
	case phaseHalt:
		m.halt(out)
	case phaseSaved:
		m.resumeUpdates, m.leavesStart, m.phase = nil, false, phaseRest
		if m.stopsAfter {
			m.halt(out)
		}
	case phaseClose:
		m.phase = phaseOver
		m.saveAtExit(out)
	default:
		out.end = true
	}
}

// begins publishes RunStart and enters the run.
func (m *machine) begins(out *output) {
	m.started = true
	m.publish(out, event{foreign: foreign{Kind: RunStart, Graph: m.name, Fingerprint: m.fingerprint}}, -1)
	switch {
	case m.stopErr != nil:
		m.fail(m.stopErr)
	case m.entering:
		m.phase = phaseInput
	default:
		m.publishState(out, m.due())
		m.first, m.phase = m.step, phaseRest
	}
}

// askStart calls Start's routers, or leaves Start when it has none.
func (m *machine) askStart(out *output) {
	if len(m.program.start.branches) > 0 {
		m.edits = append(m.edits[:0], result{node: atStart})
		out.routes = true
		return
	}
	m.leaveStart(out, &choice{})
}

// leaveStart queues the successors of Start.
func (m *machine) leaveStart(out *output, chosen *choice) {
	m.queueSuccessors(&m.program.start, chosen, false)
	m.arrange()
	m.entering, m.leavesStart = false, true
	m.first, m.phase = m.step, phaseSaved
	m.save(out, SourceLoop, nil)
}

// routersDone takes the outcome of the routers that were called.
func (m *machine) routersDone(out *output, err error) {
	out.reset()
	switch {
	case m.phase == phaseEdit && err == nil:
		m.finishEdit(out)
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
	passed := m.stoppedBefore
	switch {
	case m.due() == 0:
		m.fail(nil)
		return
	case m.drainReason != nil:
		m.fail(&DrainedError{*m.drainReason, m.dueNames(), m.saved().Thread})
		return
	}
	m.stoppedBefore = false
	switch {
	case m.stopsAgain: // a repeated run stops again: nobody has resumed it
		m.phase = phaseHalt
	case len(m.before) > 0 && !passed && slices.ContainsFunc(m.dueNames(), m.before.has):
		m.phase = phaseHalt
		m.requestCommit(out, m.recorded(m.breakpointRecord(m.id)))
	case m.stopErr != nil:
		m.fail(m.stopErr)
	case m.step-m.first >= m.limit:
		m.fail(&RecursionError{m.limit, m.dueNames(), m.saved().Thread})
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

// commitDone takes the outcome of a commit.
func (m *machine) commitDone(out *output, err error) {
	out.reset()
	saved, change := m.savedEvent, m.committing
	m.savedEvent, m.committing = nil, nil
	if err == nil {
		if saved != nil {
			out.events = append(out.events, *saved)
		}
		m.ready(out)
		return
	}
	if len(change.Add) > 0 {
		err = fmt.Errorf("saving %s: %w", m.saved(), err)
	} else {
		err = fmt.Errorf("recording the %s of a task of thread %q: %w", change.Records[0].Kind, m.thread, err)
	}
	if m.phase == phaseOver {
		m.err = saveError(m.err, err)
	} else {
		m.failSave(err)
	}
	m.ready(out)
}

// requestCommit gives the driver a change to commit.
func (m *machine) requestCommit(out *output, change *Change) { out.save, m.committing = change, change }

// failSave ends a run that could not be saved. Its state is that of the last
// saved checkpoint.
func (m *machine) failSave(err error) {
	if m.phase == phaseSaved && !m.leavesStart {
		m.now.shown, m.previousShown = m.previousShown, m.now.shown
		m.typ.copyTo(m.now.writable, m.now.shown)
	}
	m.fail(err)
}

// fail ends the run. A nil error is success.
func (m *machine) fail(err error) {
	if m.merged { // and not concluded
		m.unmerge()
	}
	m.err, m.phase = err, phaseClose
}

// saveError is the error of a run whose end could not be saved. An unsaved
// interrupt cannot be answered, so the run has failed.
func saveError(err, late error) error {
	if _, stopped := err.(*InterruptedError); stopped {
		return late
	}
	return errors.Join(err, late)
}

// ended ends the run. All changes are committed by then, or late says why not.
func (m *machine) ended(out *output, late error) {
	out.reset()
	if late != nil && !errors.Is(m.err, late) {
		m.err = saveError(m.err, fmt.Errorf("saving the run: %w", late))
	}
	next := m.dueNames()
	if stopped, is := m.err.(*InterruptedError); is {
		next = stopped.Next
		if m.paused != nil {
			m.now = *m.paused
		}
	}
	if m.started && m.wants(RunEnd) {
		m.step++
		m.publish(out, event{foreign: foreign{Kind: RunEnd, Nodes: next, Waiting: m.waiting(), Err: m.err}, state: m.visible()}, -1)
	}
}

// halt stops a run at a breakpoint.
func (m *machine) halt(out *output) {
	var finished []result
	if m.ledger.hasUpdates {
		var err error
		if finished, err = m.finishedTasks(); err != nil {
			m.fail(err)
			return
		}
	}
	m.pause(out, finished, nil)
}
