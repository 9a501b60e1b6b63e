package graph

import "context"

// AddSubgraph adds a compiled graph over the same state as a node. It starts
// from the parent's state and returns its writes, not its whole state: the last
// value of a LastValue, and every write in order for other channels. Its Input
// and Output apply: channels outside Input are zero in the child, and writes
// outside Output stay there. Its events reach the parent's stream under the
// node's name. Its recursion limit is the parent's, counted from one.
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
	spec := nodeSpec{name: name, opts: opts, inner: child, outputs: child.channels, persistence: child.persist}
	if child.persist == PersistTurns && child.input == nil {
		spec.persistence = PersistPerRun // the outer state replaces all that it would keep
	}
	spec.run = func(ctx context.Context, state any, dst update) (update, error) {
		r := newRun(ctx, child, &noOptions)
		r.pos.collects = true
		err := r.runFrom(ctx, &noOptions, func(p *point) error { return r.pos.beginAt(child.accept(state), p, r.outerStateRef()) })
		return append(dst, r.pos.net()...), err
	}
	if child.output != nil {
		spec.outputs = child.output
	}
	b.addNode(spec, options)
}

// addFaulty reports a node and adds it anyway, so edges to it are not reported
// too.
func (b *blueprint) addFaulty(name, message string) {
	b.report(InvalidOptions, name, message)
	b.nodes = append(b.nodes, nodeSpec{name: name})
}

// AddMappedSubgraph adds a compiled graph over another state as a node of g. In
// makes its input from the parent's state; out makes the parent's update from
// its result. It is a function, since a method cannot have type parameters.
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
	added.inner, added.persistence = child.plain, child.plain.persist
}

// outerStateRef returns the outer checkpoint that holds the run's first state,
// or nil.
func (r *run) outerStateRef() *stateRef {
	if r.pos.ledger == nil || !r.outer.journal.sharesState {
		return nil
	}
	return &stateRef{r.outer.run.pos.ledger.namespace, r.outer.journal.point}
}

// net returns a finished run's writes as one update, with only those that its
// last state needs. An overwrite would void later adds in the same update, so
// an overwritten channel is given as one whole value.
func (pos *position) net() update {
	last := map[*channelID]int{}
	overwritten := map[*channelID]bool{}
	for i, w := range pos.written {
		last[w.channel()] = i
		overwritten[w.channel()] = overwritten[w.channel()] || w.Op() == OpOverwrite
	}
	out := make(update, 0, len(pos.written))
	for i, w := range pos.written {
		switch id := w.channel(); {
		case id == nil: // the child's own Command
		case pos.program.output != nil && !hasChannel(pos.program.output, id):
		case overwritten[id]:
			if last[id] == i {
				out = append(out, pos.program.channels[pos.program.slot(id)].overwriteWith(pos.now.writable))
			}
		case w.Op() == OpAdd || w.Op() == OpPut || w.Op() == OpRemove || last[id] == i:
			out = append(out, w)
		}
	}
	return out
}
