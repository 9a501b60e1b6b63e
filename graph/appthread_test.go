package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

type talk struct {
	Lines []string `json:"lines"`
	Notes []remark `json:"notes"`
	N     int      `json:"n"`
	Sum   int      `json:"sum"`
}

type remark struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

var (
	talkLines = graph.Append("lines", func(s *talk) *[]string { return &s.Lines })
	talkNotes = graph.Keyed("notes", func(s *talk) *[]remark { return &s.Notes }, func(n *remark) *string { return &n.ID })
	talkN     = graph.LastValue("n", func(s *talk) *int { return &s.N })
	talkSum   = graph.Reduce("sum", func(s *talk) *int { return &s.Sum }, func(a, b int) int { return a + b })
)

// talks has a node and, behind it, a graph inside a node.
func talks(t *testing.T) graph.App {
	t.Helper()
	say := func(text string) graph.Node[talk] {
		return func(context.Context, talk) (graph.Update[talk], error) {
			return graph.Update[talk]{talkLines.Add(text), talkSum.Add(1)}, nil
		}
	}
	inner := graph.NewStateGraph(talkLines, talkNotes, talkN, talkSum)
	inner.AddNode("deep", say("deep"))
	inner.AddEdge(graph.Start, "deep")
	child, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph(talkLines, talkNotes, talkN, talkSum)
	g.AddNode("first", say("first"))
	g.AddSubgraph("second", child)
	g.AddEdge(graph.Start, "first")
	g.AddEdge("first", "second")
	app, err := g.Compile(&graph.CompileOptions{Name: "talks", Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	return app.App()
}

// Values takes an object as a caller without types writes it, and refuses what the graph
// does not have.
func TestAppValues(t *testing.T) {
	app := talks(t)
	for object, want := range map[string]string{
		`{}`: `[]`,
		`{"sum": 2, "n": 1, "lines": "a", "notes": [{"id":"x","text":"y"}]}`: `[{"channel":"lines","op":"add","value":["a"]},{"channel":"notes","op":"put","value":[{"id":"x","text":"y"}]},{"channel":"n","op":"set","value":1},{"channel":"sum","op":"add","value":2}]`,
		`{"lines": null, "notes": {"id":"x","text":""}, "n": null}`:          `[{"channel":"notes","op":"put","value":[{"id":"x","text":""}]},{"channel":"n","op":"set","value":null}]`,
	} {
		got, err := app.Values(json.RawMessage(object))
		if err != nil || string(got) != want {
			t.Errorf("%s is %s, error %v; want %s", object, got, err, want)
		}
	}
	for object, part := range map[string]string{
		`{"m": 1, "n": 2}`:   `unknown channel "m"`,
		`{"n": "one"}`:       `channel "n"`,
		`[1]`:                `an object of channels`,
		`{"lines": [1]}`:     `channel "lines"`,
		`{"notes": "plain"}`: `channel "notes"`,
	} {
		if got, err := app.Values(json.RawMessage(object)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s is %s, error %v; want %q", object, got, err, part)
		}
	}
}

// A thread is read and edited in JSON as the typed graph does it.
func TestAppThread(t *testing.T) {
	app, ctx := talks(t), t.Context()
	in, err := app.Values(json.RawMessage(`{"lines":["hello"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var tasks [][]string
	for ev, err := range app.Stream(ctx, in, &graph.RunOptions{Thread: "t", Modes: graph.Debug}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == graph.NodeStart {
			tasks = append(tasks, ev.Tasks())
		}
	}
	var seen []string
	for s, err := range app.History(ctx, "t", nil) {
		if err != nil {
			t.Fatal(err)
		}
		var at talk
		if err := json.Unmarshal(s.State, &at); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, strings.Join(at.Lines, " ")+" > "+strings.Join(s.Next, " "))
		for _, task := range s.Tasks {
			if task.Node == "second" && (tasks[1][0] != task.ID || tasks[2][0] != task.ID || len(tasks[2]) != 2) {
				t.Errorf("the task %s is named %v by events, and what it has inside %v", task.ID, tasks[1], tasks[2])
			}
		}
	}
	if want := []string{"hello first deep > ", "hello first > second", "hello > first", " > __start__"}; !slices.Equal(seen, want) {
		t.Errorf("the history is %q, want %q", seen, want)
	}

	edit, err := app.Values(json.RawMessage(`{"n":7}`))
	if err != nil {
		t.Fatal(err)
	}
	key, err := app.UpdateState(ctx, graph.Key{Thread: "t"}, []graph.AppUpdate{{As: "first", Update: edit}})
	if err != nil {
		t.Fatal(err)
	}
	if key, err = app.Fork(ctx, key); err != nil {
		t.Fatal(err)
	}
	s, err := app.State(ctx, key)
	if err != nil || s.Source != graph.SourceFork || !slices.Equal(s.Next, []string{"second"}) || !strings.Contains(string(s.State), `"n":7`) {
		t.Errorf("after an edit and a fork: %+v, error %v", s, err)
	}
	if _, err := app.UpdateState(ctx, graph.Key{Thread: "t"}, []graph.AppUpdate{{Update: json.RawMessage(`[{"channel":"m","op":"set","value":1}]`)}}); err == nil {
		t.Error("an update of an unknown channel is taken")
	}
	if _, err := app.UpdateState(ctx, graph.Key{Thread: "t"}, []graph.AppUpdate{{As: "third"}}); !errors.Is(err, graph.ErrInvalidUpdate) {
		t.Errorf("an update as an unknown node: %v", err)
	}
}

// The parts of a graph can be asked for.
func TestAppParts(t *testing.T) {
	app := talks(t)
	inner, ok := app.Subgraph("second")
	if !ok || inner.Name() != "inner" {
		t.Errorf("the graph in the second node is %v, %v", inner, ok)
	}
	for _, node := range []string{"first", "third"} {
		if _, ok := app.Subgraph(node); ok {
			t.Errorf("node %q has a graph", node)
		}
	}
	nodes, edges := app.Drawing().Nodes(), app.Drawing().Edges()
	if len(nodes) != 2 || nodes[0].Subgraph != nil || nodes[1].Subgraph.Name() != "inner" {
		t.Errorf("nodes %+v", nodes)
	}
	if want := []graph.DrawnEdge{{From: graph.Start, To: "first"}, {From: "first", To: "second"}, {From: "second", To: graph.End}}; !slices.Equal(edges, want) {
		t.Errorf("edges %+v", edges)
	}
}

// A run that stopped at a breakpoint, and is carried out once more because its process
// died before it told anybody, stops there again. The next run goes on.
func TestPursueStopsAgainAtABreakpoint(t *testing.T) {
	say := func(text string) graph.Node[talk] {
		return func(context.Context, talk) (graph.Update[talk], error) {
			return graph.Update[talk]{talkLines.Add(text)}, nil
		}
	}
	chain := func(name string, opts graph.CompileOptions, nodes ...string) *graph.Compiled[talk] {
		g := graph.NewStateGraph(talkLines)
		for i, n := range nodes {
			g.AddNode(n, say(n))
			g.AddEdge(append([]string{graph.Start}, nodes...)[i], n)
		}
		opts.Name = name
		c, err := g.Compile(&opts)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, c := range map[string]struct {
		opts  graph.RunOptions
		inner graph.CompileOptions
	}{
		"before":         {opts: graph.RunOptions{InterruptBefore: []string{"b"}}},
		"after":          {opts: graph.RunOptions{InterruptAfter: []string{"a"}}},
		"before, inside": {inner: graph.CompileOptions{InterruptBefore: []string{"y"}}},
		"after, inside":  {inner: graph.CompileOptions{InterruptAfter: []string{"x"}}},
	} {
		g := graph.NewStateGraph(talkLines)
		g.AddNode("a", say("a"))
		g.AddSubgraph("b", chain("inner", c.inner, "x", "y"))
		g.AddEdge(graph.Start, "a")
		g.AddEdge("a", "b")
		compiled, err := g.Compile(&graph.CompileOptions{Name: "outer", Checkpointer: memory.New()})
		if err != nil {
			t.Fatal(err)
		}
		app := compiled.App()
		input := json.RawMessage(`[{"channel":"lines","op":"add","value":["in"]}]`)
		run := func(id string, p graph.Pursuit) (halts int, end error) {
			opts := c.opts
			opts.Thread, opts.RunID = "t", id
			for ev, err := range app.Pursue(t.Context(), p, &opts) {
				if err != nil {
					return halts, err
				}
				if ev.Kind == graph.RunInterrupt && ev.Namespace == "" {
					halts++
				}
			}
			return halts, nil
		}
		lines := func() string {
			at, err := app.State(t.Context(), graph.Key{Thread: "t"})
			if err != nil {
				t.Fatal(err)
			}
			return string(at.State)
		}
		stopped := (*graph.InterruptedError)(nil)
		if _, err := run("one", graph.Pursuit{Input: input}); !errors.As(err, &stopped) {
			t.Fatalf("%s: the run ended with %v", name, err)
		}
		was := lines()
		for range 2 {
			if halts, err := run("one", graph.Pursuit{Input: input, Again: true}); !errors.As(err, &stopped) || halts != 1 || lines() != was {
				t.Errorf("%s: carried out again it ended with %v, %d halts, at %s; it had stopped at %s", name, err, halts, lines(), was)
			}
		}
		if _, err := run("two", graph.Pursuit{Resume: true, Again: true}); err != nil || !strings.Contains(lines(), `["in","a","x","y"]`) {
			t.Errorf("%s: the next run ended with %v at %s", name, err, lines())
		}
	}
}
