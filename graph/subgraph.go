package graph

import (
	"context"
	"slices"
)

// AddSubgraph adds a compiled graph over the same state as a node. It starts
// from the parent's state and returns what it wrote, not its whole state: of a
// LastValue the last value, of the others every write in order. Its Input and
// Output hold here too: other channels of the parent are zero in the child, and
// what the child writes to others stays in it. Its events reach the parent's
// stream under the node's name, and it may run as many supersteps as the
// parent's limit says, counted from one.
func (g *StateGraph[S]) AddSubgraph(name string, child *Compiled[S], opts ...NodeOptions[S]) {
	if child == nil {
		g.addFaulty(name, "the subgraph is nil")
		return
	}
	g.AddNode(name, func(ctx context.Context, state S) (Update[S], error) {
		var zero S
		r := newRun(ctx, child, zero, nil)
		r.record = true
		err := r.conduct(ctx, nil, func() error { return r.beginAt(ctx, child.accept(state)) })
		return r.net(), err
	}, opts...)
	added := &g.nodes[len(g.nodes)-1]
	added.inner, added.gives, added.keeps = &child.drawing, child.channels, child.persist
	if child.output != nil {
		added.gives = child.output
	}
}

// addFaulty notes a node that Compile will refuse. The node is there all the
// same, so that the edges to it are not refused as well.
func (g *StateGraph[S]) addFaulty(name, message string) {
	g.problems = append(g.problems, Problem{Code: InvalidOptions, Node: name, Message: message})
	g.nodes = append(g.nodes, nodeSpec[S]{name: name})
}

// AddMappedSubgraph adds a compiled graph over another state as a node of g:
// in makes its input from the parent's state, out turns its result into the
// parent's update. It is a function because a method cannot have a type
// parameter of its own.
func AddMappedSubgraph[S, C any](g *StateGraph[S], name string, child *Compiled[C], in func(S) Update[C], out func(C) Update[S], opts ...NodeOptions[S]) {
	if child == nil || in == nil || out == nil {
		g.addFaulty(name, "the subgraph or one of its mappings is nil")
		return
	}
	g.AddNode(name, func(ctx context.Context, state S) (Update[S], error) {
		result, err := child.Invoke(ctx, in(state), nil)
		if err != nil {
			return nil, err
		}
		return out(result), nil
	}, opts...)
	added := &g.nodes[len(g.nodes)-1]
	added.inner, added.keeps = &child.drawing, child.persist
}

// net is what a finished run wrote, as one update: of each channel only what
// its last state needs. A channel that was overwritten on the way is given
// whole, since within one update an overwrite would void the adds after it.
func (r *run[S]) net() Update[S] {
	last := map[*channelID]int{}
	overwritten := map[*channelID]bool{}
	for i, w := range r.written {
		last[w.channel()] = i
		overwritten[w.channel()] = overwritten[w.channel()] || w.Op() == OpOverwrite
	}
	out := make(Update[S], 0, len(r.written))
	for i, w := range r.written {
		switch id := w.channel(); {
		case id == nil: // a command: the child's own way
		case r.output != nil && !slices.ContainsFunc(r.output, func(ch Channel[S]) bool { return ch.id() == id }):
		case overwritten[id]:
			if last[id] == i {
				out = append(out, r.channels[r.slot(id)].overwriteWith(&r.now.kept))
			}
		case w.Op() == OpAdd || last[id] == i:
			out = append(out, w)
		}
	}
	return out
}
