package graph

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A result is a task with its outcome.
type result struct {
	node          int   // end for a run's input
	place         int32 // position among the superstep's tasks
	send          int32 // position among its Sends, from 1; 0 for none
	attempt       int32 // the last attempt
	jumps         bool  // a Command replaces the node's edges
	interrupted   bool  // the task waits for answers
	allowCommands bool  // the input may hold Commands
	sent          *queuedSend
	earlier       *earlierAttempts // nil without records of earlier attempts
	task          *task            // owned by the driver
	memo          *memo            // nil without a cache
	err           error
	failure       *NodeError        // to be recorded for err; nil for nothing
	interrupts    *[]question       // nil for none
	children      map[string]string // newest checkpoints of subgraphs that keep their state
	update        update
	chosen        choice // successors that routers and Commands chose

	handled, cached, replayed bool // the handler took over; the update's origin
	elapsed                   time.Duration
}

// clear empties a result for the next superstep.
func (res *result) clear() {
	res.attempt, res.jumps, res.interrupted, res.handled, res.cached, res.replayed = 1, false, false, false, false, false
	res.sent, res.earlier, res.memo, res.err, res.failure, res.interrupts, res.children = nil, nil, nil, nil, nil, nil, nil
	res.update, res.elapsed = res.update[:0], 0 // chosen is empty
}

// finished reports whether an earlier attempt finished the task.
func (res *result) finished() bool { return res.earlier != nil && res.earlier.done }

// earlierAttempts holds the records of earlier attempts at a task, also by
// other processes.
type earlierAttempts struct {
	records map[recordKey][]byte
	done    bool // they finished the task
}

// taskDone takes the outcome of a task.
func (m *machine) taskDone(out *output, i int) {
	out.reset()
	res := &m.results[i]
	lone := len(m.results) == 1
	if res.err == nil && !res.interrupted && lone && !m.merged {
		res.err = m.commit()
	}
	switch {
	case res.interrupted && res.err == nil:
		return
	case m.ledger == nil:
	case res.failure != nil:
		data, err := encodeFailure(res.failure, res.handled)
		if err != nil {
			m.taskRecorded(out, i, err)
			return
		}
		out.save = m.recorded(m.recordOf(res, RecordError, "", data))
	case res.err == nil && !lone && !res.finished() && !res.returnsParent():
		records, err := m.returned(res)
		if err != nil {
			m.taskRecorded(out, i, err)
			return
		}
		out.save = m.recorded(records...)
	}
	if out.save == nil {
		m.taskRecorded(out, i, nil)
	}
}

// returned makes the records of a task's update. A task with a record does not
// run again when a sibling fails or the process dies. An update for a parent
// graph cannot be decoded, so its task gets no record.
func (m *machine) returned(res *result) ([]Record, error) {
	data, err := m.appendSaved(nil, res.update)
	if err != nil {
		return nil, err
	}
	records := []Record{m.recordOf(res, RecordUpdate, "", data)}
	if len(res.children) > 0 {
		if data, err = encode(&res.children); err != nil {
			return nil, err
		}
		records = append(records, m.recordOf(res, RecordOnce, childrenKey, data))
	}
	return records, nil
}

// taskRecorded takes the outcome of recording a task, and publishes the task's
// end.
func (m *machine) taskRecorded(out *output, i int, late error) {
	out.reset()
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
	ev.Places, ev.Send = []Place{{m.step, int(res.place)}}, int(res.send)
	if m.ledger != nil {
		ev.tasks = taskNames{own: true, namespace: m.namespace, point: m.id}
	}
	out.events = append(out.events, ev)
}

// tasksDone ends the tasks of a superstep. The error says why some did not
// begin, or what a driver did wrong.
func (m *machine) tasksDone(out *output, why error) {
	out.reset()
	err := firstFailure(m.results)
	if err == nil {
		err = why
	}
	if err == nil && m.canInterrupt {
		if pending, waits := m.pending(); waits {
			m.pause(out, slices.DeleteFunc(slices.Clone(m.results), func(res result) bool {
				return res.interrupted || res.returnsParent()
			}), asked(pending))
			m.ready(out)
			return
		}
	}
	if err == nil && !m.merged {
		err = m.commit()
	}
	if err == nil {
		err = m.parentUpdate()
	}
	if err != nil {
		m.fail(err)
	} else {
		m.conclude(out)
	}
	m.ready(out)
}

// errSibling cancels a node whose sibling failed.
var errSibling = errors.New("another node of the superstep failed")

// firstFailure prefers a task's own failure to a cancellation by a sibling.
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

// conclude commits the next state, and saves it.
func (m *machine) conclude(out *output) {
	if m.ledger == nil {
		m.now.shown, m.nextShown = m.nextShown, m.now.shown
	} else {
		if m.previousShown == nil {
			m.previousShown = m.typ.fresh()
		}
		m.previousShown, m.now.shown, m.nextShown = m.now.shown, m.nextShown, m.previousShown
	}
	m.merged = false
	if m.collects {
		m.noteWrites()
	}
	var ran []string
	if len(m.after) > 0 {
		ran = m.dueNames()
	}
	wrote := m.resumeUpdates != nil || m.wants(StateValue) && m.wrote()
	m.replaceFrontier()
	if wrote {
		m.publishState(out, len(m.results))
	}
	m.stopsAfter = len(ran) > 0 && m.due() > 0 && slices.ContainsFunc(ran, m.after.has)
	m.phase = phaseSaved
	if m.ledger != nil {
		m.stopsAtBreakpoint = m.stopsAfter
		m.save(out, SourceLoop, m.results)
	}
}

// concludeAlone is conclude for one task that nothing can see.
func (m *machine) concludeAlone(res *result, n *node) {
	m.now.shown, m.nextShown, m.merged, m.phase = m.nextShown, m.now.shown, false, phaseSaved
	if m.collects {
		m.noteWrites()
	}
	chosen, x := res.chosen.nodes, &n.exits
	switch {
	case res.jumps || len(res.chosen.sends)+len(x.joins)+len(m.sends) > 0:
	case len(chosen) == 0 && len(x.next) == 1 && m.nodes[x.next[0]].plain:
		m.next[0] = x.next[0]
		return
	case len(chosen) == 1 && len(x.next) == 0 && chosen[0] != end && m.nodes[chosen[0]].plain:
		m.next[0], res.chosen.nodes = chosen[0], chosen[:0]
		return
	}
	m.replaceFrontier()
}

// wrote reports whether a task of the superstep wrote a channel.
func (m *machine) wrote() bool {
	return slices.ContainsFunc(m.results, func(res result) bool {
		return slices.ContainsFunc(res.update, func(w write) bool { return w.channel() != nil })
	})
}

// pending lists the interrupts of the superstep's tasks.
func (m *machine) pending() (pending []question, waits bool) {
	for i := range m.results {
		if m.results[i].interrupted {
			waits, pending = true, append(pending, *m.results[i].interrupts...)
		}
	}
	return pending, waits
}

// pause stops a run for answers, or at a breakpoint. It merges the writes of
// finished tasks of the unfinished superstep. The state and the next nodes equal
// those of State: writes that conflict are left out.
func (m *machine) pause(out *output, finished []result, pending []PendingInterrupt) {
	next := m.dueNames()
	if then, wrote, err := m.mergedWith(finished); err == nil {
		m.paused = &then
		left := next[:0]
		for i, name := range next {
			if len(finished) > 0 && int(finished[0].place) == i {
				finished = finished[1:]
			} else {
				left = append(left, name)
			}
		}
		next = left
		if wrote && m.wants(StateValue) {
			m.publish(out, event{foreign: foreign{Kind: StateValue}, state: then.shown}, m.due())
		}
	}
	m.publish(out, event{foreign: foreign{Kind: RunInterrupt, Interrupts: pending, Nodes: next}}, m.due())
	m.fail(&InterruptedError{pending, next, m.saved().Thread})
}
