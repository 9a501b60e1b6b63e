package graph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

func history(t *testing.T, app *graph.Compiled[board], thread string) {
	for s, err := range app.History(t.Context(), thread, nil) {
		if err != nil {
			t.Error(err)
			continue
		}
		fmt.Printf("  %s<-%s %s %d next=%v log=%v x=%d tasks=", s.Key.ID, s.Parent, s.Source, s.Step, s.Next, s.State.Log, s.State.X)
		for _, k := range s.Tasks {
			fmt.Printf("%s(done %t %s %d)", k.Node, k.Done, k.Failure, len(k.Interrupts))
		}
		fmt.Println()
	}
}

func TestSmoke(t *testing.T) {
	saver := memory.New()
	compile := func(g *graph.StateGraph[board]) *graph.Compiled[board] {
		app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
	ctx := t.Context()
	// D1
	app := compile(wire("START -> a -> ask -> b", map[string]node{"ask": func(ctx context.Context, s board) (update, error) {
		v, err := graph.Interrupt[string](ctx, "q", "q?")
		if err != nil {
			return nil, err
		}
		return update{log.Add("h:" + v)}, nil
	}}))
	out, err := app.Invoke(ctx, update{}, &graph.RunOptions{Thread: "d1"})
	fmt.Println(out.Log, err)
	s, err := app.State(ctx, graph.Key{Thread: "d1"})
	fmt.Printf("%+v %v\n", s, err)
	p := play(ctx, app, nil, graph.RunOptions{Thread: "d1", Resume: []graph.Answer{graph.Reply("yes")}, Modes: graph.Values | graph.Updates | graph.Checkpoints})
	fmt.Println(p.pick(graph.StateValue, graph.NodeUpdate, graph.CheckpointSaved), p.err)
	history(t, app, "d1")
	out, err = app.Invoke(ctx, update{log.Add("turn2")}, &graph.RunOptions{Thread: "d1"})
	fmt.Println(out.Log, err)
	history(t, app, "d1")
	// E1
	fail := true
	app = compile(wire("START -> one two", map[string]node{"one": writes(x.Add(2)), "two": func(context.Context, board) (update, error) {
		if fail {
			return nil, errors.New("not good")
		}
		return update{x.Add(3)}, nil
	}}))
	out, err = app.Invoke(ctx, update{x.Add(1)}, &graph.RunOptions{Thread: "e1"})
	fmt.Println(out.X, err)
	s, err = app.State(ctx, graph.Key{Thread: "e1"})
	fmt.Printf("%+v %v\n", s, err)
	fail = false
	out, err = app.Invoke(ctx, nil, &graph.RunOptions{Thread: "e1"})
	fmt.Println(out.X, err)
	history(t, app, "e1")
	// F1, F2
	app = compile(wire("START -> a -> b -> c", nil))
	app.Invoke(ctx, update{}, &graph.RunOptions{Thread: "f1"})
	var at string
	for s := range app.History(ctx, "f1", nil) {
		if len(s.Next) == 1 && s.Next[0] == "b" {
			at = s.Key.ID
		}
	}
	out, err = app.Invoke(ctx, nil, &graph.RunOptions{Thread: "f1", Checkpoint: at})
	fmt.Println(out.Log, err)
	history(t, app, "f1")
	key, err := app.UpdateState(ctx, graph.Key{Thread: "f1", ID: at}, graph.StateUpdate[board]{Update: update{log.Add("x")}})
	fmt.Println(key, err)
	out, err = app.Invoke(ctx, nil, &graph.RunOptions{Thread: "f1"})
	fmt.Println(out.Log, err)
	history(t, app, "f1")
	// H2 as node
	child := mustCompile(t, wire("START -> s1 -> s2", map[string]node{"s2": func(ctx context.Context, s board) (update, error) {
		v, err := graph.Interrupt[string](ctx, "q", "q?")
		if err != nil {
			return nil, err
		}
		return update{log.Add("s2:" + v)}, nil
	}}))
	g := newBoard()
	g.AddSubgraph("sub", child)
	g.AddNode("pre", say("pre"))
	g.AddEdge(graph.Start, "pre")
	g.AddEdge("pre", "sub")
	app = compile(g)
	out, err = app.Invoke(ctx, update{log.Add("in")}, &graph.RunOptions{Thread: "h2"})
	fmt.Println(out.Log, err)
	s, err = app.State(ctx, graph.Key{Thread: "h2"})
	fmt.Printf("%+v %v\n", s, err)
	if s != nil {
		cs, err := child.With(saver).State(ctx, s.Tasks[0].Child)
		fmt.Printf("%+v %v\n", cs, err)
	}
	out, err = app.Invoke(ctx, nil, &graph.RunOptions{Thread: "h2", Resume: []graph.Answer{graph.Reply("ok")}})
	fmt.Println(out.Log, err)
	history(t, app, "h2")
}
