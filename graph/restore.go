package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
func (m *machine) restoreFrontier(s *saved) error {
	find := func(name string) (int, error) {
		at := m.nodeID(name)
		if at < 0 {
			return 0, fmt.Errorf("the checkpoint continues at node %q, which graph %q does not have; known nodes: %s: UpdateState can lead the thread elsewhere", name, m.name, orNone(m.names()))
		}
		return at, nil
	}
	for _, name := range s.Next {
		if name == Start {
			m.entering, m.reenters = true, true
			continue
		}
		id, err := find(name)
		if err != nil {
			return err
		}
		m.next = append(m.next, id)
	}
	slices.Sort(m.next)
	for _, send := range s.Sends {
		id, err := find(send.Node)
		if err != nil {
			return err
		}
		d, err := m.readSend(send)
		if err != nil {
			return err
		}
		d.to = id
		m.clip(d.state)
		m.sends = append(m.sends, d)
	}
	for _, name := range s.Deferred {
		id, err := find(name)
		if err != nil {
			return err
		}
		m.hold(id)
	}
	for _, label := range slices.Sorted(maps.Keys(s.Arrived)) {
		if err := m.restoreArrived(label, s.Arrived[label], s.V == flatFormat); err != nil {
			return err
		}
	}
	return nil
}

// restoreArrived marks sources as arrived at a join. In format 1, joins may
// share a label; their sources are then listed together.
func (m *machine) restoreArrived(label string, sources []string, flat bool) error {
	known, arrived := false, make([]bool, len(sources))
	for join, j := range m.joins {
		if j.label != label && !(flat && j.flat == label) {
			continue
		}
		known = true
		for i, from := range sources {
			if place := slices.Index(j.sources, from); place >= 0 {
				m.arrived[join][place], arrived[i] = true, true
			}
		}
	}
	if !known {
		return fmt.Errorf("the checkpoint has a join %q under way, which graph %q does not have", label, m.name)
	}
	if lost := slices.Index(arrived, false); lost >= 0 {
		return fmt.Errorf("the checkpoint has %q at the join %q, which does not wait for it", sources[lost], label)
	}
	return nil
}

// clearFrontier empties the frontier.
func (m *machine) clearFrontier() {
	m.next, m.sends, m.entering, m.reenters = m.next[:0], m.sends[:0], false, false
	clear(m.deferred)
	for _, places := range m.arrived {
		clear(places)
	}
}
