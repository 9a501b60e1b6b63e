package causal

import (
	"context"

	"example.com/assay/graph"
)

// Kept gathers the conclusions of a run from its events. All edges are judged in one
// superstep, and a stopped superstep is not committed: the run's state does not have
// what was concluded in it.
type Kept struct{ writes graph.Update[State] }

// Observe takes an event of the run.
func (k *Kept) Observe(ev graph.Event[State]) {
	if ev.Kind != graph.NodeUpdate || ev.Namespace != "" || ev.Node == NodeAssemble {
		return
	}
	for _, w := range ev.Update {
		if w.Channel() != "" { // else it is a command
			k.writes = append(k.writes, w)
		}
	}
}

// State is what was concluded of edges, as a finished run's state has it: in the
// order of the draft, with the graph of those that are grounded.
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
