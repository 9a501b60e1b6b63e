package graph

import (
	"errors"
	"fmt"
	"slices"
)

// A Command is the part of a node's Update that says where the run goes next:
//
//	return graph.Update[S]{Answer.Set(a), graph.Goto[S]("review")}, nil
//
// Goto takes the place of everything that leads away from the node for this
// superstep: edges, conditional edges and joins, which then keep waiting for
// it. Also adds to them. Several Commands in one update add up, and one Goto
// among them is enough to take the place. Targets must stand in the node's
// NodeOptions.Goto.
//
// A Command is a value. What begins a turn cannot hold one: the update that goes
// with Resume can, and adds to what is due.
type Command[S any] struct {
	op      Op
	targets []string
	sends   []Send[S]
	sending bool // Sends was called, if with none
}

// Goto leads to these nodes only, or to End. Without targets and Sends it is
// an error.
func Goto[S any](targets ...string) Command[S] {
	return Command[S]{op: OpGoto, targets: slices.Clone(targets)}
}

// Also leads to these nodes beside where the node's edges lead.
func Also[S any](targets ...string) Command[S] {
	return Command[S]{op: OpAlso, targets: slices.Clone(targets)}
}

// Sends returns the command with Sends added to it, which run as those of a
// router do.
func (c Command[S]) Sends(sends ...Send[S]) Command[S] {
	c.sends, c.sending = slices.Concat(c.sends, sends), true
	return c
}

// Channel returns "": a command writes no channel.
func (c Command[S]) Channel() string { return "" }

// Op returns OpGoto or OpAlso.
func (c Command[S]) Op() Op { return c.op }

func (c Command[S]) channel() *channelID { return nil }
func (c Command[S]) apply(*S)            {}
func (c Command[S]) intact([]byte) error { return nil }

// directions is a Command's value as JSON in a trace.
type directions[S any] struct {
	To    []string  `json:"to,omitempty"`
	Sends []Send[S] `json:"sends,omitempty"`
}

// savedDirections is a Command's value in a checkpoint, which reads that of a
// trace, too.
type savedDirections struct {
	To    []string    `json:"to,omitempty"`
	Sends []savedSend `json:"sends,omitempty"`
}

func (c Command[S]) encode(dst []byte) ([]byte, error) {
	return appendJSON(dst, directions[S]{c.targets, c.sends})
}

// Parent ends the run of a graph that runs inside a node of another graph, and
// makes update that node's: what it writes, and where its Commands lead, both
// in the parent. It stands alone in its update. The superstep is finished, and
// whatever the graph has written is dropped: it never was the parent's.
//
// It reaches the nearest parent only; a Parent within update goes on to that
// one's own. S is the state of the graph that ends, P that of its parent. In a
// graph that has no parent it is ErrNoParentGraph, and two of them in one
// superstep are an invalid update.
func Parent[S, P any](update Update[P]) Write[S] { return upward[S, P]{update} }

type upward[S, P any] struct{ update Update[P] }

func (u upward[S, P]) Channel() string                   { return "" }
func (u upward[S, P]) Op() Op                            { return OpParent }
func (u upward[S, P]) channel() *channelID               { return nil }
func (u upward[S, P]) apply(*S)                          {}
func (u upward[S, P]) intact([]byte) error               { return nil }
func (u upward[S, P]) encode(dst []byte) ([]byte, error) { return appendUpdate(dst, u.update) }
func (u upward[S, P]) handover(from string) error        { return &handover[P]{from, u.update} }

// handover is how a graph that is given up tells the node that runs it. As an
// error it also finds its way through a node that calls Invoke by itself.
type handover[P any] struct {
	from   string
	update Update[P]
}

func (h *handover[P]) Error() string {
	return fmt.Sprintf("node %q handed over to the parent graph", h.from)
}

func (h *handover[P]) stateType() string { return parcelOf[P]{}.stateType() }

// received is what a graph inside a node handed over, if that is what err
// says; other errors are returned as they are.
func received[S any](err error) (Update[S], error) {
	up, is := errors.AsType[interface {
		error
		parcel
	}](err)
	if !is {
		return nil, err
	}
	h, ok := up.(*handover[S])
	if !ok {
		return nil, fmt.Errorf("%w: %v with an update of a %s, and the parent's state is a %s", ErrInvalidUpdate, up, up.stateType(), parcelOf[S]{}.stateType())
	}
	return h.update, nil
}

// steer carries out the commands in a task's update.
func (r *run[S]) steer(res *result[S]) error {
	for _, w := range res.update {
		if w == nil || w.channel() != nil { // merge complains of nil
			continue
		}
		if err := r.command(res, w); err != nil {
			return r.nodeError(res.task, err)
		}
	}
	return nil
}

func (r *run[S]) command(res *result[S], w Write[S]) error {
	n := &r.nodes[res.node]
	c, ok := w.(Command[S])
	if !ok { // Parent
		switch {
		case r.outer == nil:
			return ErrNoParentGraph
		case len(res.update) > 1:
			return fmt.Errorf("%w: node %q returned more than a Parent: what the parent is to get belongs into Parent's own update", ErrInvalidUpdate, n.name)
		}
		res.jumps = true
		return nil
	}
	if c.op == OpGoto {
		res.jumps = true
		if len(c.targets) == 0 && !c.sending {
			return r.badCommand(n, "", false)
		}
	}
	for _, name := range c.targets {
		at := slices.Index(n.opts.Goto, name)
		if at < 0 {
			return r.badCommand(n, name, false)
		}
		res.chosen.nodes = append(res.chosen.nodes, n.gotos[at])
	}
	for _, s := range c.sends {
		at := slices.Index(n.opts.Goto, s.Node)
		if at < 0 || s.Node == End {
			return r.badCommand(n, s.Node, true)
		}
		r.deliver(&res.chosen, n.gotos[at], s)
	}
	return nil
}

func (r *run[S]) badCommand(n *node[S], target string, send bool) error {
	e := &CommandError{Node: n.name, Target: target, Send: send, Declared: slices.Clone(n.opts.Goto)}
	for i := range r.nodes {
		e.Known = append(e.Known, r.nodes[i].name)
	}
	return e
}

// handedOver is the end of a run that a task gave up for its parent, or nil.
func (r *run[S]) handedOver(results []result[S]) error {
	var first *result[S]
	for i := range results {
		res := &results[i]
		switch {
		case !res.jumps || res.update[0].Op() != OpParent: // a Parent stands alone
		case first == nil:
			first = res
		default:
			return r.refused(fmt.Errorf("%w: %q and %q both hand over to the parent graph", ErrInvalidUpdate, r.writer(first.node), r.writer(res.node)))
		}
	}
	if first == nil {
		return nil
	}
	return first.update[0].(interface{ handover(string) error }).handover(r.writer(first.node))
}
