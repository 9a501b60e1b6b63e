package graph

import (
	"errors"
	"fmt"
	"slices"
)

// A Command in a node's Update directs the run:
//
//	return graph.Update[S]{Answer.Set(a), graph.Goto[S]("review")}, nil
//
// Goto replaces the node's edges, conditional edges and joins in this
// superstep. The joins keep waiting for the node. Also adds to the edges. The
// Commands of one update add up, and a single Goto among them replaces the
// edges. NodeOptions.Goto must declare every target.
//
// A Command is a value. The input of Invoke cannot hold one. The update of
// Resume can, and adds to the tasks that are due.
type Command[S any] struct {
	op      Op
	targets []string
	sends   []Send[S]
	sending bool // Sends was called, maybe without any
}

// Goto leads only to these nodes, or to End. Without targets and Sends it is an
// error.
func Goto[S any](targets ...string) Command[S] {
	return Command[S]{op: OpGoto, targets: slices.Clone(targets)}
}

// Also leads to these nodes in addition to the node's edges.
func Also[S any](targets ...string) Command[S] {
	return Command[S]{op: OpAlso, targets: slices.Clone(targets)}
}

// Sends returns the command with more Sends. They run like a router's. The command keeps the slice:
// a caller that passes one with "…" must not change it later.
func (c Command[S]) Sends(sends ...Send[S]) Command[S] {
	c.sending = true
	if len(c.sends) == 0 {
		c.sends = slices.Clip(sends)
	} else {
		c.sends = slices.Concat(c.sends, sends)
	}
	return c
}

// Channel returns "": a Command writes no channel.
func (c Command[S]) Channel() string { return "" }

// Op returns OpGoto or OpAlso.
func (c Command[S]) Op() Op { return c.op }

func (c Command[S]) of(*S) {}

func (c Command[S]) untyped() write {
	out := &command{op: c.op, targets: c.targets, sending: c.sending}
	if len(c.sends) > 0 {
		out.sends = make([]queuedSend, len(c.sends))
	}
	for i := range c.sends { // addSend copies the state
		out.sends[i] = queuedSend{node: c.sends[i].Node, timeout: c.sends[i].Timeout, state: &c.sends[i].State}
	}
	return out
}

// A command is a Command without the type of its state. It never changes.
type command struct {
	op      Op
	targets []string
	sends   []queuedSend
	sending bool
}

func (c *command) Channel() string              { return "" }
func (c *command) Op() Op                       { return c.op }
func (c *command) channel() *channelID          { return nil }
func (c *command) apply(any, *bool) *PanicError { return nil }
func (c *command) intact([]byte) error          { return nil }

// directions is the JSON value of a Command, in a trace or a checkpoint.
type directions struct {
	To    []string    `json:"to,omitempty"`
	Sends []savedSend `json:"sends,omitempty"`
}

// encode writes the states of Sends as plain JSON, for a trace.
func (c *command) encode(dst []byte) ([]byte, error) {
	d := directions{To: c.targets}
	for i := range c.sends {
		state, err := appendJSON(nil, c.sends[i].state)
		if err != nil {
			return dst, err
		}
		send := savedSend{Node: c.sends[i].node, State: state}
		if c.sends[i].timeout != (Timeout{}) {
			send.Timeout = &c.sends[i].timeout
		}
		d.Sends = append(d.Sends, send)
	}
	return appendJSON(dst, &d)
}

// Parent ends the run of a graph inside a node, and makes update the node's
// result: its writes and Commands apply to the parent. It must be alone in its
// update. The superstep is finished first. All other writes of the graph are
// dropped.
//
// Parent reaches the nearest parent only. A Parent inside update continues to
// the next. S is the state of the ending graph, P of its parent. A graph
// without a parent returns ErrNoParentGraph. Two Parents in one superstep are
// an invalid update.
func Parent[S, P any](update Update[P]) Write[S] {
	return plainWrite[S]{&parentWrite{typeOf[P]{}, update.untyped(nil)}}
}

// A parentWrite is a Parent without the types.
type parentWrite struct {
	typ    stateType // of the parent
	update update
}

func (h *parentWrite) Channel() string                   { return "" }
func (h *parentWrite) Op() Op                            { return OpParent }
func (h *parentWrite) channel() *channelID               { return nil }
func (h *parentWrite) apply(any, *bool) *PanicError      { return nil }
func (h *parentWrite) intact([]byte) error               { return nil }
func (h *parentWrite) encode(dst []byte) ([]byte, error) { return appendUpdate(dst, h.update) }

// A parentUpdateError carries a Parent to the node that runs the graph. As an
// error, it also passes through a node that calls Invoke.
type parentUpdateError struct {
	*parentWrite
	from string
}

func (h *parentUpdateError) Error() string {
	return fmt.Sprintf("node %q handed over to the parent graph", h.from)
}

// updateFromChild returns the update of a Parent in err's chain. It returns
// other errors unchanged.
func (p *program) updateFromChild(err error) (update, error) {
	h, is := errors.AsType[*parentUpdateError](err)
	switch {
	case !is:
		return nil, err
	case h.typ != p.typ:
		return nil, fmt.Errorf("%w: %v with an update of a %s, but the parent's state is a %s", ErrInvalidUpdate, h, h.typ, p.typ)
	}
	return slices.Clone(h.update), nil
}

// applyCommands follows the Commands of a task's update.
func (pos *position) applyCommands(res *result) error {
	for _, w := range res.update {
		if w == nil || w.channel() != nil { // merge reports nil
			continue
		}
		if err := pos.applyCommand(res, w); err != nil {
			return err
		}
	}
	return nil
}

func (pos *position) applyCommand(res *result, w write) error {
	n := &pos.program.nodes[res.node]
	c, ok := w.(*command)
	if !ok { // Parent
		switch {
		case !pos.isSubgraph:
			return ErrNoParentGraph
		case len(res.update) > 1:
			return fmt.Errorf("%w: node %q returned a Parent together with other writes: put them into Parent's update", ErrInvalidUpdate, n.name)
		}
		res.chosen.Jumps = true
		return nil
	}
	if c.op == OpGoto {
		res.chosen.Jumps = true
		if len(c.targets) == 0 && !c.sending {
			return pos.program.badCommand(n, "", false)
		}
	}
	for _, name := range c.targets {
		at := slices.Index(n.opts.gotos, name)
		if at < 0 {
			return pos.program.badCommand(n, name, false)
		}
		res.chosen.Nodes = append(res.chosen.Nodes, n.gotos[at])
	}
	for _, s := range c.sends {
		at := slices.Index(n.opts.gotos, s.node)
		if at < 0 || s.node == End {
			return pos.program.badCommand(n, s.node, true)
		}
		pos.program.addSend(&res.chosen, n.gotos[at], s)
	}
	return nil
}

func (p *program) badCommand(n *node, target string, send bool) error {
	return &CommandError{Node: n.name, Target: target, Send: send, Declared: slices.Clone(n.opts.gotos), Known: p.names()}
}

// returnsParent reports whether the task returned a Parent, which is alone in
// its update.
func (res *result) returnsParent() bool {
	return res.chosen.Jumps && len(res.update) > 0 && res.update[0] != nil && res.update[0].Op() == OpParent
}

// parentUpdate returns the error that ends a run with a Parent, or nil.
func (pos *position) parentUpdate() error {
	if !pos.isSubgraph {
		return nil
	}
	var first *result
	for i := range pos.results {
		res := &pos.results[i]
		switch {
		case !res.returnsParent():
		case first == nil:
			first = res
		default:
			return pos.refused(fmt.Errorf("%w: %q and %q both hand over to the parent graph", ErrInvalidUpdate, pos.program.writer(first.node), pos.program.writer(res.node)))
		}
	}
	if first == nil {
		return nil
	}
	return &parentUpdateError{first.update[0].(*parentWrite), pos.program.writer(first.node)}
}
