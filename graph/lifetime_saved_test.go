package graph_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// A hooked saver calls a function before each of its calls, counted from 1. The
// function may fail, sleep, block and panic.
type hooked struct {
	graph.Checkpointer
	before func(ctx context.Context, n int, call string) error
	calls  atomic.Int64
}

func (h *hooked) ask(ctx context.Context, call string) error {
	return h.before(ctx, int(h.calls.Add(1)), call)
}

func (h *hooked) Lock(ctx context.Context, thread string) (func(), error) {
	if err := h.ask(ctx, "Lock"); err != nil {
		return nil, err
	}
	return h.Checkpointer.Lock(ctx, thread)
}

func (h *hooked) Commit(ctx context.Context, thread string, change graph.Change) error {
	if err := h.ask(ctx, "Commit"); err != nil {
		return err
	}
	return h.Checkpointer.Commit(ctx, thread, change)
}

func (h *hooked) Load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	if err := h.ask(ctx, "Load"); err != nil {
		return nil, nil, err
	}
	return h.Checkpointer.Load(ctx, key)
}

func (h *hooked) List(ctx context.Context, query graph.Query) iter.Seq2[graph.Checkpoint, error] {
	if err := h.ask(ctx, "List"); err != nil {
		return func(yield func(graph.Checkpoint, error) bool) { yield(graph.Checkpoint{}, err) }
	}
	return h.Checkpointer.List(ctx, query)
}

// savedShapes are graphs whose last nodes, w among them, are what a test says.
func savedShapes(t *testing.T, last node) map[string]*graph.StateGraph[board] {
	shapes := map[string]*graph.StateGraph[board]{
		"alone":  wire("START -> a -> w", map[string]node{"w": last}),
		"beside": wire("START -> a -> v w", map[string]node{"v": slowly(time.Minute, say("v")), "w": last}),
	}
	nested := newBoard()
	nested.AddSubgraph("sub", mustCompile(t, shapes["beside"]))
	nested.AddEdge(graph.Start, "sub")
	shapes["nested"] = nested
	return shapes
}

// TestNothingOutlivesASavedRun ends runs with a checkpointer in every way, in
// every durability. Afterwards the thread is free, and continues to its end.
func TestNothingOutlivesASavedRun(t *testing.T) {
	ways := map[string]struct {
		last node
		run  func(ctx context.Context, app *graph.Compiled[board], opts graph.RunOptions) error
		want func(err error) bool
	}{
		"break": {waits, func(ctx context.Context, app *graph.Compiled[board], opts graph.RunOptions) error {
			for ev := range app.Stream(ctx, update{}, &opts) {
				if ev.Node == "w" {
					return nil
				}
			}
			return errors.New("w did not start")
		}, func(err error) bool { return err == nil }},
		"cancel": {waits, func(ctx context.Context, app *graph.Compiled[board], opts graph.RunOptions) error {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return play(ctx, app, update{}, opts).err
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"timeout": {waits, func(ctx context.Context, app *graph.Compiled[board], opts graph.RunOptions) error {
			opts.Timeout = time.Second
			return play(ctx, app, update{}, opts).err
		}, func(err error) bool { return errors.As(err, new(*graph.NodeTimeout)) }},
		"panic": {func(context.Context, board) (update, error) { panic("ouch") }, func(ctx context.Context, app *graph.Compiled[board], opts graph.RunOptions) error {
			return play(ctx, app, update{}, opts).err
		}, func(err error) bool {
			var p *graph.PanicError
			return errors.As(err, new(*graph.NodeError)) && errors.As(err, &p) && strings.Contains(p.Stack, "lifetime_saved_test.go")
		}},
		"goexit": {func(context.Context, board) (update, error) { runtime.Goexit(); return nil, nil }, func(ctx context.Context, app *graph.Compiled[board], opts graph.RunOptions) error {
			return play(ctx, app, update{}, opts).err
		}, func(err error) bool { return err != nil }},
	}
	for way, w := range ways {
		for shape, g := range savedShapes(t, w.last) {
			for _, mode := range durabilities {
				t.Run(fmt.Sprintf("%s/%s/durability_%d", way, shape, mode), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						saver := memory.New()
						app := mustCompile(t, g).With(saver)
						opts := graph.RunOptions{Thread: "t", Durability: mode, Modes: graph.Debug}
						if err := w.run(t.Context(), app, opts); !w.want(err) {
							t.Errorf("error %v", err)
						}
						good := mustCompile(t, savedShapes(t, say("w"))[shape]).With(saver)
						out, err := good.Invoke(t.Context(), update{}, &opts)
						if err != nil || !slices.Contains(out.Log, "w") {
							t.Errorf("afterwards: %v, error %v", out.Log, err)
						}
					})
				})
			}
		}
	}
}

// TestCancelDuringACommit: the run waits for the current commit, and finished work
// counts.
func TestCancelDuringACommit(t *testing.T) {
	for shape, g := range savedShapes(t, say("w")) {
		for _, mode := range durabilities {
			for at := 1; at <= 9; at++ {
				synctest.Test(t, func(t *testing.T) {
					where := fmt.Sprintf("%s, durability %d, call %d", shape, mode, at)
					store := memory.New()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					saver := &hooked{Checkpointer: store, before: func(_ context.Context, n int, call string) error {
						if n == at && call == "Commit" {
							cancel()
							time.Sleep(time.Second)
						}
						return nil
					}}
					app := mustCompile(t, g)
					opts := &graph.RunOptions{Thread: "t", Durability: mode}
					_, err := app.With(saver).Invoke(ctx, update{}, opts)
					if ctx.Err() == nil {
						return // there is no such commit
					}
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("%s: error %v", where, err)
					}
					snap, err := app.With(store).State(t.Context(), graph.Key{Thread: "t"})
					if err != nil {
						t.Fatalf("%s: nothing was saved: %v", where, err)
					}
					if len(snap.Tasks) == 0 {
						return
					}
					out, err := app.With(store).Resume(t.Context(), nil, opts)
					want := []string{"a", "w"}
					if shape != "alone" {
						want = []string{"a", "v", "w"}
					}
					if err != nil || !slices.Equal(out.Log, want) {
						t.Errorf("%s: resumed to %v, error %v", where, out.Log, err)
					}
				})
			}
		}
	}
}

// TestSaverPanics: a panic in any call of the saver is the run's error, and the
// thread is free again.
func TestSaverPanics(t *testing.T) {
	saverStops(t, "panics", func(context.Context) error { panic("ouch") }, func(err error, _ time.Duration) bool {
		var p *graph.PanicError
		return errors.As(err, &p) && p.Value == "ouch" && strings.Contains(p.Stack, "lifetime_saved_test.go")
	})
}

// TestSaverBlocks: a call that waits for its context to end does not keep a
// cancelled run for ever.
func TestSaverBlocks(t *testing.T) {
	saverStops(t, "blocks", func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}, func(err error, took time.Duration) bool {
		return errors.Is(err, context.Canceled) && took <= time.Minute+11*time.Second
	})
}

// saverStops lets each call of a run's saver in turn go wrong; after a minute
// the run is cancelled.
func saverStops(t *testing.T, what string, wrong func(context.Context) error, want func(err error, took time.Duration) bool) {
	for shape, g := range savedShapes(t, func(ctx context.Context, _ board) (update, error) {
		_, err := graph.Once(ctx, "call", func(context.Context) (int, error) { return 1, nil })
		return update{log.Add("w")}, err
	}) {
		for _, mode := range durabilities {
			met := 0
			for at := 1; at <= 12; at++ {
				synctest.Test(t, func(t *testing.T) {
					store := memory.New()
					reached := false
					saver := &hooked{Checkpointer: store, before: func(ctx context.Context, n int, _ string) error {
						if n == at {
							reached = true
							return wrong(ctx)
						}
						return nil
					}}
					app := mustCompile(t, g)
					opts := &graph.RunOptions{Thread: "t", Durability: mode, Modes: graph.Debug}
					ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, nil)
					defer cancel()
					stop := time.AfterFunc(time.Minute, cancel)
					defer stop.Stop()
					began := time.Now()
					err := play(ctx, app.With(saver), update{}, *opts).err
					took := time.Since(began)
					if !reached {
						return
					}
					if met++; !want(err, took) {
						t.Errorf("%s, durability %d: the saver %s at call %d: after %v the error is %v", shape, mode, what, at, took, err)
					}
					out, err := app.With(store).Invoke(t.Context(), update{}, opts)
					if err != nil || !slices.Contains(out.Log, "w") {
						t.Errorf("%s, durability %d: after call %d: %v, error %v", shape, mode, at, out.Log, err)
					}
				})
			}
			if met < 3 {
				t.Errorf("%s, durability %d: only %d calls were met", shape, mode, met)
			}
		}
	}
}

// TestOnceAfterTheRun: a goroutine that a node left behind cannot save, in any
// durability.
func TestOnceAfterTheRun(t *testing.T) {
	for _, mode := range durabilities {
		synctest.Test(t, func(t *testing.T) {
			store := memory.New()
			late := make(chan error, 1)
			app := mustCompile(t, wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
				time.AfterFunc(time.Hour, func() {
					_, err := graph.Once(ctx, "late", func(context.Context) (int, error) { return 1, nil })
					late <- err
				})
				return nil, nil
			}})).With(store)
			if _, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "t", Durability: mode}); err != nil {
				t.Fatal(err)
			}
			if err := <-late; err == nil {
				t.Errorf("durability %d: saved", mode)
			}
		})
	}
}
