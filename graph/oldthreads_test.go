package graph_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// The threads in testdata/threads_v1.json and threads_v2.json were saved by the
// programs that wrote formats 1 and 2 of checkpoints (commits ba5f869 and
// 22b907a), each at the moment in its name. They must always load and continue.

// A threadDump is a checkpointer's whole thread, with readable data.
type threadDump struct {
	Checkpoints []dumpedCheckpoint
	Records     []dumpedRecord
}

type dumpedCheckpoint struct {
	graph.Checkpoint
	Data json.RawMessage
}

type dumpedRecord struct {
	graph.Record
	Data json.RawMessage
}

// atNoon is the clock of the dumped threads.
func atNoon() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }

// oldGraphs are those of the dumped threads, by thread.
func oldGraphs() map[string]func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
	options := func(saver graph.Checkpointer) *graph.CompileOptions {
		return &graph.CompileOptions{Checkpointer: saver, Now: atNoon}
	}
	ask := func(ctx context.Context, key string) (string, error) {
		return graph.Interrupt[string](ctx, key, key+"?")
	}
	one := func(run node) func(graph.Checkpointer) (*graph.Compiled[board], error) {
		return func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
			return wire("START -> n", map[string]node{"n": run}).Compile(options(saver))
		}
	}
	return map[string]func(graph.Checkpointer) (*graph.Compiled[board], error){
		// The node waits inside Once.
		"asks inside once": one(func(ctx context.Context, _ board) (update, error) {
			name, err := graph.Once(ctx, "prepare", func(ctx context.Context) (string, error) { return ask(ctx, "name") })
			if err != nil {
				return nil, err
			}
			return update{log.Add("hello " + name)}, nil
		}),
		// The first question is answered, the second is open, and a call is on record.
		"asks again": one(func(ctx context.Context, _ board) (update, error) {
			id, err := graph.Once(ctx, "count", func(context.Context) (string, error) { return "id", nil })
			if err != nil {
				return nil, err
			}
			first, err := ask(ctx, "line")
			if err != nil {
				return nil, err
			}
			second, err := ask(ctx, "line")
			return update{log.Add(id, first, second)}, err
		}),
		// A graph inside Once waits; what ran before it in the graph does not run again.
		"a graph asks inside once": one(func(ctx context.Context, _ board) (update, error) {
			child, err := wire("START -> s -> q", map[string]node{
				"q": func(ctx context.Context, s board) (update, error) {
					name, err := ask(ctx, "name")
					return update{log.Add("hello " + name)}, err
				},
			}).Compile(nil)
			if err != nil {
				return nil, err
			}
			got, err := graph.Once(ctx, "child", func(ctx context.Context) ([]string, error) {
				out, err := child.Invoke(ctx, update{}, nil)
				return out.Log, err
			})
			return update{log.Add(got...)}, err
		}),
		// One source of a join has run, and the other waits at a breakpoint.
		"a join waits": func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
			o := options(saver)
			o.InterruptBefore = []string{"b+x"}
			return wire("START -> a\nSTART -> b -> b+x\na b+x => j", nil).Compile(o)
		},
		// Two joins had one label, and of the second one source has run.
		"joins alike wait": func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
			o := options(saver)
			o.InterruptAfter = []string{"wait"}
			return wire("START -> a+b\nSTART -> wait -> a b+x x\na b+x => j\na+b x => j", nil).Compile(o)
		},
		// Sends of a router wait at a breakpoint.
		"sends wait": func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
			g := wire("START -> s", map[string]node{})
			g.AddNode("w", func(_ context.Context, s board) (update, error) { return update{log.Add(s.Query)}, nil })
			g.AddConditionalEdges("s", always(graph.Sends(graph.Send[board]{Node: "w", State: board{Query: "p"}}, graph.Send[board]{Node: "w", State: board{Query: "q"}})), "w")
			o := options(saver)
			o.InterruptBefore = []string{"w"}
			return g.Compile(o)
		},
		// Of two nodes side by side one sent by a command, and one asks.
		"a command sent": func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
			g := wire("START -> q", map[string]node{"q": func(ctx context.Context, _ board) (update, error) {
				name, err := ask(ctx, "name")
				return update{log.Add("hello " + name)}, err
			}})
			g.AddNode("c", writes(graph.Goto[board]().Sends(graph.Send[board]{Node: "w", State: board{Query: "p"}})), graph.NodeOptions[board]{Goto: []string{"w"}})
			g.AddNode("w", func(_ context.Context, s board) (update, error) { return update{log.Add(s.Query)}, nil })
			g.AddEdge(graph.Start, "c")
			return g.Compile(options(saver))
		},
		// The graph inside is not saved. Its second question is open; a call of the node beside it is on record.
		"a graph that keeps nothing asks again": func(saver graph.Checkpointer) (*graph.Compiled[board], error) {
			child, err := wire("START -> q\nSTART -> b", map[string]node{
				"b": func(ctx context.Context, _ board) (update, error) {
					id, err := graph.Once(ctx, "line", func(context.Context) (string, error) { return time.Now().Format(time.DateOnly), nil })
					return update{log.Add("b " + id)}, err
				},
				"q": func(ctx context.Context, _ board) (update, error) {
					first, err := ask(ctx, "line")
					if err != nil {
						return nil, err
					}
					second, err := ask(ctx, "line")
					return update{log.Add(first, second)}, err
				},
			}).Compile(&graph.CompileOptions{Persistence: graph.PersistNever})
			if err != nil {
				return nil, err
			}
			g := wire("START -> a", nil)
			g.AddSubgraph("n", child)
			g.AddEdge("a", "n")
			return g.Compile(options(saver))
		},
	}
}

// TestOldThreads: each thread continues to its graph's usual end.
func TestOldThreads(t *testing.T) {
	var dumps map[string]threadDump
	for _, path := range []string{"testdata/threads_v1.json", "testdata/threads_v2.json"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &dumps); err != nil { // adds to those before
			t.Fatal(err)
		}
	}
	answers := map[string][]string{"asks inside once": {"Ada"}, "asks again": {"second"}, "a graph asks inside once": {"Ada"}, "a command sent": {"Ada"}, "a graph that keeps nothing asks again": {"second"}}
	want := map[string][]string{
		"asks inside once":                      {"in", "hello Ada"},
		"asks again":                            {"in", "id", "first", "second"},
		"a graph asks inside once":              {"in", "s", "hello Ada"},
		"a join waits":                          {"in", "a", "b", "b+x", "j"},
		"joins alike wait":                      {"in", "a+b", "wait", "a", "b+x", "x", "j"},
		"sends wait":                            {"in", "s", "p", "q"},
		"a command sent":                        {"in", "hello Ada", "p"},
		"a graph that keeps nothing asks again": {"in", "a", "b 2026-11-02", "first", "second"},
	}
	for name, build := range oldGraphs() {
		t.Run(name, func(t *testing.T) {
			saver := memory.New()
			var change graph.Change
			for _, c := range slices.Backward(dumps[name].Checkpoints) {
				c.Checkpoint.Data = c.Data
				change.Add = append(change.Add, c.Checkpoint)
			}
			for _, r := range dumps[name].Records {
				r.Record.Data = r.Data
				change.Records = append(change.Records, r.Record)
			}
			if err := saver.Commit(t.Context(), name, change); err != nil {
				t.Fatal(err)
			}
			app, err := build(saver)
			if err != nil {
				t.Fatal(err)
			}
			s := stateOf(t, app, graph.Key{Thread: name})
			if len(s.Interrupts) != len(answers[name]) {
				t.Fatalf("pending %+v", s.Interrupts)
			}
			if len(s.Interrupts) > 0 { // what asks again keeps its ID
				_, err := app.Resume(t.Context(), nil, on(name))
				if again := stateOf(t, app, graph.Key{Thread: name}); !graph.IsInterrupt(err) || again.Interrupts[0].ID != s.Interrupts[0].ID {
					t.Errorf("asked again: %v, pending %+v", err, again.Interrupts)
				}
			}
			opts := on(name)
			for i, p := range s.Interrupts {
				opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, answers[name][i]))
			}
			out, err := app.Resume(t.Context(), nil, opts)
			logged(t, out, err, want[name]...)
		})
	}
}
