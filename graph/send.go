package graph

import (
	"fmt"
	"slices"
	"strings"
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
	return Route{rest: &further{sends: []parcel{parcelOf[S](sends)}}}
}

// A parcel is Sends that a Route carries. A Route has no type parameter, so
// that To needs none; what is in a parcel is looked at by the graph it is for.
type parcel interface{ stateType() string }

type parcelOf[S any] []Send[S]

func (parcelOf[S]) stateType() string { return strings.TrimPrefix(fmt.Sprintf("%T", new(S)), "*") }

// delivery is a Send whose node is known.
type delivery[S any] struct {
	to      int
	timeout Timeout
	state   S
}

// unpack checks the Sends of a parcel against the declared targets and adds
// them to chosen.
func (r *run[S]) unpack(chosen *choice[S], p parcel, from string, targets []int) error {
	sends, ok := p.(parcelOf[S])
	if !ok {
		return fmt.Errorf("routing from %q: %w: a Send of a %s in a graph over %s", from, ErrInvalidUpdate, p.stateType(), parcelOf[S]{}.stateType())
	}
	chosen.sends = slices.Grow(chosen.sends, len(sends))
	for i := range sends {
		to := end
		for _, id := range targets {
			if id != end && r.nodes[id].name == sends[i].Node {
				to = id
				break
			}
		}
		if to == end {
			return &RouteError{From: from, Target: sends[i].Node, Send: true, Allowed: r.declared(targets)}
		}
		r.deliver(chosen, to, sends[i])
	}
	return nil
}

// deliver adds a Send to chosen.
func (r *run[S]) deliver(chosen *choice[S], to int, s Send[S]) {
	chosen.sends = append(chosen.sends, delivery[S]{to, s.Timeout, s.State})
	r.clip(&chosen.sends[len(chosen.sends)-1].state)
}
