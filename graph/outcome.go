package graph

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

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

// stepped is told that a task has come to its end.
func (m *machine) stepped(out *output, i int) {
	out.reset()
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
		data, err := encodeFailure(res.failure, res.handled)
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
	ev.Places = []Place{{m.step, int(res.place)}}
	out.events = append(out.events, ev)
}

// settle is told that no more tasks come to their end; why is the reason if some
// of them did not begin, or the fault of a driver.
func (m *machine) settle(out *output, why error) {
	out.reset()
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
	then, wrote, err := m.mergedWith(finished)
	if err != nil {
		return
	}
	m.paused = &then
	if wrote && m.wants(StateValue) {
		m.publish(out, event{foreign: foreign{Kind: StateValue}, state: then.shown}, len(m.results))
	}
}
