package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/internal/pgtest"
)

// rounds is the state of a run whose supersteps have a quick and a slow task each.
type rounds struct {
	Round int
	Log   []string
}

var (
	roundNumber = graph.LastValue("round", func(r *rounds) *int { return &r.Round })
	roundLog    = graph.Append("log", func(r *rounds) *[]string { return &r.Log })
)

const lastRound = 12

// A workplace counts what its tasks did, outside of the state.
type workplace struct {
	mu   sync.Mutex
	did  map[string]int // how often each task ran to its end
	slow func(round int)
}

func (w *workplace) task(name string, before func(int)) graph.Node[rounds] {
	return func(_ context.Context, s rounds) (graph.Update[rounds], error) {
		before(s.Round)
		line := fmt.Sprint(name, " ", s.Round)
		w.mu.Lock()
		w.did[line]++
		w.mu.Unlock()
		return graph.Update[rounds]{roundLog.Add(line)}, nil
	}
}

// graph counts up in a chain of supersteps; in each, quick and slow run side by side.
func (w *workplace) graph(t *testing.T, saver graph.Checkpointer) *graph.Compiled[rounds] {
	t.Helper()
	g := graph.NewStateGraph[rounds](roundNumber, roundLog)
	g.AddNode("count", func(_ context.Context, s rounds) (graph.Update[rounds], error) {
		return graph.Update[rounds]{roundNumber.Set(s.Round + 1)}, nil
	})
	g.AddNode("quick", w.task("quick", func(int) {}))
	g.AddNode("slow", w.task("slow", w.slow))
	g.AddEdge(graph.Start, "count")
	g.AddEdge("count", "quick")
	g.AddEdge("count", "slow")
	g.AddConditionalEdges("slow", func(_ context.Context, s rounds) (graph.Route, error) {
		if s.Round < lastRound {
			return graph.To("count"), nil
		}
		return graph.To(graph.End), nil
	}, "count", graph.End)
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// kept lists the lines that the server has kept: those of the last checkpoint, and quick's
// of the superstep after it if that is recorded.
func kept(t *testing.T, app *graph.Compiled[rounds], saver *postgres.Saver) (out map[string]bool, recorded bool) {
	t.Helper()
	out = map[string]bool{}
	last, err := app.State(t.Context(), graph.Key{Thread: "t"})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return out, false
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range last.State.Log {
		out[line] = true
	}
	records, err := saver.Records(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		line := fmt.Sprint("quick ", last.State.Round)
		if r.Kind == graph.RecordUpdate && strings.Contains(string(r.Data), line) {
			out[line], recorded = true, true
		}
	}
	return out, recorded
}

// The server is killed in the middle of a run, again and again, and started again. The run
// ends with an error each time. Resumed, it does nothing again that the server had kept, and
// in the end everything was done.
func TestServerKilledInARun(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	const seed = 5
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, seed))
	server := pgtest.NewServer(t)
	saver := open(t, pgtest.PoolAt(t, server.Address), "")
	var kill sync.WaitGroup
	strikes, down := map[int]time.Duration{2: 0, 3: 0, 5: 3 * time.Millisecond, 8: 0, 9: 10 * time.Millisecond}, false
	w := &workplace{did: map[string]int{}}
	w.slow = func(round int) {
		time.Sleep(20 * time.Millisecond) // quick's update is recorded meanwhile
		after, now := strikes[round]
		if !now {
			return
		}
		delete(strikes, round)
		down = true
		if after == 0 { // in the task
			server.Kill(t)
			return
		}
		kill.Go(func() { // while what the task wrote is saved, or later
			time.Sleep(after + time.Duration(rng.IntN(5))*time.Millisecond)
			server.Kill(t)
		})
	}
	app := w.graph(t, saver)
	out, err := app.Invoke(t.Context(), graph.Update[rounds]{}, &graph.RunOptions{Thread: "t"})
	failures, halves := 0, 0
	for err != nil {
		if failures++; !down || failures > 10 {
			t.Fatalf("failure %d, while the server runs: %v", failures, err)
		}
		if !strings.Contains(err.Error(), `thread "t"`) || errors.Is(err, graph.ErrStale) || errors.Is(err, graph.ErrThreadBusy) {
			t.Errorf("the error does not say that the thread could not be saved: %v", err)
		}
		t.Logf("failure %d: %v", failures, err)
		kill.Wait()
		server.Start(t)
		down = false
		before, partial := kept(t, app, saver)
		if partial {
			halves++
		}
		did := maps.Clone(w.did)
		out, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t"})
		for line := range before {
			if w.did[line] != did[line] {
				t.Errorf("%q was kept, and done again", line)
			}
		}
	}
	if failures < 3 || halves == 0 || len(strikes) > 0 {
		t.Errorf("the run failed %d times, %d of them with a recorded task; %d strikes are left", failures, halves, len(strikes))
	}
	var want []string
	for i := range lastRound {
		want = append(want, fmt.Sprint("quick ", i+1), fmt.Sprint("slow ", i+1))
	}
	if out.Round != lastRound || !slices.Equal(out.Log, want) {
		t.Errorf("the run ends in round %d with %q", out.Round, out.Log)
	}
}
