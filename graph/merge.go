package graph

import (
	"fmt"
	"slices"
)

// A tally counts the writes of one merge, channel by channel. It is reused
// from merge to merge; a count of an earlier epoch is void.
type tally struct {
	epoch      int
	overwrites int // in this epoch, of all channels
	slots      []slot
}

type slot struct {
	epoch      int
	sets       int
	overwrites int
}

func newTally(channels int) *tally { return &tally{slots: make([]slot, channels)} }

func (t *tally) begin() {
	t.epoch++
	t.overwrites = 0
}

// count notes a write and reports whether its channel now has too many.
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
		t.overwrites++
	}
	return s.sets > 1 || s.overwrites > 1
}

// overwritten reports whether a channel is overwritten in this epoch.
func (t *tally) overwritten(at int) bool {
	return t.slots[at].epoch == t.epoch && t.slots[at].overwrites > 0
}

// commit makes the next state of the committed one and the results of the
// superstep. The committed state stands until the superstep is concluded.
func (m *machine) commit() error {
	m.merged = true
	m.expire(m.now.kept)
	if _, err := m.merge(m.now.kept, m.tally, m.results); err != nil {
		m.unmerge()
		return m.refused(err)
	}
	m.typ.copyTo(m.then, m.now.kept)
	m.clip(m.then)
	return nil
}

// unmerge takes back what commit made: what is shown stands.
func (m *machine) unmerge() {
	m.typ.copyTo(m.now.kept, m.now.shown)
	m.merged = false
}

// seenBy is the state that the routers behind a task read: the committed one
// with the task's own writes. Of a lone task that is the next state, but for
// Ephemeral channels. Tasks side by side may ask at the same time.
func (m *machine) seenBy(res *result) (any, error) {
	if len(m.results) == 1 {
		if err := m.commit(); err != nil || len(m.fleeting) == 0 {
			return m.then, err
		}
	}
	own := m.typ.copyOf(m.now.shown)
	if _, err := m.merge(own, newTally(len(m.channels)), m.results[res.place:res.place+1]); err != nil {
		return nil, m.refused(err)
	}
	m.clip(own)
	return own, nil
}

func (m *machine) refused(err error) error {
	return fmt.Errorf("committing step %d: %w", m.step, err)
}

// merge applies the updates of results to state, in their order. Every write
// is checked before one is applied; when a reducer panics, state is spoilt.
func (m *machine) merge(state any, t *tally, results []result) (wrote bool, err error) {
	t.begin()
	crowded := false
	for i := range results {
		for _, w := range results[i].update {
			if w == nil {
				return false, fmt.Errorf("%w: node %q returned a nil write", ErrInvalidUpdate, m.writer(results[i].node))
			}
			id := w.channel()
			if id == nil {
				if results[i].node == end && !results[i].leads {
					return false, fmt.Errorf("%w: a command (%s) in the run's input, which no node returned", ErrInvalidUpdate, w.Op())
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
	var res *result
	var w write
	defer func() {
		if v := recover(); v != nil {
			err = m.mergePanic(res, w, caught(v))
		}
	}()
	for i := range results {
		res = &results[i]
		for _, w = range res.update {
			if t.overwrites > 0 && w.Op() != OpOverwrite && w.channel() != nil && t.overwritten(m.slot(w.channel())) {
				continue
			}
			w.apply(state)
		}
	}
	return wrote, nil
}

// mergePanic names the write that a reducer panicked on.
func (m *machine) mergePanic(res *result, w write, panicked *PanicError) error {
	err := fmt.Errorf("merging a write to channel %q: %w", w.Channel(), panicked)
	if res.node == end { // the run's input
		return err
	}
	return m.nodeError(res, err)
}

// conflict names the first channel, in the graph's order, whose writes cannot
// be merged. An overwrite makes the sets beside it void.
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

// writer names who wrote: a node, or Start for the input.
func (p *program) writer(node int) string {
	if node < 0 {
		return Start
	}
	return p.nodes[node].name
}
