package machine

import "slices"

// A Machine is a run of a Plan: what is due, what comes next, and why it ends.
type Machine struct {
	plan       *Plan
	opts       Options
	step       int // the last superstep begun: -1 input, 0 Start, 1 the first nodes
	first      int // the superstep before the first of this call
	phase      phase
	reenters   bool
	leaving    bool
	begun      bool
	stopsAfter bool
	ending     Ending
	failed     int // the task whose failure is the run's; -1 for none
	tasks      []task
	frontier
	room room
}

// A room is the first memory of a Machine's lists, for graphs and supersteps of a few parts.
type room struct {
	queued [8]int
	next   [4]int
	tasks  [1]task
}

// Options are what a call asks for.
type Options struct {
	Limit         int    // supersteps that the call may run
	Saved         bool   // the run is saved
	Resumes       bool   // it goes on, and the driver has answers and updates to merge first
	Forks         bool   // it goes on from a checkpoint that is not the newest
	Stopped       bool   // it has stopped before the superstep that is due, and goes on
	StopsAgain    bool   // a repeated call that had stopped there itself
	Before, After []bool // by node: breakpoints; nil for none
	ShowsRun      bool   // a reader wants the command
	ShowsState    bool
	ShowsSteps    bool
}

type task struct {
	node    int
	outcome Outcome
	choice  *Choice
}

// An Outcome is how a task ended.
type Outcome uint8

const (
	Unfinished Outcome = iota
	Returned           // it ran
	Found              // an earlier run of it had returned
	HandsOver          // it ends the run with an update for the graph around it
	Waits              // for answers
	Cancelled          // it failed since another failed
	Failed
)

// A Do is what a driver is to do.
type Do uint8

const (
	SaveFork   Do = iota + 1 // save a copy of the checkpoint that the run starts from
	Answer                   // merge what came with the call, and record it
	ShowRun                  // show that the run begins
	SaveInput                // save the input, which is not committed
	ShowState                // show the state
	Ask                      // call Start's routers; Choice is where they lead
	SaveStart                // save the state with the input, and what is due
	RecordStop               // record that the run stops at a breakpoint here
	ShowStep                 // show which tasks begin
	Run                      // run the tasks; each is reported with Ended
	Merge                    // merge their writes into the next state, which becomes the state
	SaveStep                 // save the state and what is due
	Halt                     // show that the run stops at a breakpoint
	Wait                     // show what the tasks wait for
	Close                    // see Ending, and save what is not saved
	Finish                   // the run is over
)

// A Command is what a driver does next.
type Command struct {
	Do    Do
	Place int // ShowState: after that many tasks of the superstep
}

// An Event is how the last Command went. The first Event is zero.
type Event struct {
	Failed bool    // it failed, and the run ends
	Wrote  bool    // Merge: a channel was written
	Choice *Choice // Ask
	Stop   bool    // do not begin another superstep: the call is cancelled
	Drain  bool    // the same, if anything is left to run
}

// An Ending is why a run ended.
type Ending uint8

const (
	Done    Ending = iota // nothing is due
	Broken                // a task or the driver failed
	Stopped               // Event.Stop
	Drained               // Event.Drain
	Limited               // Options.Limit
	Paused                // at a breakpoint, or for answers
)

// A phase is what Step does next.
type phase uint8

const (
	forking phase = iota
	answering
	beginning
	entering
	showingInput
	askingStart
	leavingStart
	resting
	staging
	running
	merging
	showingState
	savingStep
	concluding
	halting
	waiting
	paused
	closing
	over
)

// Init makes a Machine ready for a new thread. It must not be copied after that.
func (m *Machine) Init(p *Plan) {
	m.plan, m.step, m.failed = p, -1, -1
	m.queued, m.next, m.tasks = m.room.queued[:], m.room.next[:0], m.room.tasks[:0]
	if len(p.Nodes) > len(m.queued) {
		m.queued = make([]int, len(p.Nodes))
	}
	if len(p.Joins) > 0 {
		m.arrived = make([][]bool, len(p.Joins))
		for i, j := range p.Joins {
			m.arrived[i] = make([]bool, j.Sources)
		}
	}
}

// Step returns what to do after an event.
func (m *Machine) Step(e Event) Command {
	if e.Failed && m.phase < closing {
		switch m.phase {
		case leavingStart:
			m.step--
		case running: // some tasks did not begin, maybe since another failed
			m.failed = m.failure()
		}
		m.end(Broken)
	}
	for {
		if c := m.advance(&e); c.Do != 0 {
			return c
		}
	}
}

// advance goes on by one phase. It returns no Command where there is nothing to do.
func (m *Machine) advance(e *Event) (c Command) {
	switch m.phase {
	case forking:
		m.phase = beginning
		if m.opts.Resumes {
			m.phase = answering
		}
		if m.opts.Forks {
			m.step++
			c.Do = SaveFork
		}
	case answering:
		m.phase, c.Do = beginning, Answer
	case beginning:
		m.begun, m.phase = true, entering
		if m.opts.ShowsRun {
			c.Do = ShowRun
		}
	case entering:
		switch {
		case e.Stop:
			m.end(Stopped)
		case m.entering:
			m.phase = showingInput
			if m.opts.Saved && !m.reenters {
				c.Do = SaveInput
			}
		default:
			m.first, m.phase = m.step, resting
			c = m.show(m.Due())
		}
	case showingInput:
		m.phase = askingStart
		c = m.show(0)
	case askingStart:
		m.step++
		m.phase = leavingStart
		if m.plan.Start.Asks {
			c.Do = Ask
		}
	case leavingStart:
		m.follow(Start, e.Choice)
		m.arrange()
		m.entering, m.leaving = false, true
		m.first, m.phase = m.step, concluding
		c = m.save(SaveStart)
	case resting:
		c = m.rest(e)
	case staging:
		m.stage()
		m.phase, c.Do = running, Run
	case running:
		c = m.ran()
	case merging:
		m.conclude(e)
	case showingState:
		m.phase = savingStep
		c = m.show(len(m.tasks))
	case savingStep:
		m.phase = concluding
		c = m.save(SaveStep)
	case concluding:
		m.leaving, m.phase = false, resting
		if m.stopsAfter {
			m.phase = halting
		}
	case halting:
		m.phase, c.Do = paused, Halt
	case waiting:
		m.phase, c.Do = paused, Wait
	case paused:
		m.end(Paused)
	case closing:
		m.phase, c.Do = over, Close
	default:
		c.Do = Finish
	}
	return c
}

// show returns the command to show the state, if a reader wants it.
func (m *Machine) show(place int) (c Command) {
	if m.opts.ShowsState {
		c = Command{ShowState, place}
	}
	return c
}

// save returns a command of a saved run.
func (m *Machine) save(do Do) (c Command) {
	if m.opts.Saved {
		c.Do = do
	}
	return c
}

// end ends the run.
func (m *Machine) end(why Ending) { m.ending, m.phase = why, closing }

// rest begins the next superstep, or ends the run.
func (m *Machine) rest(e *Event) (c Command) {
	passed := m.opts.Stopped
	m.opts.Stopped = false
	switch {
	case m.Due() == 0:
		m.end(Done)
	case e.Drain:
		m.end(Drained)
	case m.opts.StopsAgain: // nobody has resumed it
		m.phase = halting
	case !passed && m.stops(m.opts.Before):
		m.phase, c.Do = halting, RecordStop
	case e.Stop:
		m.end(Stopped)
	case m.step-m.first >= m.opts.Limit:
		m.end(Limited)
	default:
		m.step++
		m.phase = staging
		if m.opts.ShowsSteps {
			c.Do = ShowStep
		}
	}
	return c
}

// stops reports whether a task that is due, or runs, is at a breakpoint.
func (m *Machine) stops(at []bool) bool {
	if at == nil {
		return false
	}
	return slices.ContainsFunc(m.next, func(id int) bool { return at[id] }) ||
		slices.ContainsFunc(m.sends, func(s Send) bool { return at[s.To] })
}

// stage makes the tasks of a superstep.
func (m *Machine) stage() {
	if due := m.Due(); cap(m.tasks) < due {
		m.tasks = make([]task, due)
	} else {
		m.tasks = m.tasks[:due]
	}
	for i := range m.tasks {
		node, _ := m.Task(i)
		m.tasks[i] = task{node: node}
	}
}

// Ended reports how a task ended, and where it leads. It returns whether what the task returned is
// to be recorded now: then it does not run again when another one fails or the process dies.
func (m *Machine) Ended(i int, how Outcome, choice *Choice) (record bool) {
	m.tasks[i].outcome, m.tasks[i].choice = how, choice
	return how == Returned && len(m.tasks) > 1 && m.opts.Saved
}

// failure returns the first task that failed, or else the first that was cancelled, or -1.
func (m *Machine) failure() int {
	cancelled := -1
	for i := range m.tasks {
		switch how := m.tasks[i].outcome; {
		case how == Failed:
			return i
		case how == Cancelled && cancelled < 0:
			cancelled = i
		}
	}
	return cancelled
}

// ran ends the tasks of a superstep.
func (m *Machine) ran() (c Command) {
	if m.failed = m.failure(); m.failed >= 0 {
		m.end(Broken)
		return c
	}
	if slices.ContainsFunc(m.tasks, func(t task) bool { return t.outcome == Waits }) {
		m.phase = waiting
		return c
	}
	m.phase, c.Do = merging, Merge
	return c
}

// conclude ends a superstep whose writes are merged.
func (m *Machine) conclude(e *Event) {
	stops := m.stops(m.opts.After)
	m.replace()
	m.stopsAfter = stops && m.Due() > 0
	if m.phase = savingStep; e.Wrote {
		m.phase = showingState
	}
}

// Pass is for a driver that runs supersteps of one plain task which nothing saves and nobody sees.
// It says that the task has run, that its writes are merged, and what it chose. When the next
// superstep is of that kind, too, and on is true, Pass begins it and returns its node. Otherwise
// the driver goes on with Step.
func (m *Machine) Pass(chosen *Choice, on bool) (node int, more bool) {
	x := &m.plan.Nodes[m.next[0]]
	to := Start
	switch {
	case chosen.Jumps || len(chosen.Sends)+len(x.Joins) > 0:
	case len(chosen.Nodes) == 0 && len(x.Next) == 1:
		to = x.Next[0]
	case len(chosen.Nodes) == 1 && len(x.Next) == 0:
		to = chosen.Nodes[0]
	}
	if to >= 0 && m.plan.Nodes[to].Plain {
		m.next[0] = to
		chosen.Nodes = chosen.Nodes[:0]
	} else {
		m.tasks = append(m.tasks[:0], task{node: m.next[0], choice: chosen})
		m.replace()
	}
	if m.phase = concluding; !on || len(m.next) != 1 || len(m.sends) > 0 || m.step-m.first >= m.opts.Limit || !m.plan.Nodes[m.next[0]].Plain {
		return 0, false
	}
	m.step++
	m.phase, m.tasks[0].node = running, m.next[0]
	return m.next[0], true
}

// Begin sets what a call asks for, before the first Step.
func (m *Machine) Begin(opts Options) { m.opts = opts }

// Skip counts a superstep that the driver makes by itself: an input of a later turn, or an edit.
func (m *Machine) Skip() { m.step++ }

// Resume sets the superstep that a saved thread has reached.
func (m *Machine) Resume(step int) { m.step = step }

// Superstep returns the number of the last superstep begun: -1 for the input, 0 for Start, 1 for
// the first nodes.
func (m *Machine) Superstep() int { return m.step }

// First returns the superstep before the first of this call.
func (m *Machine) First() int { return m.first }

// Begun reports whether the run was shown to begin.
func (m *Machine) Begun() bool { return m.begun }

// StopsAfter reports whether the run stops after the superstep that was concluded last.
func (m *Machine) StopsAfter() bool { return m.stopsAfter }

// Ending returns why the run ended, and the task whose failure broke it; -1 for none.
func (m *Machine) Ending() (why Ending, task int) { return m.ending, m.failed }
