package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// BenchmarkFind searches 10,000 threads with states of 4 KiB.
func BenchmarkFind(b *testing.B) {
	h := openHome(b, b.TempDir())
	m := h.open(b, chain(b, "plain", "a"))
	defer m.Close(context.Background())
	s := m.Space("ann")
	line := []graph.AppUpdate{{As: "a", Update: json.RawMessage(fmt.Sprintf(`[{"channel":"lines","op":"add","value":[%q]}]`, strings.Repeat("word ", 800)))}}
	for i := range 10_000 {
		th, err := s.CreateThread(b.Context(), runs.ThreadSpec{Metadata: json.RawMessage(fmt.Sprintf(`{"user":"user %d","team":"team %d","graph_id":"plain"}`, i%2000, i%20))})
		if err == nil {
			_, err = s.UpdateState(b.Context(), th.ID, "plain", "", line)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for name, q := range map[string]struct {
		runs.ThreadQuery
		n int
	}{
		"user":   {runs.ThreadQuery{Metadata: map[string]any{"user": "user 7"}}, 5},
		"team":   {runs.ThreadQuery{Metadata: map[string]any{"team": "team 1"}}, 500},
		"status": {runs.ThreadQuery{Status: runs.Interrupted}, 0},
		"all":    {runs.ThreadQuery{}, 10_000},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				found, err := s.Find(b.Context(), q.ThreadQuery)
				if err != nil || len(found) != q.n {
					b.Fatalf("%d threads, %v", len(found), err)
				}
			}
		})
	}
}
