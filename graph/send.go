package graph

import (
	"fmt"
	"slices"

	"example.com/assay/graph/internal/machine"
)

// A Send runs a node in the next superstep on its own state. It runs together
// with triggered nodes and other Sends, also of the same node. Use it to fan
// out over a list.
type Send[S any] struct {
	// Node is the target. The router's conditional edges must declare it, or
	// the NodeOptions.Goto of the node whose Command sends.
	Node string `json:"node"`
	// State is the node's whole input; unset fields are zero. What it points to
	// is shared: see the package's rules.
	State S `json:"state"`
	// Timeout limits the attempts of this task. Zero fields keep the node's
	// limits. Negative fields remove them.
	Timeout Timeout `json:"timeout,omitzero"`
}

// Sends routes to nodes with their own inputs. They run after triggered nodes,
// ordered by sending task, then as listed here. Updates merge in that order.
// Without Sends it is Nowhere. The router's graph must be over S.
func Sends[S any](sends ...Send[S]) Route {
	if len(sends) == 0 {
		return Nowhere()
	}
	return Route{rest: &further{sends: []sendList{sendListOf[S](sends)}}}
}

// A sendList holds the Sends of a Route. A Route has no type parameter, so To
// needs none. The graph checks the type.
type sendList interface {
	of() stateType
	queued() []queuedSend
}

type sendListOf[S any] []Send[S]

func (p sendListOf[S]) of() stateType { return typeOf[S]{} }

// queued copies the Sends with their states.
func (p sendListOf[S]) queued() []queuedSend {
	if len(p) == 0 {
		return nil
	}
	states, out := make([]S, len(p)), make([]queuedSend, len(p))
	for i := range p {
		states[i] = p[i].State
		out[i] = queuedSend{node: p[i].Node, timeout: p[i].Timeout, state: &states[i]}
	}
	return out
}

// A queuedSend is a Send without the type of its state.
type queuedSend struct {
	node    string
	timeout Timeout
	state   any
}

// addSends adds Sends to chosen. It refuses undeclared targets.
func (p *program) addSends(chosen *machine.Choice, list sendList, from string, targets []int) error {
	if list.of() != p.typ {
		return fmt.Errorf("routing from %q: %w: a Send of a %s in a graph over %s", from, ErrInvalidUpdate, list.of(), p.typ)
	}
	sends := list.queued()
	chosen.Sends = slices.Grow(chosen.Sends, len(sends))
	for i := range sends {
		d := &sends[i]
		at := slices.IndexFunc(targets, func(id int) bool { return id != end && p.nodes[id].name == d.node })
		if at < 0 {
			return &RouteError{From: from, Target: d.node, Send: true, Allowed: p.declared(targets)}
		}
		p.clip(d.state)
		chosen.Sends = append(chosen.Sends, machine.Send{To: targets[at], Load: d})
	}
	return nil
}

// addSend adds a copy of a Command's Send to chosen.
func (p *program) addSend(chosen *machine.Choice, to int, d queuedSend) {
	d.state = p.typ.copyOf(d.state)
	p.clip(d.state)
	chosen.Sends = append(chosen.Sends, machine.Send{To: to, Load: &d})
}
