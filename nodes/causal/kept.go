package causal

import (
	"context"
	"encoding/json"

	"example.com/assay/graph"
)

// Kept collects the concluded edges of a run from its events. All edges are judged in one
// superstep. A stopped superstep is not committed, so the run's state lacks the edges that it
// concluded.
type Kept struct{ updates []json.RawMessage }

// Observe reads an event of the run.
func (k *Kept) Observe(ev graph.Event[json.RawMessage]) {
	if ev.Kind != graph.NodeUpdate || ev.Namespace != "" || ev.Node == NodeAssemble {
		return
	}
	if data, err := ev.UpdateJSON(); err == nil { // else the run fails of it
		k.updates = append(k.updates, data)
	}
}

// State returns the concluded edges in the form of a finished run's state: in the order of the
// draft, with the graph of the grounded ones.
func (k *Kept) State(edges []Edge) (State, error) {
	var writes graph.Update[State]
	g := graph.NewStateGraph(channels()...)
	g.AddNode("keep", func(context.Context, State) (graph.Update[State], error) { return writes, nil })
	g.AddNode(NodeAssemble, assemble())
	g.AddEdge(graph.Start, "keep")
	g.AddEdge("keep", NodeAssemble)
	g.AddEdge(NodeAssemble, graph.End)
	fold, err := g.Compile(nil)
	if err != nil {
		return State{}, err
	}
	for _, data := range k.updates {
		update, err := fold.DecodeUpdate(data)
		if err != nil {
			return State{}, err
		}
		for _, w := range update {
			if w.Channel() != "" { // else it is a command
				writes = append(writes, w)
			}
		}
	}
	return fold.Invoke(context.Background(), Input(edges), nil)
}
