package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// answersAll resumes a thread, each time with an answer that quotes the
// question, until it asks nothing more. It returns the questions in their order.
func answersAll(t *testing.T, app *graph.Compiled[board], in update) (questions []string, out board) {
	t.Helper()
	out, err := app.Invoke(t.Context(), in, on("1"))
	for range 20 {
		var stopped *graph.InterruptedError
		if !errors.As(err, &stopped) {
			break
		}
		opts := on("1")
		for _, p := range stopped.Pending {
			question := strings.Trim(string(p.Payload), `"`)
			questions = append(questions, question)
			opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, "to "+question))
		}
		out, err = app.Resume(t.Context(), nil, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return questions, out
}

func questioned(ctx context.Context, text string) (string, error) {
	return graph.Interrupt[string](ctx, "q", text)
}

// childThatAsks is a graph that asks one question and writes the answer.
func childThatAsks(t *testing.T, text string) *graph.Compiled[board] {
	return mustCompile(t, wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
		answer, err := questioned(ctx, text)
		return update{log.Add(answer)}, err
	}}))
}

// A recorded call that is skipped renumbers no later call, at any depth.
func TestFindingE1KeysAreScopedByOnce(t *testing.T) {
	child := func(app *graph.Compiled[board]) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			out, err := app.Invoke(ctx, update{}, nil)
			return strings.Join(out.Log, "+"), err
		}
	}
	ask := func(text string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return questioned(ctx, text) }
	}
	once := func(key string, fn func(context.Context) (string, error)) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return graph.Once(ctx, key, fn) }
	}
	both := func(parts ...func(context.Context) (string, error)) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			var out []string
			for _, part := range parts {
				s, err := part(ctx)
				if err != nil {
					return "", err
				}
				out = append(out, s)
			}
			return strings.Join(out, ","), nil
		}
	}
	stateful := func(text string) *graph.Compiled[board] {
		app, err := wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
			answer, err := questioned(ctx, text)
			return update{log.Add(answer)}, err
		}}).Compile(&graph.CompileOptions{Persistence: graph.PersistAlways})
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
	for name, c := range map[string]struct {
		run       func(context.Context) (string, error)
		questions string
	}{
		"interrupts":          {both(once("o", ask("1")), ask("2"), ask("3")), "1 2 3"},
		"a key like a scope":  {both(once("o", ask("1")), func(ctx context.Context) (string, error) { return graph.Interrupt[string](ctx, "o#>q", "2") }, ask("3")), "1 2 3"},
		"onces of one key":    {both(once("o", ask("1")), once("o", ask("2")), ask("3")), "1 2 3"},
		"a once in a once":    {both(once("o", both(once("o", ask("1")), ask("2"))), once("o", ask("3")), ask("4")), "1 2 3 4"},
		"graphs":              {both(once("o/%", child(childThatAsks(t, "1"))), child(childThatAsks(t, "2")), child(childThatAsks(t, "3"))), "1 2 3"},
		"graphs with state":   {both(once("o", child(stateful("1"))), child(stateful("2"))), "1 2"},
		"a graph, two deep":   {both(once("o", both(child(childThatAsks(t, "1")), once("p", child(childThatAsks(t, "2"))))), child(childThatAsks(t, "3"))), "1 2 3"},
		"onces within onces":  {both(once("o", both(once("p", ask("1")), once("p", ask("2")))), once("p", ask("3")), ask("4")), "1 2 3 4"},
		"before and after it": {both(ask("1"), once("o", ask("2")), ask("3")), "1 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(ctx context.Context, _ board) (update, error) {
				got, err := c.run(ctx)
				return update{log.Add(got)}, err
			}
			inner := mustCompile(t, wire("START -> n", map[string]node{"n": run}))
			never, err := wire("START -> n", map[string]node{"n": run}).Compile(&graph.CompileOptions{Persistence: graph.PersistNever})
			if err != nil {
				t.Fatal(err)
			}
			handled := newBoard()
			handled.AddNode("n", func(context.Context, board) (update, error) { return nil, errBoom }, graph.NodeOptions[board]{
				OnError: func(ctx context.Context, s board, _ error) (update, error) { return run(ctx, s) },
			})
			handled.AddEdge(graph.Start, "n")
			graphs := map[string]*graph.StateGraph[board]{"node": wire("START -> n", map[string]node{"n": run}), "handler": handled}
			if !strings.Contains(name, "state") { // such a graph needs a checkpointer around it
				graphs["unsaved graph"] = newBoard()
				graphs["unsaved graph"].AddSubgraph("n", never)
				graphs["unsaved graph"].AddEdge(graph.Start, "n")
			}
			graphs["graph"] = newBoard()
			graphs["graph"].AddSubgraph("n", inner)
			graphs["graph"].AddEdge(graph.Start, "n")
			for where, g := range graphs {
				app := compileOn(t, memory.New(), g)
				for turn := range 2 {
					questions, out := answersAll(t, app, update{graph.Write[board](log.Overwrite(nil))})
					want := strings.Fields(c.questions)
					if !slices.Equal(questions, want) {
						t.Errorf("%s, turn %d: asked %q, want %q", where, turn, questions, want)
					}
					answer := strings.NewReplacer("+", ",", " ", "").Replace(strings.Join(out.Log, ","))
					if turn == 0 && answer != "to"+strings.ReplaceAll(c.questions, " ", ",to") {
						t.Errorf("%s: log %q", where, out.Log)
					}
				}
			}
		})
	}
}

// Calls of one name at the same time are refused, since chance numbers them.
func TestFindingE12OverlapIsAnError(t *testing.T) {
	beside := func(names ...string) node {
		return func(ctx context.Context, _ board) (update, error) {
			outs, errs := make([]board, len(names)), make([]error, len(names))
			done := make(chan int)
			for i, name := range names {
				child, err := wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
					answer, err := questioned(ctx, fmt.Sprint(i))
					return update{log.Add(fmt.Sprint(i, " ", answer))}, err
				}}).Compile(nil)
				if err != nil {
					return nil, err
				}
				go func() {
					outs[i], errs[i] = graph.Once(ctx, "o"+name, func(ctx context.Context) (board, error) {
						return child.Invoke(ctx, update{}, &graph.RunOptions{Namespace: name})
					})
					done <- i
				}()
			}
			for range names {
				<-done
			}
			if err := errors.Join(errs...); err != nil {
				return nil, err
			}
			return update{log.Add(outs[0].Log[0], outs[1].Log[0])}, nil
		}
	}
	synctest.Test(t, func(t *testing.T) {
		app := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": beside("a", "b")}))
		if _, out := answersAll(t, app, update{}); !slices.Equal(out.Log, []string{"0 to 0", "1 to 1"}) {
			t.Errorf("log %q", out.Log)
		}
	})
	for what, run := range map[string]func(ctx context.Context, wait func(context.Context) error) error{
		"graph": func(ctx context.Context, wait func(context.Context) error) error {
			child, err := wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) { return nil, wait(ctx) }}).Compile(nil)
			if err == nil {
				_, err = child.Invoke(ctx, update{}, nil)
			}
			return err
		},
		"Once": func(ctx context.Context, wait func(context.Context) error) error {
			_, err := graph.Once(ctx, "key", func(ctx context.Context) (int, error) { return 0, wait(ctx) })
			return err
		},
	} {
		app := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
			begun, over := make(chan bool), make(chan bool)
			first := make(chan error)
			go func() {
				first <- run(ctx, func(context.Context) error { close(begun); <-over; return nil })
			}()
			<-begun
			second := run(ctx, func(context.Context) error { return nil })
			close(over)
			if err := <-first; err != nil {
				return nil, fmt.Errorf("the first call: %w", err)
			}
			if err := run(ctx, func(context.Context) error { return nil }); err != nil {
				return nil, fmt.Errorf("one after the other: %w", err)
			}
			return nil, second
		}}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		var overlap *graph.OverlapError
		if !errors.As(err, &overlap) || overlap.Node != "n" || overlap.Call != what {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Calls of one name from several goroutines end in one error, whatever the timing:
// also when some of them ask, and when the first has ended before the second begins.
// The node's own goroutine may repeat a name.
func TestFindingE17GoroutinesNeedNamesOfTheirOwn(t *testing.T) {
	child := func(run node) *graph.Compiled[board] {
		return mustCompile(t, wire("START -> n", map[string]node{"n": run}))
	}
	asking, saying := child(asks("q", "q?")), child(say("s"))
	streams := func(ctx context.Context, _ int) (err error) {
		for _, err = range asking.Stream(ctx, update{}, nil) {
			_ = err
		}
		return err
	}
	for name, call := range map[string]func(ctx context.Context, i int) error{
		"graphs that ask": func(ctx context.Context, _ int) error { _, err := asking.Invoke(ctx, update{}, nil); return err },
		"graphs":          func(ctx context.Context, _ int) error { _, err := saying.Invoke(ctx, update{}, nil); return err },
		"streams":         streams,
		"a graph that asks beside one that does not": func(ctx context.Context, i int) error {
			_, err := []*graph.Compiled[board]{asking, saying}[i].Invoke(ctx, update{}, nil)
			return err
		},
		"Once": func(ctx context.Context, i int) error {
			_, err := graph.Once(ctx, "k", func(context.Context) (int, error) { return i, nil })
			return err
		},
		"Interrupt": func(ctx context.Context, i int) error { _, err := graph.Interrupt[int](ctx, "k", i); return err },
	} {
		t.Run(name, func(t *testing.T) {
			seen, inTurn := map[string]int{}, false
			app := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
				var wg sync.WaitGroup
				errs := make([]error, 2)
				for i := range errs {
					wg.Go(func() { errs[i] = call(ctx, i) })
					if inTurn {
						wg.Wait()
					}
				}
				wg.Wait()
				return nil, errors.Join(errs...)
			}}))
			for i := range 2000 {
				inTurn = i%10 == 0
				_, err := app.Invoke(t.Context(), update{}, on(fmt.Sprint(i)))
				if !errors.As(err, new(*graph.OverlapError)) {
					t.Fatalf("round %d: %v", i, err)
				}
				seen[err.Error()]++
			}
			if len(seen) != 1 {
				t.Errorf("outcomes %v", seen)
			}
			alone := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
				return nil, errors.Join(call(ctx, 0), call(ctx, 1))
			}}))
			if _, err := alone.Invoke(t.Context(), update{}, on("1")); err != nil && !graph.IsInterrupt(err) {
				t.Errorf("in the node's goroutine: %v", err)
			}
		})
	}
}
