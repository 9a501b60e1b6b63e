package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"example.com/assay/graph/internal/machine"
)

// convertIt is the advice when a value's type has changed.
const convertIt = "if its type has changed, raise CompileOptions.Version and convert its value in CompileOptions.Migrate"

// restore decodes channel values into a state. With extra it skips channels
// that the graph lacks.
func (p *program) restore(s any, values map[string]json.RawMessage, lent bool) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := slices.IndexFunc(p.ids, func(id *channelID) bool { return id.name == name })
		if at < 0 && lent {
			continue
		}
		if at < 0 {
			return fmt.Errorf("the checkpoint has channel %q, which graph %q does not have: if it was renamed or removed, raise CompileOptions.Version and move its value in CompileOptions.Migrate", name, p.name)
		}
		if err := p.channels[at].decode(s, values[name]); err != nil {
			return fmt.Errorf("reading channel %q of the checkpoint: %w: %s", name, err, convertIt)
		}
	}
	return nil
}

// restoreFrontier decodes a checkpoint's frontier.
func (pos *position) restoreFrontier(s *saved) error {
	find := func(name string) (int, error) {
		at := pos.program.nodeID(name)
		if at < 0 {
			return 0, fmt.Errorf("the checkpoint continues at node %q, which graph %q does not have; known nodes: %s: UpdateState can lead the thread elsewhere", name, pos.program.name, orNone(pos.program.names()))
		}
		return at, nil
	}
	var next, deferred []int
	var sends []machine.Send
	for _, name := range s.Next {
		if name == Start {
			pos.machine.Enter(true)
			continue
		}
		id, err := find(name)
		if err != nil {
			return err
		}
		next = append(next, id)
	}
	for _, send := range s.Sends {
		id, err := find(send.Node)
		if err != nil {
			return err
		}
		d, err := pos.program.readSend(send)
		if err != nil {
			return err
		}
		pos.program.clip(d.state)
		sends = append(sends, machine.Send{To: id, Load: &d})
	}
	for _, name := range s.Deferred {
		id, err := find(name)
		if err != nil {
			return err
		}
		deferred = append(deferred, id)
	}
	pos.machine.Put(next, sends, deferred)
	for _, label := range slices.Sorted(maps.Keys(s.Arrived)) {
		if err := pos.restoreArrived(label, s.Arrived[label], s.V == flatFormat); err != nil {
			return err
		}
	}
	return nil
}

// restoreArrived marks sources as arrived at a join. In format 1, joins may
// share a label; their sources are then listed together.
func (pos *position) restoreArrived(label string, sources []string, flat bool) error {
	known, arrived := false, make([]bool, len(sources))
	for join, j := range pos.program.joins {
		if j.label != label && !(flat && j.flat == label) {
			continue
		}
		known = true
		for i, from := range sources {
			if place := slices.Index(j.sources, from); place >= 0 {
				pos.machine.Arrive(machine.Place{Join: join, Source: place})
				arrived[i] = true
			}
		}
	}
	if !known {
		return fmt.Errorf("the checkpoint has a join %q under way, which graph %q does not have", label, pos.program.name)
	}
	if lost := slices.Index(arrived, false); lost >= 0 {
		return fmt.Errorf("the checkpoint has %q at the join %q, which does not wait for it", sources[lost], label)
	}
	return nil
}
