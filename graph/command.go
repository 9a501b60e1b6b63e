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

func (c Command[S]) of(*S) {}

func (c Command[S]) untyped() write {
	return &command{c.op, c.targets, sendListOf[S](c.sends).queued(), c.sending}
}

// A command is a Command without the type of its state. Nobody changes it.
type command struct {
	op      Op
	targets []string
	sends   []queuedSend
	sending bool
}

func (c *command) Channel() string     { return "" }
func (c *command) Op() Op              { return c.op }
func (c *command) channel() *channelID { return nil }
func (c *command) apply(any)           {}
func (c *command) intact([]byte) error { return nil }

// directions is a Command's value as JSON in a trace.
type directions struct {
	To    []string     `json:"to,omitempty"`
	Sends []tracedSend `json:"sends,omitempty"`
}

// tracedSend is a Send as JSON in a trace.
type tracedSend struct {
	Node    string  `json:"node"`
	State   any     `json:"state"`
	Timeout Timeout `json:"timeout,omitzero"`
}

func (c *command) encode(dst []byte) ([]byte, error) {
	d := directions{To: c.targets}
	for _, s := range c.sends {
		d.Sends = append(d.Sends, tracedSend{s.node, s.state, s.timeout})
	}
	return appendJSON(dst, &d)
}

// savedDirections is a Command's value in a checkpoint, which reads that of a
// trace, too.
type savedDirections struct {
	To    []string    `json:"to,omitempty"`
	Sends []savedSend `json:"sends,omitempty"`
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
func Parent[S, P any](update Update[P]) Write[S] {
	return plainWrite[S]{&parentWrite{typeOf[P]{}, update.untyped(nil)}}
}

// A handingOver is a Parent without the types.
type parentWrite struct {
	typ    stateType // of the parent
	update update
}

func (h *parentWrite) Channel() string                   { return "" }
func (h *parentWrite) Op() Op                            { return OpParent }
func (h *parentWrite) channel() *channelID               { return nil }
func (h *parentWrite) apply(any)                         {}
func (h *parentWrite) intact([]byte) error               { return nil }
func (h *parentWrite) encode(dst []byte) ([]byte, error) { return appendUpdate(dst, h.update) }

// handover is how a graph that is given up tells the node that runs it. As an
// error it also finds its way through a node that calls Invoke by itself.
type parentUpdateError struct {
	*parentWrite
	from string
}

func (h *parentUpdateError) Error() string {
	return fmt.Sprintf("node %q handed over to the parent graph", h.from)
}

// updateFromChild is what a graph inside a node handed over, if that is what err
// says; other errors are returned as they are.
func (p *program) updateFromChild(err error) (update, error) {
	h, is := errors.AsType[*parentUpdateError](err)
	switch {
	case !is:
		return nil, err
	case h.typ != p.typ:
		return nil, fmt.Errorf("%w: %v with an update of a %s, and the parent's state is a %s", ErrInvalidUpdate, h, h.typ, p.typ)
	}
	return slices.Clone(h.update), nil
}

// applyCommands carries out the commands in a task's update.
func (m *machine) applyCommands(res *result) error {
	for _, w := range res.update {
		if w == nil || w.channel() != nil { // merge complains of nil
			continue
		}
		if err := m.applyCommand(res, w); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) applyCommand(res *result, w write) error {
	n := &m.nodes[res.node]
	c, ok := w.(*command)
	if !ok { // Parent
		switch {
		case !m.isSubgraph:
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
			return m.badCommand(n, "", false)
		}
	}
	for _, name := range c.targets {
		at := slices.Index(n.opts.gotos, name)
		if at < 0 {
			return m.badCommand(n, name, false)
		}
		res.chosen.nodes = append(res.chosen.nodes, n.gotos[at])
	}
	for _, s := range c.sends {
		at := slices.Index(n.opts.gotos, s.node)
		if at < 0 || s.node == End {
			return m.badCommand(n, s.node, true)
		}
		m.addSend(&res.chosen, n.gotos[at], s)
	}
	return nil
}

func (p *program) badCommand(n *node, target string, send bool) error {
	return &CommandError{Node: n.name, Target: target, Send: send, Declared: slices.Clone(n.opts.gotos), Known: p.names()}
}

// returnsParent reports whether a task gave up its run for the graph around it: a
// Parent stands alone.
func (res *result) returnsParent() bool { return res.jumps && res.update[0].Op() == OpParent }

// parentUpdate is the end of a run that a task gave up for its parent, or nil.
func (m *machine) parentUpdate() error {
	if !m.isSubgraph {
		return nil
	}
	var first *result
	for i := range m.results {
		res := &m.results[i]
		switch {
		case !res.returnsParent():
		case first == nil:
			first = res
		default:
			return m.refused(fmt.Errorf("%w: %q and %q both hand over to the parent graph", ErrInvalidUpdate, m.writer(first.node), m.writer(res.node)))
		}
	}
	if first == nil {
		return nil
	}
	return &parentUpdateError{first.update[0].(*parentWrite), m.writer(first.node)}
}
