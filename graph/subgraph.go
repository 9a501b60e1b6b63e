package graph

import (
	"context"
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
		g.plan.addFaulty(name, "the subgraph is nil")
		return
	}
	g.plan.addSubgraph(name, child.plain, optionsOf(opts), len(opts))
}

func optionsOf[S any](opts []NodeOptions[S]) nodeOptions {
	if len(opts) == 0 {
		return nodeOptions{}
	}
	return opts[0].untyped()
}

func (b *blueprint) addSubgraph(name string, child *program, opts nodeOptions, options int) {
	spec := nodeSpec{name: name, opts: opts, inner: &child.drawing, outputs: child.channels, persistence: child.persist}
	spec.run = func(ctx context.Context, state any, dst update) (update, error) {
		r := newRun(ctx, child, &noOptions)
		r.machine.collects = true
		err := r.runFrom(ctx, &noOptions, func(p *point) error { return r.beginAt(child.accept(state), p, r.outerStateRef()) })
		return append(dst, r.net()...), err
	}
	if child.output != nil {
		spec.outputs = child.output
	}
	b.addNode(spec, options)
}

// addFaulty notes a node that Compile will refuse. The node is there all the
// same, so that the edges to it are not refused as well.
func (b *blueprint) addFaulty(name, message string) {
	b.report(InvalidOptions, name, message)
	b.nodes = append(b.nodes, nodeSpec{name: name})
}

// AddMappedSubgraph adds a compiled graph over another state as a node of g:
// in makes its input from the parent's state, out turns its result into the
// parent's update. It is a function because a method cannot have a type
// parameter of its own.
func AddMappedSubgraph[S, C any](g *StateGraph[S], name string, child *Compiled[C], in func(S) Update[C], out func(C) Update[S], opts ...NodeOptions[S]) {
	if child == nil || in == nil || out == nil {
		g.plan.addFaulty(name, "the subgraph or one of its mappings is nil")
		return
	}
	g.AddNode(name, func(ctx context.Context, state S) (Update[S], error) {
		result, err := child.Invoke(ctx, in(state), nil)
		if err != nil {
			return nil, err
		}
		return out(result), nil
	}, opts...)
	added := &g.plan.nodes[len(g.plan.nodes)-1]
	added.inner, added.persistence = &child.plain.drawing, child.plain.persist
}

// outerStateRef is the checkpoint whose state the run starts from, if there is one.
func (r *run) outerStateRef() *stateRef {
	if r.ledger == nil || !r.outer.journal.sharesState {
		return nil
	}
	return &stateRef{r.outer.run.namespace, r.outer.journal.point}
}

// net is what a finished run wrote, as one update: of each channel only what
// its last state needs. A channel that was overwritten on the way is given
// whole, since within one update an overwrite would void the adds after it.
func (m *machine) net() update {
	last := map[*channelID]int{}
	overwritten := map[*channelID]bool{}
	for i, w := range m.written {
		last[w.channel()] = i
		overwritten[w.channel()] = overwritten[w.channel()] || w.Op() == OpOverwrite
	}
	out := make(update, 0, len(m.written))
	for i, w := range m.written {
		switch id := w.channel(); {
		case id == nil: // a command: the child's own way
		case m.output != nil && !hasChannel(m.output, id):
		case overwritten[id]:
			if last[id] == i {
				out = append(out, m.channels[m.slot(id)].overwriteWith(m.now.writable))
			}
		case w.Op() == OpAdd || last[id] == i:
			out = append(out, w)
		}
	}
	return out
}
