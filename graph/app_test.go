package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

type order struct {
	Items []int  `json:"items"`
	Item  int    `json:"item"`
	Sum   int    `json:"sum"`
	Who   string `json:"who"`
	free  string
}

var (
	orderItems = graph.LastValue("items", func(s *order) *[]int { return &s.Items })
	orderItem  = graph.LastValue("item", func(s *order) *int { return &s.Item })
	orderSum   = graph.Reduce("sum", func(s *order) *int { return &s.Sum }, func(a, b int) int { return a + b })
	orderWho   = graph.LastValue("who", func(s *order) *string { return &s.Who })
)

// orders sends each item to a remote node, then asks a person. Edges of its own make
// another structure.
func orders(t *testing.T, more ...string) *graph.Compiled[order] {
	t.Helper()
	g := graph.NewStateGraph(orderItems, orderItem, orderSum, orderWho)
	g.AddConditionalEdges(graph.Start, func(_ context.Context, s order) (graph.Route, error) {
		var out []graph.Send[order]
		for _, i := range s.Items {
			out = append(out, graph.Send[order]{Node: "price", State: order{Item: i}})
		}
		return graph.Sends(out...), nil
	}, "price")
	g.AddNode("price", func(ctx context.Context, s order) (graph.Update[order], error) {
		if at, ok := graph.CurrentTask(ctx); !ok || at.Node != "price" {
			return nil, fmt.Errorf("the task is %+v", at)
		}
		if s.Item < 0 {
			return nil, errors.New("there is no such item")
		}
		return graph.Update[order]{orderSum.Add(10 * s.Item)}, nil
	}, graph.NodeOptions[order]{Remote: "prices"})
	g.AddNode("ask", func(ctx context.Context, s order) (graph.Update[order], error) {
		who, err := graph.Interrupt[string](ctx, "who", s.Sum)
		return graph.Update[order]{orderWho.Set(who)}, err
	})
	g.AddEdge("price", "ask")
	for _, name := range more {
		g.AddNode(name, func(context.Context, order) (graph.Update[order], error) { return nil, nil })
		g.AddEdge("ask", name)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "orders", Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// An App gives the states and the update of the typed graph as JSON, stops for a
// person, and resumes.
func TestAppSpeaksJSON(t *testing.T) {
	app := orders(t).App()
	ctx, opts := t.Context(), &graph.RunOptions{Thread: "t", Modes: graph.Debug}
	var updates []string
	var state string
	for ev, err := range app.Stream(ctx, json.RawMessage(`[{"channel":"items","op":"set","value":[1,2]}]`), opts) {
		if stop := (*graph.InterruptedError)(nil); errors.As(err, &stop) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch ev.Kind {
		case graph.NodeUpdate:
			data, err := ev.UpdateJSON()
			if err != nil {
				t.Fatal(err)
			}
			updates = append(updates, string(data))
		case graph.StateValue:
			state = string(ev.State)
		}
	}
	slices.Sort(updates)
	if want := []string{`[{"channel":"sum","op":"add","value":10}]`, `[{"channel":"sum","op":"add","value":20}]`}; !slices.Equal(updates, want) {
		t.Errorf("updates %q; want %q", updates, want)
	}
	if want := `{"items":[1,2],"item":0,"sum":30,"who":""}`; state != want {
		t.Errorf("state %s; want %s", state, want)
	}
	at, err := app.State(ctx, graph.Key{Thread: "t"})
	if err != nil || len(at.Interrupts) != 1 || string(at.Interrupts[0].Payload) != "30" || string(at.State) != state {
		t.Fatalf("snapshot %+v, error %v", at, err)
	}
	opts.Resume = []graph.Answer{graph.ReplyTo(at.Interrupts[0].ID, json.RawMessage(`"Ada"`))}
	for ev, err := range app.StreamResume(ctx, nil, opts) {
		if err != nil {
			t.Fatal(err)
		}
		state = string(ev.State)
	}
	if want := `{"items":[1,2],"item":0,"sum":30,"who":"Ada"}`; state != want {
		t.Errorf("at the end %s; want %s", state, want)
	}
}

// What cannot be read is an error that says so, before anything runs.
func TestAppRefusesInput(t *testing.T) {
	for _, in := range []string{`{}`, `[{"channel":"nobody","op":"set","value":1}]`, `[{"channel":"sum","op":"add","value":"x"}]`, ``, `[`} {
		for _, err := range orders(t).App().Stream(t.Context(), json.RawMessage(in), &graph.RunOptions{Thread: "t"}) {
			if err == nil {
				t.Errorf("%q was taken", in)
			}
		}
	}
}

// Tasks of a node with a queue go to the runner of the run, with what they need to run
// in another process; their updates and their failures come back.
func TestRemoteTasks(t *testing.T) {
	here, there := orders(t), orders(t).App()
	var ids []string
	run := func(items ...int) (order, error) {
		ids = nil
		return here.Invoke(t.Context(), graph.Update[order]{orderItems.Set(items)}, &graph.RunOptions{
			Thread: "t", Concurrency: 1, Remote: func(ctx context.Context, task graph.RemoteTask) (json.RawMessage, error) {
				if task.Queue != "prices" || task.Graph != "orders" {
					t.Errorf("task %+v", task)
				}
				ids = append(ids, task.ID)
				return there.RunTask(ctx, task)
			},
		})
	}
	out, err := run(3, 4)
	if out.Sum != 70 || !graph.IsInterrupt(err) {
		t.Errorf("state %+v, error %v", out, err)
	}
	if len(ids) != 2 || ids[0] == ids[1] || ids[0] == "" {
		t.Errorf("task IDs %q", ids)
	}
	if _, err := run(-1); err == nil || err.Error() == "" || graph.IsInterrupt(err) {
		t.Errorf("error %v", err)
	}
	there = orders(t, "more").App()
	if _, err := run(3); !errors.As(err, new(*graph.FingerprintError)) {
		t.Errorf("a task of another structure: %v", err)
	}
}

// Without a runner such tasks run with the run, and a state that cannot travel is an
// error and no loss.
func TestRemoteTaskThatCannotTravel(t *testing.T) {
	if out, err := orders(t).Invoke(t.Context(), graph.Update[order]{orderItems.Set([]int{1})}, &graph.RunOptions{Thread: "t"}); out.Sum != 10 || !graph.IsInterrupt(err) {
		t.Errorf("state %+v, error %v", out, err)
	}
	g := graph.NewStateGraph(orderItems, orderItem, orderSum, orderWho)
	g.AddConditionalEdges(graph.Start, func(context.Context, order) (graph.Route, error) {
		return graph.Sends(graph.Send[order]{Node: "price", State: order{free: "lost"}}), nil
	}, "price")
	g.AddNode("price", func(context.Context, order) (graph.Update[order], error) { return nil, nil }, graph.NodeOptions[order]{Remote: "prices"})
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.Invoke(t.Context(), nil, &graph.RunOptions{Remote: func(context.Context, graph.RemoteTask) (json.RawMessage, error) {
		t.Error("it was sent")
		return json.RawMessage("[]"), nil
	}})
	if err == nil {
		t.Error("a field that JSON leaves out was lost")
	}
}
