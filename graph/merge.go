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
// superstep. The committed state stands until the run takes the next.
func (r *run) commit(results []result) (wrote bool, err error) {
	r.typ.copyTo(r.then.kept, r.now.kept)
	r.expire(r.then.kept)
	if wrote, err = r.merge(r.then.kept, r.tally, results); err != nil {
		return false, r.refused(err)
	}
	r.show(&r.then)
	return wrote, nil
}

// ownWrites is the committed state with one task's writes, for its router.
func (r *run) ownWrites(one []result) (any, error) {
	own := r.typ.copyOf(r.now.shown)
	if _, err := r.merge(own, newTally(len(r.channels)), one); err != nil {
		return nil, r.refused(err)
	}
	r.clip(own)
	return own, nil
}

func (r *run) refused(err error) error {
	return fmt.Errorf("committing step %d: %w", r.step, err)
}

// merge applies the updates of results to state, in their order. Every write
// is checked before one is applied; when a reducer panics, state is spoilt.
func (r *run) merge(state any, t *tally, results []result) (wrote bool, err error) {
	t.begin()
	crowded := false
	for i := range results {
		for _, w := range results[i].update {
			if w == nil {
				return false, fmt.Errorf("%w: node %q returned a nil write", ErrInvalidUpdate, r.writer(results[i].node))
			}
			id := w.channel()
			if id == nil {
				if results[i].task == nil {
					return false, fmt.Errorf("%w: a command (%s) in the run's input, which no node returned", ErrInvalidUpdate, w.Op())
				}
				continue
			}
			at := r.slot(id)
			if at < 0 {
				return false, r.unknownChannel(results[i].node, w)
			}
			crowded = t.count(at, w.Op()) || crowded
			wrote = true
		}
	}
	if crowded {
		if err := r.conflict(t, results); err != nil {
			return false, err
		}
	}
	var res *result
	var w write
	defer func() {
		if v := recover(); v != nil {
			err = r.mergePanic(res, w, caught(v))
		}
	}()
	for i := range results {
		res = &results[i]
		for _, w = range res.update {
			if t.overwrites > 0 && w.Op() != OpOverwrite && w.channel() != nil && t.overwritten(r.slot(w.channel())) {
				continue
			}
			w.apply(state)
		}
	}
	return wrote, nil
}

// mergePanic names the write that a reducer panicked on.
func (r *run) mergePanic(res *result, w write, panicked *PanicError) error {
	err := fmt.Errorf("merging a write to channel %q: %w", w.Channel(), panicked)
	if res.node == end { // the run's input
		return err
	}
	return r.nodeError(res.task, err)
}

// conflict names the first channel, in the graph's order, whose writes cannot
// be merged. An overwrite makes the sets beside it void.
func (r *run) conflict(t *tally, results []result) error {
	for at, s := range t.slots {
		if s.epoch != t.epoch || s.overwrites == 0 && s.sets < 2 || s.overwrites == 1 {
			continue
		}
		op := OpSet
		if s.overwrites > 1 {
			op = OpOverwrite
		}
		e := &ConflictError{Channel: r.ids[at].name, Op: op}
		for _, res := range results {
			for _, w := range res.update {
				if w.channel() == r.ids[at] && w.Op() == op {
					e.Writers = append(e.Writers, r.writer(res.node))
				}
			}
		}
		e.Writers = slices.Compact(e.Writers)
		return e
	}
	return nil
}

func (r *run) unknownChannel(node int, w write) error {
	return &UnknownChannelError{Channel: w.Channel(), Writer: r.writer(node), Known: r.channelNames()}
}

// writer names who wrote: a node, or Start for the input.
func (r *run) writer(node int) string {
	if node == end {
		return Start
	}
	return r.nodes[node].name
}
