package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// restore reads channel values into a state. Among those that another graph
// lent may be some that this one does not have.
func (c *program) restore(values map[string]json.RawMessage, lent bool) (any, error) {
	s := c.typ.fresh()
	return s, c.restoreInto(s, values, lent)
}

// convertIt is the way out when a value's type has changed.
const convertIt = "if its type has changed, raise CompileOptions.Version and convert its value in CompileOptions.Migrate"

func (c *program) restoreInto(s any, values map[string]json.RawMessage, lent bool) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := slices.IndexFunc(c.ids, func(id *channelID) bool { return id.name == name })
		if at < 0 && lent {
			continue
		}
		if at < 0 {
			return fmt.Errorf("the checkpoint has channel %q, which graph %q does not have: if it was renamed or removed, raise CompileOptions.Version and move its value in CompileOptions.Migrate", name, c.name)
		}
		if err := c.channels[at].decode(s, values[name]); err != nil {
			return fmt.Errorf("reading channel %q of the checkpoint: %w: %s", name, err, convertIt)
		}
	}
	return nil
}

// restoreFrontier puts in place what a checkpoint says is to run next.
func (r *run) restoreFrontier(s *saved) error {
	find := func(name string) (int, error) {
		at, ok := slices.BinarySearchFunc(r.nodes, name, func(n node, name string) int { return strings.Compare(n.name, name) })
		if !ok {
			return 0, fmt.Errorf("the checkpoint goes on at node %q, which graph %q does not have; known nodes: %s: UpdateState can lead the thread elsewhere", name, r.name, orNone(r.names()))
		}
		return at, nil
	}
	for _, name := range s.Next {
		if name == Start {
			r.entering, r.reenters = true, true
			continue
		}
		id, err := find(name)
		if err != nil {
			return err
		}
		r.next = append(r.next, id)
	}
	slices.Sort(r.next)
	for _, send := range s.Sends {
		id, err := find(send.Node)
		if err != nil {
			return err
		}
		d := delivery{to: id}
		if send.Timeout != nil {
			d.timeout = *send.Timeout
		}
		if d.state, err = r.readSend(send); err != nil {
			return fmt.Errorf("reading a Send to %q: %w", send.Node, err)
		}
		r.clip(d.state)
		r.sends = append(r.sends, d)
	}
	for _, name := range s.Held {
		id, err := find(name)
		if err != nil {
			return err
		}
		r.held[id] = true
	}
	for _, label := range slices.Sorted(maps.Keys(s.Arrived)) {
		if err := r.restoreArrived(label, s.Arrived[label], s.V == flatFormat); err != nil {
			return err
		}
	}
	return nil
}

// restoreArrived notes who has arrived at a join. In format 1 several could have
// one label, and then sources are those of all of them.
func (r *run) restoreArrived(label string, sources []string, flat bool) error {
	known, arrived := false, make([]bool, len(sources))
	for join, j := range r.joins {
		if j.label != label && !(flat && j.flat == label) {
			continue
		}
		known = true
		for i, from := range sources {
			if place := slices.Index(j.sources, from); place >= 0 {
				r.arrived[join][place], arrived[i] = true, true
			}
		}
	}
	if !known {
		return fmt.Errorf("the checkpoint has a join %q under way, which graph %q does not have", label, r.name)
	}
	if lost := slices.Index(arrived, false); lost >= 0 {
		return fmt.Errorf("the checkpoint has %q at the join %q, which does not wait for it", sources[lost], label)
	}
	return nil
}

// clearFrontier forgets what is to run next.
func (r *run) clearFrontier() {
	r.next, r.sends, r.entering, r.reenters = r.next[:0], r.sends[:0], false, false
	clear(r.held)
	for _, places := range r.arrived {
		clear(places)
	}
}
