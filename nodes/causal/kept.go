package causal

import (
	"cmp"
	"context"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// Kept gathers what a run concludes, from its events. All edges are judged in one
// superstep, and one that is stopped is not committed: the run's state does not
// hold what was concluded in it.
type Kept struct{ updates []keptUpdate }

type keptUpdate struct {
	step, task int
	writes     graph.Update[state.Causal]
}

// Observe takes an event of the run.
func (k *Kept) Observe(ev graph.Event[state.Causal]) {
	if ev.Kind != graph.NodeUpdate || ev.Namespace != "" || len(ev.Places) == 0 {
		return
	}
	writes := slices.DeleteFunc(slices.Clone(ev.Update), func(w graph.Write[state.Causal]) bool { return w.Channel() == "" }) // commands
	k.updates = append(k.updates, keptUpdate{ev.Step, ev.Places[0].Task, writes})
}

// State is what was concluded of edges, as a finished run's state has it: in the
// order of the draft, with the graph of those that are grounded.
func (k *Kept) State(edges []state.Edge) (state.Causal, error) {
	slices.SortStableFunc(k.updates, func(a, b keptUpdate) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.task, b.task)) })
	g := graph.NewStateGraph(state.CausalChannels()...)
	g.AddNode("keep", func(context.Context, state.Causal) (graph.Update[state.Causal], error) {
		var all graph.Update[state.Causal]
		for _, u := range k.updates {
			all = append(all, u.writes...)
		}
		return all, nil
	})
	g.AddNode(NodeAssemble, Assemble())
	g.AddEdge(graph.Start, "keep")
	g.AddEdge("keep", NodeAssemble)
	g.AddEdge(NodeAssemble, graph.End)
	fold, err := g.Compile(nil)
	if err != nil {
		return state.Causal{}, err
	}
	return fold.Invoke(context.Background(), Input(edges), nil)
}
