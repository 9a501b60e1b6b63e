package langgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	notes "example.com/assay/graph/store/sqlite"
	"example.com/assay/serve/langgraph"
	"example.com/assay/serve/runs"
)

type talk struct {
	Lines []string `json:"lines"`
	Who   string   `json:"who,omitempty"`
}

var (
	talkLines = graph.Append("lines", func(s *talk) *[]string { return &s.Lines })
	talkWho   = graph.LastValue("who", func(s *talk) *string { return &s.Who })
)

func say(line string) graph.Node[talk] {
	return func(context.Context, talk) (graph.Update[talk], error) {
		return graph.Update[talk]{talkLines.Add(line)}, nil
	}
}

func ask[P any](question P) graph.Node[talk] {
	return func(ctx context.Context, _ talk) (graph.Update[talk], error) {
		who, err := graph.Interrupt[string](ctx, "who", question)
		return graph.Update[talk]{talkWho.Set(who)}, err
	}
}

type step struct {
	name string
	node graph.Node[talk]
}

func line(t testing.TB, name string, steps ...step) *graph.Compiled[talk] {
	t.Helper()
	g := graph.NewStateGraph(talkLines, talkWho)
	before := graph.Start
	for _, s := range steps {
		g.AddNode(s.name, s.node)
		g.AddEdge(before, s.name)
		before = s.name
	}
	return compiled(t, g, name)
}

func compiled[S any](t testing.TB, g *graph.StateGraph[S], name string) *graph.Compiled[S] {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

type fanned struct {
	Items []int `json:"items,omitempty"`
	Item  int   `json:"item,omitempty"`
	Done  []int `json:"done"`
}

func fan(t testing.TB) *graph.Compiled[fanned] {
	items := graph.LastValue("items", func(s *fanned) *[]int { return &s.Items })
	item := graph.LastValue("item", func(s *fanned) *int { return &s.Item })
	done := graph.Append("done", func(s *fanned) *[]int { return &s.Done })
	g := graph.NewStateGraph(items, item, done)
	g.AddNode("plan", func(context.Context, fanned) (graph.Update[fanned], error) { return nil, nil })
	g.AddNode("work", func(_ context.Context, s fanned) (graph.Update[fanned], error) {
		return graph.Update[fanned]{done.Add(s.Item * 10)}, nil
	})
	g.AddNode("sum", func(_ context.Context, s fanned) (graph.Update[fanned], error) {
		return graph.Update[fanned]{item.Set(len(s.Done))}, nil
	})
	g.AddEdge(graph.Start, "plan")
	g.AddConditionalEdges("plan", func(_ context.Context, s fanned) (graph.Route, error) {
		var out []graph.Send[fanned]
		for _, i := range s.Items {
			out = append(out, graph.Send[fanned]{Node: "work", State: fanned{Item: i}})
		}
		return graph.Sends(out...), nil
	}, "work")
	g.AddEdge("work", "sum")
	return compiled(t, g, "fan")
}

func nested(t testing.TB) *graph.Compiled[talk] {
	inner := line(t, "inner", step{"first", say("first")}, step{"question", ask(map[string]string{"text": "who?"})})
	g := graph.NewStateGraph(talkLines, talkWho)
	g.AddNode("before", say("before"))
	g.AddSubgraph("inside", inner)
	g.AddNode("after", say("after"))
	g.AddEdge(graph.Start, "before")
	g.AddEdge("before", "inside")
	g.AddEdge("inside", "after")
	return compiled(t, g, "nested")
}

// settled says what was chosen for a run.
func settled(t testing.TB) runs.Graph {
	var chosen string
	g := runs.Graph{Name: "settled", Settings: []runs.Setting{{Name: "corpus", Schema: json.RawMessage(`{"type":"string"}`)}, {Name: "depth"}}}
	g.App = line(t, "settled", step{"say", func(context.Context, talk) (graph.Update[talk], error) {
		return graph.Update[talk]{talkLines.Add(chosen)}, nil
	}}).App()
	g.Open = func(_ context.Context, _ string, r runs.Run) (runs.Opening, error) {
		data, err := json.Marshal(r.Spec.Settings)
		chosen = string(data)
		return runs.Opening{App: g.App}, err
	}
	return g
}

// served is a server of the three graphs, and one that fails.
func served(t testing.TB) *httptest.Server {
	t.Helper()
	ctx, folder := context.Background(), t.TempDir()
	saver, err := sqlite.Open(ctx, filepath.Join(folder, "threads.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := notes.Open(ctx, filepath.Join(folder, "runs.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.OpenFile(ctx, filepath.Join(folder, "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	graphs := []runs.Graph{
		{Name: "chain", App: line(t, "chain", step{"a", say("a")}, step{"ask", ask("who is it?")}, step{"b", say("b")}).App()},
		{Name: "fan", App: fan(t).App()}, {Name: "nested", App: nested(t).App()},
		{Name: "fails", App: line(t, "fails", step{"a", say("a")}, step{"fail", func(context.Context, talk) (graph.Update[talk], error) {
			return nil, errors.New("it fails")
		}}).App()},
		{Name: "slow", App: line(t, "slow", step{"wait", func(ctx context.Context, _ talk) (graph.Update[talk], error) {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}}).App()},
		settled(t),
	}
	m, err := runs.Open(ctx, graphs, runs.Options{Checkpointer: saver, Store: rows, Log: log, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	mine := m.Space(runs.DefaultTenant)
	s := httptest.NewServer(langgraph.Handler(langgraph.Options{
		Space: func(*http.Request) (*runs.Space, error) { return mine, nil },
		Items: func(*http.Request) store.Store { return rows },
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		stop, done := context.WithTimeout(ctx, 10*time.Second)
		defer done()
		m.Close(stop)
		if err := errors.Join(log.Close(), rows.Close(), saver.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}
