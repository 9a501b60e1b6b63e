package causal

import (
	"context"

	"example.com/assay/graph"
)

// Kept collects the concluded edges of a run from its events. All edges are judged in one
// superstep. A stopped superstep is not committed, so the run's state lacks the edges that it
// concluded.
type Kept struct{ writes graph.Update[State] }

// Observe reads an event of the run.
func (k *Kept) Observe(ev graph.Event[State]) {
	if ev.Kind != graph.NodeUpdate || ev.Namespace != "" || ev.Node == NodeAssemble {
		return
	}
	for _, w := range ev.Update {
		if w.Channel() != "" { // commands have no channel
			k.writes = append(k.writes, w)
		}
	}
}

// State returns the concluded edges in the form of a finished run's state: in the order of the
// draft, with the graph of the grounded ones.
func (k *Kept) State(edges []Edge) (State, error) {
	g := graph.NewStateGraph(channels()...)
	g.AddNode("keep", func(context.Context, State) (graph.Update[State], error) { return k.writes, nil })
	g.AddNode(NodeAssemble, assemble())
	g.AddEdge(graph.Start, "keep")
	g.AddEdge("keep", NodeAssemble)
	g.AddEdge(NodeAssemble, graph.End)
	fold, err := g.Compile(nil)
	if err != nil {
		return State{}, err
	}
	return fold.Invoke(context.Background(), Input(edges), nil)
}
