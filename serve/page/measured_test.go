package page_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/internal/browsertest"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// beats is the state of a graph that goes on by itself.
type beats struct {
	N int `json:"n"`
}

// beating is a graph of a number of supersteps with a pause in each.
func beating(steps int, pause time.Duration) serve.Graph {
	n := graph.LastValue("n", func(s *beats) *int { return &s.N })
	g := graph.NewStateGraph(n)
	g.AddNode("beat", func(ctx context.Context, s beats) (graph.Update[beats], error) {
		select {
		case <-time.After(pause):
			return graph.Update[beats]{n.Set(s.N + 1)}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	g.AddEdge(graph.Start, "beat")
	g.AddConditionalEdges("beat", func(_ context.Context, s beats) (graph.Route, error) {
		if s.N < steps {
			return graph.To("beat"), nil
		}
		return graph.To(graph.End), nil
	}, "beat", graph.End)
	app, err := g.Compile(&graph.CompileOptions{Name: "beats"})
	if err != nil {
		panic(err)
	}
	return serve.Register("beats", app, nil)
}

// quantile is the value below which a part of the values are.
func quantile(values []float64, part float64) float64 {
	slices.Sort(values)
	return values[min(int(part*float64(len(values))), len(values)-1)]
}

// What the browser measures: how long after the request a run of 500 events is painted first,
// and how long after it happened an event is on the page of a run that goes on. The bounds are
// wide, since other programs use the machine, too; docs/performance.md has figures.
func TestBrowserMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes its time")
	}
	s := served(t, func(o *serve.Options) { o.Graphs = append(o.Graphs, beating(100, 20*time.Millisecond)) })
	p := s.enter()
	r := s.run("steps", `{"text":"How long?","until":170}`)
	events := 0
	for _, err := range s.space().Recorded(t.Context(), r.ID) {
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	if events < 500 {
		t.Errorf("the run has %d events", events)
	}
	for _, part := range []string{"", "/graph", "/steps", "/timeline"} {
		p.Goto(s.url + "/ui/runs/" + r.ID + part) // what all pages share is in the cache from now on
		var comes, paints, busy []float64
		for range 10 {
			p.Goto(s.url + "/ui/runs/" + r.ID + part)
			come, painted := p.Times()
			busy = append(busy, float64(p.Busy())/1e6)
			comes, paints = append(comes, float64(come)/1e6), append(paints, float64(painted)/1e6)
		}
		t.Logf("first paint of %d events, page %q: least %.0f ms, p50 %.0f ms, p95 %.0f ms; it had come after %.0f, %.0f, %.0f ms; processor time p50 %.0f ms", events, part,
			slices.Min(paints), quantile(paints, .5), quantile(paints, .95), slices.Min(comes), quantile(comes, .5), quantile(comes, .95), quantile(busy, .5))
		if least := slices.Min(paints); least > 1000 {
			t.Errorf("page %q is painted after %.0f ms at best", part, least)
		}
	}
	late := s.latencies(p)
	t.Logf("a live event is on the page after p50 %.1f ms, p95 %.1f ms, most %.1f ms (%d events)", quantile(late, .5), quantile(late, .95), slices.Max(late), len(late))
	if len(late) < 100 || quantile(late, .5) > 1000 {
		t.Errorf("%d live events, of which half need more than %.1f ms", len(late), quantile(late, .5))
	}
}

// latencies are the times between a live event and its line on the page, in milliseconds.
func (s *site) latencies(p *browsertest.Page) []float64 {
	s.Helper()
	r := s.begin(runs.Spec{Graph: "beats"}, `{}`)
	p.Goto(s.url + "/ui/runs/" + r.ID)
	p.Eval(`globalThis.late = [];
new MutationObserver(list => { for (const change of list) for (const line of change.addedNodes) if (line.dataset?.at) late.push(Date.now() - Number(line.dataset.at)) })
  .observe(document.querySelector('[data-live-steps]'), {childList: true})`, nil)
	s.wait(r.ID)
	p.Wait(`!document.querySelector('[data-live]')`)
	var late []float64
	p.Eval(`late`, &late)
	return late
}
