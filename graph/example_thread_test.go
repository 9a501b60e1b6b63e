package graph_test

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// A payment waits for a person. It is ordered once, however often its node
// runs.
func ExampleInterrupt() {
	type Order struct {
		Item  string
		State string
	}
	item := graph.LastValue("item", func(o *Order) *string { return &o.Item })
	state := graph.LastValue("state", func(o *Order) *string { return &o.State })

	g := graph.NewStateGraph[Order](item, state)
	g.AddNode("pay", func(ctx context.Context, o Order) (graph.Update[Order], error) {
		number, err := graph.Once(ctx, "order", func(context.Context) (int, error) {
			fmt.Println("ordering", o.Item)
			return 7, nil
		})
		if err != nil {
			return nil, err
		}
		ok, err := graph.Interrupt[bool](ctx, "pay", fmt.Sprintf("Pay order %d?", number))
		if err != nil {
			return nil, err
		}
		return graph.Update[Order]{state.Set(fmt.Sprintf("order %d paid: %t", number, ok))}, nil
	})
	g.AddEdge(graph.Start, "pay")
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()}) // or sqlite.Open, postgres.New
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	_, err = app.Invoke(ctx, graph.Update[Order]{item.Set("a lamp")}, &graph.RunOptions{Thread: "t1"})
	stopped, ok := errors.AsType[*graph.InterruptedError](err)
	if !ok {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", stopped.Pending[0].Payload)

	out, err := app.Resume(ctx, nil, &graph.RunOptions{Thread: "t1", Resume: []graph.Answer{graph.Reply(true)}})
	fmt.Println(out.State, err)
	// Output:
	// ordering a lamp
	// "Pay order 7?"
	// order 7 paid: true <nil>
}

// A thread's past can be looked at, changed, and gone on from.
func ExampleCompiled_History() {
	type Walk struct{ Path []string }
	path := graph.Append("path", func(w *Walk) *[]string { return &w.Path })
	step := func(name string) graph.Node[Walk] {
		return func(context.Context, Walk) (graph.Update[Walk], error) {
			return graph.Update[Walk]{path.Add(name)}, nil
		}
	}
	g := graph.NewStateGraph[Walk](path)
	g.AddNode("a", step("a"))
	g.AddNode("b", step("b"))
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if _, err := app.Invoke(ctx, graph.Update[Walk]{}, &graph.RunOptions{Thread: "t1"}); err != nil {
		fmt.Println(err)
		return
	}
	var before graph.Key // the checkpoint that b ran on
	for s, err := range app.History(ctx, "t1", nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Key.ID, s.Source, s.Next, s.State.Path)
		if len(s.Next) == 1 && s.Next[0] == "b" {
			before = s.Key
		}
	}
	if _, err := app.UpdateState(ctx, before, graph.StateUpdate[Walk]{Update: graph.Update[Walk]{path.Add("by hand")}}); err != nil {
		fmt.Println(err)
		return
	}
	out, err := app.Resume(ctx, nil, &graph.RunOptions{Thread: "t1"})
	fmt.Println(out.Path, err)
	// Output:
	// 0000000004 loop [] [a b]
	// 0000000003 loop [b] [a]
	// 0000000002 loop [a] []
	// 0000000001 input [__start__] []
	// [a by hand b] <nil>
}
