package graph

import (
	"fmt"
)

// A Send runs a node in the next superstep on a state of its own, beside what
// edges trigger and beside other Sends, to the same node or to others. It is
// how a run fans out over a list.
type Send[S any] struct {
	// Node is the name of the node, which must be the target of one of the paths
	// that the router's conditional edges declare, or stand in NodeOptions.Goto
	// of the node whose Command sends.
	Node string `json:"node"`
	// State is all that the node sees; fields that are not set here are zero for
	// it. What it points to is shared, as everywhere: see the package's rules.
	State S `json:"state"`
	// Timeout limits the attempts of this task. What it leaves zero is as the
	// node's own; negative lifts the node's limit.
	Timeout Timeout `json:"timeout,omitzero"`
}

// Sends routes to nodes with inputs of their own. They run after the nodes that
// edges trigger, in the order of the tasks that sent them and, of one task, in
// the order given here: their updates merge in that order. Without any it is
// Nowhere. The graph that the router belongs to must be over S.
func Sends[S any](sends ...Send[S]) Route {
	if len(sends) == 0 {
		return Nowhere()
	}
	return Route{rest: &further{sends: []sendList{sendListOf[S](sends)}}}
}

// A parcel is Sends that a Route carries. A Route has no type parameter, so
// that To needs none; what is in a parcel is looked at by the graph it is for.
type sendList interface {
	of() stateType
	queued() []queuedSend
}

type sendListOf[S any] []Send[S]

func (p sendListOf[S]) of() stateType { return typeOf[S]{} }

// queued are the Sends with states that nobody else has.
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

// delivery is a Send: to a node by its name and, once that is known, by its
// place.
type queuedSend struct {
	to      int
	node    string
	timeout Timeout
	state   any
}

// addSends checks the Sends of a parcel against the declared targets and adds
// them to chosen.
func (p *program) addSends(chosen *choice, list sendList, from string, targets []int) error {
	if list.of() != p.typ {
		return fmt.Errorf("routing from %q: %w: a Send of a %s in a graph over %s", from, ErrInvalidUpdate, list.of(), p.typ)
	}
	sends := list.queued()
	for i := range sends {
		d := &sends[i]
		d.to = end
		for _, id := range targets {
			if id != end && p.nodes[id].name == d.node {
				d.to = id
				break
			}
		}
		if d.to == end {
			return &RouteError{From: from, Target: d.node, Send: true, Allowed: p.declared(targets)}
		}
		p.clip(d.state)
	}
	chosen.sends = append(chosen.sends, sends...)
	return nil
}

// addSend adds a Send of a Command, which may be given again, to chosen.
func (p *program) addSend(chosen *choice, to int, d queuedSend) {
	d.to, d.state = to, p.typ.copyOf(d.state)
	p.clip(d.state)
	chosen.sends = append(chosen.sends, d)
}
