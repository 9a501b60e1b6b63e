package graph

import (
	"fmt"
	"slices"
)

// A tally counts the writes of one merge by channel. Merges reuse it. Counts of
// an earlier epoch are void.
type tally struct {
	epoch int
	slots []slot
}

type slot struct {
	epoch      int
	sets       int32
	overwrites int32
	owned      bool // an edit of this merge has made the list its own array
}

// count counts a write and reports whether its channel now has too many.
func (t *tally) count(at int, op Op) bool {
	s := &t.slots[at]
	if s.epoch != t.epoch {
		*s = slot{epoch: t.epoch}
	}
	switch op {
	case OpSet:
		s.sets++
	case OpOverwrite:
		s.overwrites++
	}
	return s.sets > 1 || s.overwrites > 1
}

// commit merges the results of the superstep into the next state. The shown
// state stands until the superstep is concluded.
func (m *machine) commit() error {
	m.merged = true
	m.expire(m.now.writable)
	if _, err := m.merge(m.now.writable, &m.tally, m.results); err != nil {
		m.unmerge()
		return m.refused(err)
	}
	m.typ.copyTo(m.nextShown, m.now.shown)
	copyFields(m.nextShown, m.now.writable, m.fleeting)
	for at := range m.channels {
		if m.tally.slots[at].epoch == m.tally.epoch {
			m.channels[at].copyField(m.nextShown, m.now.writable)
			m.channels[at].clip(m.nextShown)
		}
	}
	return nil
}

// unmerge undoes commit.
func (m *machine) unmerge() {
	m.typ.copyTo(m.now.writable, m.now.shown)
	m.merged = false
}

// routerState returns the state for a task's routers: the committed state with
// the task's own writes. For a lone task it is the next state, where Ephemeral
// channels that the task did not write still have what it read. Concurrent tasks
// may call it.
func (m *machine) routerState(res *result) (any, error) {
	if len(m.results) == 1 {
		if err := m.commit(); err != nil {
			return nil, err
		}
		return m.routerView(res), nil
	}
	own := m.typ.copyOf(m.now.shown)
	if _, err := m.merge(own, &tally{slots: make([]slot, len(m.channels))}, m.results[res.place:res.place+1]); err != nil {
		return nil, m.refused(err)
	}
	m.clip(own)
	return own, nil
}

// routerView returns the next state for the routers of a lone task.
func (m *machine) routerView(res *result) any {
	if len(m.fleeting) == 0 {
		return m.nextShown
	}
	own := m.typ.copyOf(m.nextShown)
	for _, ch := range m.fleeting {
		if !slices.ContainsFunc(res.update, func(w write) bool { return w.channel() == ch.id() }) {
			ch.copyField(own, m.now.shown)
		}
	}
	return own
}

func (m *machine) refused(err error) error {
	return fmt.Errorf("committing step %d%s: %w", m.step, ofThread(" of", m.saved().Thread), err)
}

// merge applies the updates of results to state in order. It checks every write
// before it applies one. A reducer's panic leaves state unusable.
func (m *machine) merge(state any, t *tally, results []result) (wrote bool, err error) {
	t.epoch++
	crowded := false
	for i := range results {
		for _, w := range results[i].update {
			if w == nil {
				return false, fmt.Errorf("%w: node %q returned a nil write", ErrInvalidUpdate, m.writer(results[i].node))
			}
			id := w.channel()
			if id == nil {
				if results[i].node == end && !results[i].allowCommands {
					return false, fmt.Errorf("%w: a command (%s) in the run's input: only nodes return commands", ErrInvalidUpdate, w.Op())
				}
				continue
			}
			at := m.slot(id)
			if at < 0 {
				return false, &UnknownChannelError{Channel: id.name, Writer: m.writer(results[i].node), Known: channelNames(m.channels)}
			}
			crowded = t.count(at, w.Op()) || crowded
			wrote = true
		}
	}
	if crowded {
		if err := m.conflict(t, results); err != nil {
			return false, err
		}
	}
	return wrote, m.applyAll(state, t, results)
}

// applyAll applies checked updates in order.
func (m *machine) applyAll(state any, t *tally, results []result) error {
	for i := range results {
		for _, w := range results[i].update {
			id := w.channel()
			if id == nil { // a Command
				continue
			}
			if s := &t.slots[m.slot(id)]; s.overwrites == 0 || w.Op() == OpOverwrite {
				if err := w.apply(state, &s.owned); err != nil {
					return m.mergePanic(&results[i], w, err)
				}
			}
		}
	}
	return nil
}

// mergePanic names the write that a reducer panicked on.
func (m *machine) mergePanic(res *result, w write, panicked *PanicError) error {
	err := fmt.Errorf("merging a write to channel %q: %w", w.Channel(), panicked)
	if res.node == end { // the run's input
		return err
	}
	return m.nodeError(res, err)
}

// conflict names the first channel, in the graph's order, with conflicting
// writes. An overwrite voids other writes to its channel.
func (m *machine) conflict(t *tally, results []result) error {
	for at, s := range t.slots {
		if s.epoch != t.epoch || s.overwrites == 0 && s.sets < 2 || s.overwrites == 1 {
			continue
		}
		op := OpSet
		if s.overwrites > 1 {
			op = OpOverwrite
		}
		e := &ConflictError{Channel: m.ids[at].name, Op: op}
		for _, res := range results {
			for _, w := range res.update {
				if w.channel() == m.ids[at] && w.Op() == op {
					e.Writers = append(e.Writers, m.writer(res.node))
				}
			}
		}
		e.Writers = slices.Compact(e.Writers)
		return e
	}
	return nil
}

// writer names the node of a write, or Start for the input.
func (p *program) writer(node int) string {
	if node < 0 {
		return Start
	}
	return p.nodes[node].name
}
