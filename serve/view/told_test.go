package view_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// A call of another server's tool is shown with what it asked and what came of it; of other
// events of a node there is the name.
func TestCallsOfOtherServers(t *testing.T) {
	g := graph.NewStateGraph(seen, n, reply)
	g.AddNode("call", func(ctx context.Context, _ tested) (graph.Update[tested], error) {
		for _, event := range [][2]string{
			{"mcp_call", `{"server":"shop","tool":"price","arguments":{"item":"tea"}}`},
			{"mcp_result", `{"server":"shop","tool":"price","ok":true,"bytes":50,"orders":["override"]}`},
			{"mcp_result", `{"server":"shop","tool":"price","ok":false,"bytes":0,"error":"it hangs"}`},
			{"mcp_result", `[]`},
			{"other", `{"server":"shop"}`},
		} {
			if err := graph.Emit(ctx, event[0], json.RawMessage(event[1])); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	g.AddEdge(graph.Start, "call")
	c, err := g.Compile(&graph.CompileOptions{Name: "calling", Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`mcp_call: price of shop {"item":"tea"}`, "mcp_result: price of shop, 50 bytes, reads as an order: override", "mcp_result: price of shop, failed: it hangs", "mcp_result", "other"}
	v, _ := play(t, c).views(t, nil)
	if diff := cmp.Diff(want, v.Steps[0].Nodes[0].Custom); diff != "" {
		t.Error(diff)
	}
}
