package graph

import (
	"errors"
	"fmt"
	"slices"
	"time"
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

// A snapshot is a state as the run keeps it and as it shows it. In what is
// shown lists have no spare capacity, so that a node that appends to its copy
// does not write into the run's. A superstep is merged into what is kept; what is
// shown stands until the superstep is concluded.
type snapshot struct{ kept, shown any }

func (p *program) newSnapshot() snapshot { return snapshot{p.typ.fresh(), p.typ.fresh()} }

// copied is a snapshot that shares nothing with s but what the states point to.
func (p *program) copied(s snapshot) snapshot {
	return snapshot{p.typ.copyOf(s.kept), p.typ.copyOf(s.shown)}
}

// put makes a state the one of a snapshot.
func (p *program) put(s *snapshot, state any) {
	p.typ.copyTo(s.kept, state)
	p.show(s)
}

// show sets what is shown of a snapshot from what is kept.
func (p *program) show(s *snapshot) {
	p.typ.copyTo(s.shown, s.kept)
	p.clip(s.shown)
}

// clip takes the spare capacity off a state's lists.
func (p *program) clip(s any) {
	for _, ch := range p.lists {
		ch.clip(s)
	}
}

// A result is a task and what came of it.
type result struct {
	node    int   // end for a run's input
	place   int32 // among the superstep's tasks
	send    int32 // among its Sends, from 1; 0 for none
	attempt int32 // the last one
	jumps   bool  // a command stands in for all that leads away
	waits   bool  // for answers
	leads   bool  // of the input: its commands count
	sent    *delivery
	past    *past // what earlier attempts, of other processes too, left on record; nil for nothing
	task    *task // the driver's
	memo    *memo // nil without a cache
	err     error
	failure *NodeError          // what is to be on record of err; nil for nothing
	asked   *[]PendingInterrupt // nil for nothing
	inner   map[string]string   // newest checkpoints of subgraphs that keep their state
	update  update
	chosen  choice // successors chosen by conditional edges and commands

	handled, cached, replayed bool // the node's handler had the failure before; where the update comes from
	elapsed                   time.Duration
}

// clear makes the place of a result one for the next superstep.
func (res *result) clear() {
	res.attempt, res.jumps, res.waits, res.handled, res.cached, res.replayed = 1, false, false, false, false, false
	res.sent, res.past, res.memo, res.err, res.failure, res.asked, res.inner = nil, nil, nil, nil, nil, nil, nil
	res.update, res.elapsed = res.update[:0], 0 // chosen is empty
}

// finished reports whether an earlier attempt finished the task.
func (res *result) finished() bool { return res.past != nil && res.past.done }

// past is what earlier attempts at a task left on record.
type past struct {
	left map[recordKey][]byte
	done bool // they finished the task
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
	*out = output{}
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

// stepped is told that a task has come to its end.
func (m *machine) stepped(out *output, i int) {
	*out = output{}
	res := &m.results[i]
	lone := len(m.results) == 1
	if res.err == nil && !res.waits && lone && !m.merged {
		res.err = m.commit()
	}
	switch {
	case res.waits && res.err == nil:
		return
	case m.ledger == nil:
	case res.failure != nil:
		data, err := encode(&savedFailure{res.failure.Err.Error(), res.failure.Attempts, res.handled})
		if err != nil {
			m.putDown(out, i, err)
			return
		}
		out.save = m.recorded(m.recordOf(res, RecordError, "", data))
	case res.err == nil && !lone && !res.finished() && !res.parent():
		records, err := m.returned(res)
		if err != nil {
			m.putDown(out, i, err)
			return
		}
		out.save = m.recorded(records...)
	}
	if out.save == nil {
		m.putDown(out, i, nil)
	}
}

// returned are the records of what one of several tasks returned, so that it is
// not run again when another fails or the process dies. An update for a parent
// graph cannot be read again, so its task is.
func (m *machine) returned(res *result) ([]Record, error) {
	data, err := m.appendSaved(nil, res.update)
	if err != nil {
		return nil, err
	}
	records := []Record{m.recordOf(res, RecordUpdate, "", data)}
	if len(res.inner) > 0 {
		if data, err = encode(&res.inner); err != nil {
			return nil, err
		}
		records = append(records, m.recordOf(res, RecordOnce, childrenKey, data))
	}
	return records, nil
}

// putDown is told that a task's outcome is on record, or why not.
func (m *machine) putDown(out *output, i int, late error) {
	*out = output{}
	res := &m.results[i]
	switch {
	case late == nil:
	case res.err == nil:
		res.err = m.nodeError(res, fmt.Errorf("saving what it returned: %w", late))
	default:
		res.err = errors.Join(res.err, late)
	}
	switch {
	case res.err != nil && m.wants(NodeFailed):
		m.publishOf(out, res, event{foreign: foreign{Kind: NodeFailed, Err: res.err}})
	case res.err == nil && m.wants(NodeUpdate):
		m.publishOf(out, res, event{foreign: foreign{Kind: NodeUpdate, Cached: res.finished() || res.cached, Replayed: res.replayed}, update: res.update})
	}
}

func (m *machine) publishOf(out *output, res *result, ev event) {
	ev.Step, ev.Node, ev.Attempt, ev.Elapsed = m.step, m.nodes[res.node].name, int(res.attempt), res.elapsed
	ev.Places = []Place{{m.step, int(res.place)}}
	out.events = append(out.events, ev)
}

// settle is told that no more tasks come to their end; why is the reason if some
// of them did not begin, or the fault of a driver.
func (m *machine) settle(out *output, why error) {
	*out = output{}
	err := firstFailure(m.results)
	if err == nil {
		err = why
	}
	if err == nil && m.asks {
		if pending, waits := m.pending(); waits {
			m.showFinished(out)
			m.halt(out, pending)
			m.ready(out)
			return
		}
	}
	if err == nil && !m.merged {
		err = m.commit()
	}
	if err == nil {
		err = m.handedOver()
	}
	if err != nil {
		m.fail(err)
	} else {
		m.conclude(out)
	}
	m.ready(out)
}

// errSibling ends the nodes beside one that failed.
var errSibling = errors.New("another node of the superstep failed")

// firstFailure prefers what failed by itself to what was made to stop.
func firstFailure(results []result) error {
	var stopped error
	for i := range results {
		switch err := results[i].err; {
		case err == nil:
		case !errors.Is(err, errSibling):
			return err
		case stopped == nil:
			stopped = err
		}
	}
	return stopped
}

// conclude makes the next state the committed one, and saves it.
func (m *machine) conclude(out *output) {
	if m.ledger == nil {
		m.now.shown, m.then = m.then, m.now.shown
	} else {
		if m.was == nil {
			m.was = m.typ.fresh()
		}
		m.was, m.now.shown, m.then = m.now.shown, m.then, m.was
	}
	m.merged = false
	if m.collects {
		m.noteWrites()
	}
	var ran []string
	if len(m.after) > 0 {
		ran = m.dueNames()
	}
	wrote := m.early != nil || m.wants(StateValue) && m.wrote()
	m.replaceFrontier()
	if wrote {
		m.publishState(out, len(m.results))
	}
	m.stops = len(ran) > 0 && m.due() > 0 && slices.ContainsFunc(ran, m.after.has)
	m.phase = phaseSaved
	if m.ledger != nil {
		m.halts = m.stops
		m.save(out, SourceLoop, m.results)
	}
}

// wrote reports whether a task of the superstep wrote a channel.
func (m *machine) wrote() bool {
	return slices.ContainsFunc(m.results, func(res result) bool {
		return slices.ContainsFunc(res.update, func(w write) bool { return w.channel() != nil })
	})
}

// saved is told how the commit of a change went.
func (m *machine) saved(out *output, err error) {
	*out = output{}
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
	*out = output{}
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

// pending are the questions of the superstep's tasks.
func (m *machine) pending() (pending []PendingInterrupt, waits bool) {
	for i := range m.results {
		if m.results[i].waits {
			waits, pending = true, append(pending, *m.results[i].asked...)
		}
	}
	return pending, waits
}

// showFinished makes the state that State has of a superstep that waits. What
// cannot be merged is left out, as State leaves it out.
func (m *machine) showFinished(out *output) {
	var finished []result
	for _, res := range m.results {
		if !res.waits && !res.parent() {
			finished = append(finished, res)
		}
	}
	then := m.copied(m.now)
	wrote, err := m.merge(then.kept, newTally(len(m.channels)), finished)
	if err != nil {
		return
	}
	m.show(&then)
	m.paused = &then
	if wrote && m.wants(StateValue) {
		m.publish(out, event{foreign: foreign{Kind: StateValue}, state: then.shown}, len(m.results))
	}
}

// visible is the state as the caller sees it.
func (m *machine) visible() any {
	if m.output == nil {
		return m.now.shown
	}
	return m.part(m.output)
}

// part is a copy of the committed state with these channels only.
func (m *machine) part(only []channel) any {
	s := m.typ.fresh()
	for _, ch := range only {
		ch.copyField(s, m.now.shown)
	}
	return s
}

// input is what a task runs on: the committed state, or what it was sent. It is
// for reading only.
func (m *machine) input(res *result) any {
	switch reads := m.nodes[res.node].opts.reads; {
	case res.sent != nil:
		return res.sent.state
	case reads == nil:
		return m.now.shown
	default:
		return m.part(reads)
	}
}

// nodeError is err as the failure of a task.
func (m *machine) nodeError(res *result, err error) *NodeError {
	return &NodeError{Node: m.nodes[res.node].name, Step: m.step, Send: int(res.send), Attempts: int(res.attempt), Err: err}
}

func (m *machine) wants(k EventKind) bool { return m.modes.wants(k) }

// publish adds an event of the run itself, placed at a position in its step.
func (m *machine) publish(out *output, ev event, position int) {
	if !m.wants(ev.Kind) {
		return
	}
	ev.Step, ev.Places = m.step, []Place{{m.step, position}}
	out.events = append(out.events, ev)
}

// publishState reports the state after all tasks of a superstep.
func (m *machine) publishState(out *output, position int) {
	if m.wants(StateValue) {
		m.publish(out, event{foreign: foreign{Kind: StateValue}, state: m.now.shown}, position)
	}
}
