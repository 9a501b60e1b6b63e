package graph

import (
	"fmt"
	"slices"
)

// A tally counts the writes of one merge, channel by channel. It is reused
// from merge to merge; a count of an earlier epoch is void.
type tally struct {
	epoch int
	slots []slot
}

type slot struct {
	epoch      int
	sets       int
	overwrites int
}

func newTally(channels int) *tally { return &tally{slots: make([]slot, channels)} }

func (t *tally) begin() { t.epoch++ }

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
	}
	return s.sets > 1 || s.overwrites > 1
}

// mergeStep merges the results of the current superstep into its state.
func (r *run[S]) mergeStep(results []result[S]) (S, bool, error) {
	state, wrote, err := r.merge(r.state, r.tally, results)
	if err != nil {
		return r.state, false, fmt.Errorf("committing step %d: %w", r.step, err)
	}
	return state, wrote, nil
}

// merge applies the updates of results to a copy of base, in their order. It
// checks every write before it applies one, so base stands when it fails.
func (r *run[S]) merge(base S, t *tally, results []result[S]) (state S, wrote bool, err error) {
	defer recoverAs(&err)
	t.begin()
	crowded := false
	for i := range results {
		for _, w := range results[i].update {
			at, ok := r.slots[w.channel()]
			if !ok {
				return base, false, r.unknownChannel(results[i].node, w)
			}
			crowded = t.count(at, w.Op()) || crowded
			wrote = true
		}
	}
	if crowded {
		if err := r.conflict(t, results); err != nil {
			return base, false, err
		}
	}
	state = base
	for i := range results {
		for _, w := range results[i].update {
			if w.Op() != OpOverwrite && t.slots[r.slots[w.channel()]].overwrites > 0 {
				continue
			}
			w.apply(&state)
		}
	}
	return state, wrote, nil
}

// conflict names the first channel, in the graph's order, whose writes cannot
// be merged. An overwrite makes the sets beside it void.
func (r *run[S]) conflict(t *tally, results []result[S]) error {
	for at, s := range t.slots {
		if s.epoch != t.epoch || s.overwrites == 0 && s.sets < 2 || s.overwrites == 1 {
			continue
		}
		op := OpSet
		if s.overwrites > 1 {
			op = OpOverwrite
		}
		e := &ConflictError{Channel: r.channels[at].Name(), Op: op}
		for _, res := range results {
			for _, w := range res.update {
				if w.channel() == r.channels[at].id() && w.Op() == op {
					e.Writers = append(e.Writers, r.writer(res.node))
				}
			}
		}
		e.Writers = slices.Compact(e.Writers)
		return e
	}
	return nil
}

func (r *run[S]) unknownChannel(node int, w Write[S]) error {
	known := make([]string, len(r.channels))
	for i, ch := range r.channels {
		known[i] = ch.Name()
	}
	return &UnknownChannelError{Channel: w.Channel(), Writer: r.writer(node), Known: known}
}

// writer names who wrote: a node, or Start for the input.
func (r *run[S]) writer(node int) string {
	if node == end {
		return Start
	}
	return r.nodes[node].name
}
