package view_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/view"
)

// long are the events of a run of so many supersteps, five for each, with a state that grows
// to 64 elements.
func long(steps int) []graph.EventRecord {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var out []graph.EventRecord
	add := func(ev graph.EventRecord) {
		ev.Time = began.Add(time.Duration(len(out)) * time.Millisecond)
		out = append(out, ev)
	}
	add(graph.EventRecord{Kind: "run_start", Graph: "long", Fingerprint: "0123456789abcdef", Places: []graph.Place{{Step: -1, Task: -1}}, Step: -1})
	seen := []string{}
	for k := 1; k <= steps; k++ {
		node, at := fmt.Sprint("node", k%7), []graph.Place{{Step: k}}
		add(graph.EventRecord{Kind: "step_start", Places: []graph.Place{{Step: k, Task: -1}}, Step: k, Nodes: []string{node}})
		add(graph.EventRecord{Kind: "node_start", Places: at, Step: k, Node: node})
		add(graph.EventRecord{Kind: "custom", Name: "model_call", Places: at, Step: k, Node: node, Data: json.RawMessage(`{"skill":"s","skill_hash":"0123456789abcdef","ok":true,"usage":{"calls":1,"input_tokens":7,"output_tokens":2}}`)})
		add(graph.EventRecord{Kind: "node_update", Places: at, Step: k, Node: node, Elapsed: 2 * time.Millisecond, Update: json.RawMessage(fmt.Sprintf(`[{"channel":"seen","op":"add","value":["step %d"]},{"channel":"n","op":"set","value":%d}]`, k, k))})
		if seen = append(seen, fmt.Sprint("step ", k)); len(seen) > 64 {
			seen = seen[1:]
		}
		state, _ := json.Marshal(map[string]any{"n": k, "seen": seen})
		add(graph.EventRecord{Kind: "values", Places: []graph.Place{{Step: k, Task: 1}}, Step: k, State: state})
	}
	add(graph.EventRecord{Kind: "run_end", Places: []graph.Place{{Step: steps + 1, Task: -1}}, Step: steps + 1, Elapsed: time.Minute})
	return out
}

func BenchmarkBuilder(b *testing.B) {
	for _, steps := range []int{100, 5_000, 20_000} {
		events := long(steps)
		for name, opts := range map[string]*view.Options{"all": nil, "window": {From: steps / 2, Steps: 50}} {
			b.Run(fmt.Sprintf("%d_events/%s", len(events), name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					v := view.NewBuilder(opts)
					for _, ev := range events {
						if err := v.Event(ev); err != nil {
							b.Fatal(err)
						}
					}
					if got := v.View(); len(got.Steps) != steps || len(got.Ran()) != 7 {
						b.Fatalf("%d supersteps", len(got.Steps))
					}
				}
			})
		}
	}
}
