package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
)

// Every durability shows the same events and results, and leaves the thread in the
// same state, also after a failure or an interrupt.
func TestDurabilityChangesNothingVisible(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		var first []string
		for _, mode := range durabilities {
			broken := true
			g := asking(t)
			g.AddNode("flaky", func(context.Context, board) (update, error) {
				if broken {
					return nil, errBoom
				}
				return update{log.Add("flaky"), x.Add(2)}, nil
			})
			g.AddEdge("b", "flaky")
			app := compileOn(t, open(), g)
			var got []string
			call := func(in update, answers ...graph.Answer) {
				opts := on("1")
				opts.Durability, opts.Resume = mode, answers
				p := play(t.Context(), app, in, *opts)
				s := stateOf(t, app, graph.Key{Thread: "1"})
				for _, ev := range p.events {
					if ev.Kind != graph.CheckpointSaved {
						got = append(got, line(ev))
					}
				}
				got = append(got, fmt.Sprint(p.err), fmt.Sprint(s.State, s.Next, s.Step, len(s.Interrupts)))
			}
			call(update{log.Add("in")})
			call(nil, graph.Reply("yes"))
			broken = false
			call(nil)
			call(update{log.Add("again")})
			call(update{log.Add("given up")})
			if first == nil {
				first = got
			}
			if diff := differ(first, got); diff != "" {
				t.Errorf("durability %d differs from sync:\n%s", mode, diff)
			}
		}
	})
}

// An asynchronous run reports any failed call of the saver when it ends.
func TestAsyncSurfacesEveryFailure(t *testing.T) {
	opts := on("1")
	opts.Durability = graph.DurabilityAsync
	g := wire("START -> a b -> c", nil)
	counted := checkpointtest.Faulty(memory.New(), 0)
	runs(t, compileOn(t, counted, g), update{}, opts)
	for n := 1; n <= counted.Calls(); n++ {
		saver := checkpointtest.Faulty(memory.New(), n)
		app := compileOn(t, saver, g)
		if _, err := app.Invoke(t.Context(), update{}, opts); !errors.Is(err, checkpointtest.ErrFault) {
			t.Errorf("call %d fails: error %v", n, err)
		}
		if out, err := app.Resume(t.Context(), nil, opts); err == nil && fmt.Sprint(out.Log) != "[a b c]" {
			t.Errorf("call %d failed, and the run goes on to %v", n, out.Log)
		}
	}
}

// A run that dies before its exit leaves checkpoints of its subgraphs. They do not
// disturb the thread's next run.
func TestExitForgetsARunThatDied(t *testing.T) {
	inner := memory.New()
	g := newBoard()
	g.AddSubgraph("inner", mustCompile(t, wire("START -> echo", map[string]node{"echo": func(_ context.Context, s board) (update, error) {
		return update{log.Add(s.Log[len(s.Log)-1] + "!")}, nil
	}})))
	g.AddEdge(graph.Start, "inner")
	app := compileOn(t, lossyAt{inner, ""}, g)
	opts := on("1")
	opts.Durability = graph.DurabilityExit
	if _, err := app.Invoke(t.Context(), update{log.Add("lost")}, opts); !errors.Is(err, errBoom) {
		t.Fatalf("error %v", err)
	}
	if len(checkpointsOf(t, inner, "1")) == 0 {
		t.Fatal("the subgraph is not saved, so that there is nothing to test")
	}
	out := runs(t, compileOn(t, inner, g), update{log.Add("in")}, opts)
	if fmt.Sprint(out.Log) != "[in in!]" {
		t.Errorf("%v", out.Log)
	}
	out = runs(t, compileOn(t, inner, g), update{log.Add("more")}, opts)
	if fmt.Sprint(out.Log) != "[in in! more more!]" {
		t.Errorf("%v", out.Log)
	}
}

// A lossyAt saver fails when a checkpoint of a namespace is to be saved.
type lossyAt struct {
	graph.Checkpointer
	namespace string
}

func (l lossyAt) Commit(ctx context.Context, thread string, change graph.Change) error {
	for _, c := range change.Add {
		if c.Namespace == l.namespace {
			return errBoom
		}
	}
	return l.Checkpointer.Commit(ctx, thread, change)
}

// A careless saver lets any number of runs have one thread.
type careless struct{ graph.Checkpointer }

func (careless) Lock(context.Context, string) (func(), error) { return func() {}, nil }

// Also without locks only one of two runs saves. The other is stale, and nothing
// saved is lost.
func TestStaleRun(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		for _, mode := range durabilities {
			saver := careless{open()}
			begun, release := make(chan struct{}), make(chan struct{})
			app := compileOn(t, saver, wire("START -> a -> b", map[string]node{"a": func(_ context.Context, s board) (update, error) {
				if s.Hello == "slow" {
					close(begun)
					<-release
				}
				return update{log.Add("a " + s.Hello)}, nil
			}}))
			runs(t, app, update{log.Add("first")}, on("1"))
			opts := on("1")
			opts.Durability = mode
			done := make(chan error)
			go func() {
				_, err := app.Invoke(context.WithoutCancel(t.Context()), update{hello.Set("slow")}, opts)
				done <- err
			}()
			<-begun
			for mode == graph.DurabilityAsync && len(checkpointsOf(t, saver, "1")) < 6 {
				runtime.Gosched() // until it has saved what it did before a
			}
			quick := runs(t, app, update{hello.Set("quick")}, on("1"))
			close(release)
			if err := <-done; !errors.Is(err, graph.ErrStale) {
				t.Errorf("durability %d: the slow run ends with %v", mode, err)
			}
			if s := stateOf(t, app, graph.Key{Thread: "1"}); differ(quick, s.State) != "" || len(s.Next) > 0 {
				t.Errorf("durability %d: saved is %s, the quick run had %+v", mode, told(s), quick)
			}
			past(t, app, nil) // all of it can be read
		}
	})
}

// sized is a saver that counts what it is given.
type sized struct {
	graph.Checkpointer
	bytes, last int
}

func (s *sized) Commit(ctx context.Context, thread string, change graph.Change) error {
	s.last = 0
	for _, c := range change.Add {
		s.last += len(c.Data)
	}
	for _, r := range change.Records {
		s.last += len(r.Data)
	}
	s.bytes += s.last
	return s.Checkpointer.Commit(ctx, thread, change)
}

// The stored size grows with the changes, not with the state.
func TestStorage(t *testing.T) {
	const steps, each = 400, 200
	word := strings.Repeat("x", each)
	grow := func(n node) *graph.StateGraph[board] {
		g := wire("START -> a", map[string]node{"a": n})
		g.AddConditionalEdges("a", func(ctx context.Context, s board) (graph.Route, error) {
			if info, _ := graph.CurrentTask(ctx); info.Step%steps == 0 {
				return graph.To(graph.End), nil
			}
			return graph.To("a"), nil
		}, "a", graph.End)
		return g
	}
	t.Run("append", func(t *testing.T) {
		saver := &sized{Checkpointer: memory.New()}
		runs(t, compileOn(t, saver, grow(writes(log.Add(word)))), update{}, on("1"))
		const frame = 40 // of a superstep's data around the word
		if saver.bytes > 3*steps*(each+frame) {
			t.Errorf("%d bytes are stored for %d", saver.bytes, steps*each)
		}
		lineage, _, err := saver.Load(t.Context(), graph.Key{Thread: "1"})
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, c := range lineage {
			read += len(c.Data)
		}
		if read > 3*steps*each {
			t.Errorf("%d bytes are read for a state of %d", read, steps*each)
		}
	})
	t.Run("constant", func(t *testing.T) {
		saver := &sized{Checkpointer: memory.New()}
		app := compileOn(t, saver, grow(writes(hello.Set("same"))))
		runs(t, app, update{query.Set(strings.Repeat("y", 50*each))}, on("1")) // a large value that does not change
		if most := 3*50*each + 150*steps; saver.bytes > most || saver.last > 150 {
			t.Errorf("%d bytes are stored, %d of them by the last superstep", saver.bytes, saver.last)
		}
	})
}

// A node knows the thread that saves its run, also inside a graph in a node.
func TestATaskKnowsItsThread(t *testing.T) {
	var got []string
	notes := func(ctx context.Context, _ board) (update, error) {
		info, _ := graph.CurrentTask(ctx)
		got = append(got, info.Thread)
		return nil, nil
	}
	inner := mustCompile(t, wire("START -> in", map[string]node{"in": notes}))
	g := wire("START -> a", map[string]node{"a": func(ctx context.Context, s board) (update, error) {
		if _, err := notes(ctx, s); err != nil {
			return nil, err
		}
		_, err := inner.Invoke(ctx, update{}, nil)
		return nil, err
	}})
	if _, err := compileOn(t, memory.New(), g).Invoke(t.Context(), update{}, on("t")); err != nil {
		t.Fatal(err)
	}
	if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "[t t  ]" {
		t.Errorf("threads %q", got)
	}
}
