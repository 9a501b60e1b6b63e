package graph

import (
	"fmt"
	"slices"

	"example.com/assay/graph/internal/machine"
)

// commit merges the results of the superstep into the next state. The shown
// state stands until the superstep is concluded.
func (pos *position) commit() error {
	pos.merged = true
	pos.program.expire(pos.now.writable)
	if _, err := pos.merge(pos.now.writable, &pos.tally, pos.results); err != nil {
		pos.unmerge()
		return pos.refused(err)
	}
	pos.program.typ.copyTo(pos.nextShown, pos.now.shown)
	copyFields(pos.nextShown, pos.now.writable, pos.program.fleeting)
	for at := range pos.program.channels {
		if pos.tally.Wrote(at) {
			pos.program.channels[at].copyField(pos.nextShown, pos.now.writable)
			pos.program.channels[at].clip(pos.nextShown)
		}
	}
	return nil
}

// unmerge undoes commit.
func (pos *position) unmerge() {
	pos.program.typ.copyTo(pos.now.writable, pos.now.shown)
	pos.merged = false
}

// ownView returns the state for the routers of one of several tasks: the
// committed state with the task's own writes. Concurrent tasks may call it.
func (pos *position) ownView(res *result) (any, error) {
	own := pos.program.typ.copyOf(pos.now.shown)
	if _, err := pos.merge(own, new(machine.Tally), pos.results[res.place:res.place+1]); err != nil {
		return nil, pos.refused(err)
	}
	pos.program.clip(own)
	return own, nil
}

// nextView returns the state for the routers of a lone task: the next state,
// where Ephemeral channels that the task did not write still have what it read.
func (pos *position) nextView(res *result) any {
	if len(pos.program.fleeting) == 0 {
		return pos.nextShown
	}
	own := pos.program.typ.copyOf(pos.nextShown)
	for _, ch := range pos.program.fleeting {
		if !slices.ContainsFunc(res.update, func(w write) bool { return w.channel() == ch.id() }) {
			ch.copyField(own, pos.now.shown)
		}
	}
	return own
}

func (pos *position) refused(err error) error {
	return fmt.Errorf("committing step %d%s: %w", pos.machine.Superstep(), ofThread(" of", pos.ledger.saved().Thread), err)
}

// merge applies the updates of results to state in order. It checks every write
// before it applies one. A reducer's panic leaves state unusable.
func (pos *position) merge(state any, t *machine.Tally, results []result) (wrote bool, err error) {
	p := pos.program
	t.Begin(len(p.channels))
	for i := range results {
		for _, w := range results[i].update {
			if w == nil {
				return false, fmt.Errorf("%w: node %q returned a nil write", ErrInvalidUpdate, p.writer(results[i].node))
			}
			id := w.channel()
			if id == nil {
				if results[i].node == end && !results[i].allowCommands {
					return false, fmt.Errorf("%w: a command (%s) in the run's input: only nodes return commands", ErrInvalidUpdate, w.Op())
				}
				continue
			}
			at := p.slot(id)
			if at < 0 {
				return false, &UnknownChannelError{Channel: id.name, Writer: p.writer(results[i].node), Known: channelNames(p.channels)}
			}
			t.Count(at, merges(w))
			wrote = true
		}
	}
	if at, op, found := t.Conflict(); found {
		return false, pos.conflict(at, op, results)
	}
	for i := range results {
		for _, w := range results[i].update {
			id := w.channel()
			if id == nil { // a Command
				continue
			}
			if at := p.slot(id); t.Counts(at, merges(w)) {
				if err := w.apply(state, t.Owned(at)); err != nil {
					return wrote, pos.mergePanic(&results[i], w, err)
				}
			}
		}
	}
	return wrote, nil
}

// merges returns how a write to a channel merges with others.
func merges(w write) machine.Op {
	switch w.Op() {
	case OpSet:
		return machine.Set
	case OpOverwrite:
		return machine.Overwrite
	}
	return machine.Add
}

// mergePanic names the write that a reducer panicked on.
func (pos *position) mergePanic(res *result, w write, panicked *PanicError) error {
	err := fmt.Errorf("merging a write to channel %q: %w", w.Channel(), panicked)
	if res.node == end { // the run's input
		return err
	}
	return pos.nodeError(res, err)
}

// conflict names the writers of a channel with conflicting writes.
func (pos *position) conflict(at int, op machine.Op, results []result) error {
	e := &ConflictError{Channel: pos.program.ids[at].name, Op: OpSet}
	if op == machine.Overwrite {
		e.Op = OpOverwrite
	}
	for _, res := range results {
		for _, w := range res.update {
			if w.channel() == pos.program.ids[at] && w.Op() == e.Op {
				e.Writers = append(e.Writers, pos.program.writer(res.node))
			}
		}
	}
	e.Writers = slices.Compact(e.Writers)
	return e
}

// writer names the node of a write, or Start for the input.
func (p *program) writer(node int) string {
	if node < 0 {
		return Start
	}
	return p.nodes[node].name
}
