package temporal_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

var scale = flag.Bool("scale", false, "measure what takes minutes; see docs/scale.md")

// slow sends n tasks of 300 ms to a queue.
func slow(n int, remote string) *graph.StateGraph[board] {
	g := newBoard()
	g.AddConditionalEdges(graph.Start, func(context.Context, board) (graph.Route, error) {
		sends := make([]graph.Send[board], n)
		for i := range sends {
			sends[i] = graph.Send[board]{Node: "work", State: board{Item: i + 1}}
		}
		return graph.Sends(sends...), nil
	}, "work")
	g.AddNode("work", func(ctx context.Context, s board) (update, error) {
		select {
		case <-time.After(300 * time.Millisecond):
			return update{sum.Add(s.Item)}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, graph.NodeOptions[board]{Remote: remote})
	return g
}

// TestRemoteSpreads measures a fan-out of 1,000 tasks on one worker process and on two,
// of 20 tasks at a time each.
func TestRemoteSpreads(t *testing.T) {
	if !*scale {
		t.Skip("without -scale")
	}
	const n = 1000
	conn := temporaltest.Dial(t)
	took := map[int]time.Duration{}
	for _, workers := range []int{1, 2} {
		on, tasks := temporaltest.Queue(t), temporaltest.Queue(t)+" tasks"
		saver := memory.New()
		app := compile(t, slow(n, tasks), graph.CompileOptions{Name: "slow"})
		stop := temporaltest.Serve(t, conn, temporal.Apps(app.App()), temporal.WorkerOptions{Checkpointer: saver, Queue: on})
		for range workers {
			w := process(t, envQueue+"="+tasks, envGraph+"=slow")
			t.Cleanup(func() { kill(w) })
		}
		c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
		began := time.Now()
		if err := c.Start(t.Context(), temporal.Run{Graph: "slow", Thread: on, Input: encoded(t, update{})}); err != nil {
			t.Fatal(err)
		}
		if s := finish(t, c, on); s.Phase != temporal.Ended {
			t.Fatalf("status %+v", s)
		}
		took[workers] = time.Since(began)
		at, err := app.With(saver).State(t.Context(), graph.Key{Thread: on})
		if err != nil || at.State.Sum != n*(n+1)/2 {
			t.Errorf("sum %d, error %v", at.State.Sum, err)
		}
		stop()
	}
	ratio := float64(took[1]) / float64(took[2])
	t.Logf("%d tasks of 300 ms: one process %v, two %v: %.2f times as fast", n, took[1], took[2], ratio)
	if ratio < 1.7 {
		t.Errorf("two processes are %.2f times as fast as one", ratio)
	}
}

// TestManyRuns measures 200 runs that begin at once.
func TestManyRuns(t *testing.T) {
	if !*scale {
		t.Skip("without -scale")
	}
	const runs = 200
	conn, on, saver := temporaltest.Dial(t), temporaltest.Queue(t), memory.New()
	app := compile(t, chain(10), graph.CompileOptions{Name: "g"})
	temporaltest.Serve(t, conn, temporal.Apps(app.App()), temporal.WorkerOptions{Checkpointer: saver, Queue: on})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	began := time.Now()
	for i := range runs {
		if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: fmt.Sprintf("%s %d", on, i), Input: encoded(t, update{})}); err != nil {
			t.Fatal(err)
		}
	}
	var times []time.Duration
	for i := range runs {
		if err := conn.GetWorkflow(t.Context(), fmt.Sprintf("%s %d", on, i), "").Get(t.Context(), nil); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	t.Logf("%d runs of a chain of 10 that began at once have ended after %v", runs, times[runs-1])
}

func kill(w *exec.Cmd) {
	_ = w.Process.Kill() // it may have ended
	_ = w.Wait()
}
