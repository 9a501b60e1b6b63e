package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

// writer streams words with a pause before each.
func writer(pause time.Duration, words ...string) node {
	return func(ctx context.Context, _ board) (update, error) {
		for _, w := range words {
			time.Sleep(pause)
			graph.EmitToken(ctx, w)
		}
		return update{log.Add(strings.Join(words, ""))}, nil
	}
}

var factsTokens = []fact{
	{"G6/tokens", func(t *testing.T) {
		// From two levels, in one stream, as they come; with updates, and alone.
		child := mustCompile(t, wire("START -> i", map[string]node{"i": writer(4*ms, "deep", "", "er")}))
		g := wire("START -> a", map[string]node{"a": writer(7*ms, "to", "ken")})
		g.AddSubgraph("sub", child)
		g.AddEdge(graph.Start, "sub")
		app := mustCompile(t, g)
		for modes, want := range map[graph.Mode]string{
			graph.Tokens:                 "4ms sub/i 'deep', 7ms a 'to', 12ms sub/i 'er', 14ms a 'ken'",
			graph.Tokens | graph.Updates: "4ms sub/i 'deep', 7ms a 'to', 12ms sub/i 'er', 12ms sub/i, 12ms sub, 14ms a 'ken', 14ms a",
			graph.Updates:                "12ms sub/i, 12ms sub, 14ms a",
		} {
			began := time.Now()
			var got []string
			for ev, err := range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: modes}) {
				if err != nil {
					t.Fatal(err)
				}
				line := fmt.Sprintf("%v %s", time.Since(began), strings.TrimPrefix(ev.Namespace+"/"+ev.Node, "/"))
				if ev.Kind == graph.NodeToken {
					line += " '" + ev.Text + "'"
					if ev.Step != 1 || ev.Attempt != 1 || (len(ev.Places) == 2) != (ev.Namespace == "sub") {
						t.Errorf("token at %v, step %d, attempt %d", ev.Places, ev.Step, ev.Attempt)
					}
				}
				got = append(got, line)
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("modes %d:\n got %s\nwant %s", modes, strings.Join(got, ", "), want)
			}
		}
		p := play(t.Context(), app, update{}, graph.RunOptions{Modes: graph.Debug})
		if got := p.pick(graph.NodeToken); len(got) > 0 {
			t.Errorf("debug has tokens: %q", got)
		}
		graph.EmitToken(t.Context(), "outside a run")
	}},
	{"G6/tokens_in_order", func(t *testing.T) {
		// None is lost or doubled, and a node's own stay in order before its update.
		var words []string
		for i := range 300 {
			words = append(words, fmt.Sprint(i, ";"))
		}
		app := mustCompile(t, wire("START -> a b", map[string]node{"a": writer(0, words...), "b": writer(0, words...)}))
		for _, n := range concurrencies {
			heard, done := map[string]string{}, map[string]bool{}
			for ev, err := range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: graph.Tokens | graph.Updates, Concurrency: n}) {
				if err != nil || done[ev.Node] {
					t.Fatalf("after the update of %q: %v", ev.Node, err)
				}
				heard[ev.Node] += ev.Text
				done[ev.Node] = ev.Kind == graph.NodeUpdate
			}
			if want := strings.Join(words, ""); heard["a"] != want || heard["b"] != want {
				t.Errorf("concurrency %d: heard %d and %d bytes of %d", n, len(heard["a"]), len(heard["b"]), len(want))
			}
		}
	}},
}
