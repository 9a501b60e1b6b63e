package graph

import "context"

// AddSubgraph adds a compiled graph over the same state as a node. It starts
// from the parent's state and returns what it wrote, not its whole state: of a
// LastValue the last value, of the others every write in order. Its events
// reach the parent's stream under the node's name.
func (g *StateGraph[S]) AddSubgraph(name string, child *Compiled[S], opts ...NodeOptions[S]) {
	g.AddNode(name, func(ctx context.Context, state S) (Update[S], error) {
		r := newRun(ctx, child, state, nil)
		r.record = true
		err := r.loop(ctx)
		return r.net(), err
	}, opts...)
	g.nodes[len(g.nodes)-1].inner = &child.drawing
}

// AddMappedSubgraph adds a compiled graph over another state as a node of g:
// in makes its input from the parent's state, out turns its result into the
// parent's update.
func AddMappedSubgraph[S, C any](g *StateGraph[S], name string, child *Compiled[C], in func(S) Update[C], out func(C) Update[S], opts ...NodeOptions[S]) {
	g.AddNode(name, func(ctx context.Context, state S) (Update[S], error) {
		result, err := child.Invoke(ctx, in(state), nil)
		if err != nil {
			return nil, err
		}
		return out(result), nil
	}, opts...)
	g.nodes[len(g.nodes)-1].inner = &child.drawing
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
		case overwritten[id]:
			if last[id] == i {
				out = append(out, r.channels[r.slots[id]].overwriteWith(&r.state))
			}
		case w.Op() == OpAdd || last[id] == i:
			out = append(out, w)
		}
	}
	return out
}
