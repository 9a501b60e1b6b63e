package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// The benchmarks measure the cost of a step without its work.
// Each has a floor: the same work by hand, with no more machinery than any
// engine needs. Floors and benchmarks report the same unit, so that their
// difference is the engine's price.

// job is a small state: four fields, one of them a list.
type job struct {
	Count int
	Sum   int
	Name  string
	Log   []int
}

var (
	jobCount = graph.LastValue("count", func(s *job) *int { return &s.Count })
	jobSum   = graph.Reduce("sum", func(s *job) *int { return &s.Sum }, func(a, b int) int { return a + b })
	jobName  = graph.LastValue("name", func(s *job) *string { return &s.Name })
	jobLog   = graph.Append("log", func(s *job) *[]int { return &s.Log })
)

func newJobGraph() *graph.StateGraph[job] {
	return graph.NewStateGraph[job](jobCount, jobSum, jobName, jobLog)
}

// work stands for a node's computation: about 20 ns.
//
//go:noinline
func work(s job) int {
	x := uint64(s.Count) + uint64(s.Sum) + uint64(len(s.Name)) + uint64(len(s.Log)) | 1
	for range 10 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 { // never
		return 0
	}
	return s.Count + 1
}

func jobNode(_ context.Context, s job) (graph.Update[job], error) {
	return graph.Update[job]{jobCount.Set(work(s))}, nil
}

// loopGraph goes round two nodes until count reaches steps.
func loopGraph(b testing.TB, steps int) *graph.Compiled[job] {
	g := newJobGraph()
	g.AddNode("a", jobNode)
	g.AddNode("b", jobNode)
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	g.AddConditionalEdges("b", func(_ context.Context, s job) (graph.Route, error) {
		if s.Count >= steps {
			return graph.To(graph.End), nil
		}
		return graph.To("a"), nil
	}, "a", graph.End)
	return mustCompile(b, g)
}

func BenchmarkLoop1000(b *testing.B) {
	const steps = 1000
	app := loopGraph(b, steps)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		out, err := app.Invoke(ctx, graph.Update[job]{jobCount.Set(0)}, nil)
		if err != nil || out.Count != steps {
			b.Fatal(out, err)
		}
	}
	perUnit(b, steps, "ns/step")
}

// BenchmarkLoop1000Checkpoint saves every superstep in memory.
func BenchmarkLoop1000Checkpoint(b *testing.B) {
	const steps = 1000
	app := loopGraph(b, steps)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		saved := app.With(memory.New())
		out, err := saved.Invoke(ctx, graph.Update[job]{jobCount.Set(0)}, &graph.RunOptions{Thread: "t"})
		if err != nil || out.Count != steps {
			b.Fatal(out, err)
		}
	}
	perUnit(b, steps, "ns/step")
}

func BenchmarkFloorLoop1000(b *testing.B) {
	const steps = 1000
	type node func(context.Context, job) (job, error)
	step := func(_ context.Context, s job) (job, error) { s.Count = work(s); return s, nil }
	nodes := map[string]node{"a": step, "b": step}
	routers := map[string]func(job) string{
		"a": func(job) string { return "b" },
		"b": func(s job) string {
			if s.Count >= steps {
				return ""
			}
			return "a"
		},
	}
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		var s job
		var err error
		for at := "a"; at != ""; at = routers[at](s) {
			if ctx.Err() != nil {
				b.Fatal(ctx.Err())
			}
			if s, err = nodes[at](ctx, s); err != nil {
				b.Fatal(err)
			}
		}
	}
	perUnit(b, steps, "ns/step")
}

// BenchmarkFloorLoop1000JSON keeps the whole state as JSON after every step.
func BenchmarkFloorLoop1000JSON(b *testing.B) {
	const steps = 1000
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		s := job{}
		kept := make([][]byte, 0, steps)
		for s.Count < steps {
			if ctx.Err() != nil {
				b.Fatal(ctx.Err())
			}
			s.Count = work(s)
			data, err := json.Marshal(s)
			if err != nil {
				b.Fatal(err)
			}
			kept = append(kept, data)
		}
		if len(kept) != steps {
			b.Fatal(len(kept))
		}
	}
	perUnit(b, steps, "ns/step")
}

// BenchmarkFanOut100 sends 100 inputs to one node.
func BenchmarkFanOut100(b *testing.B) {
	const width = 100
	g := newJobGraph()
	g.AddNode("n", func(_ context.Context, s job) (graph.Update[job], error) {
		return graph.Update[job]{jobLog.Add(work(s))}, nil
	})
	g.AddConditionalEdges(graph.Start, func(context.Context, job) (graph.Route, error) {
		sends := make([]graph.Send[job], width)
		for i := range sends {
			sends[i] = graph.Send[job]{Node: "n", State: job{Count: i}}
		}
		return graph.Sends(sends...), nil
	}, "n")
	app := mustCompile(b, g)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		out, err := app.Invoke(ctx, graph.Update[job]{}, nil)
		if err != nil || len(out.Log) != width || out.Log[width-1] != width {
			b.Fatal(len(out.Log), err)
		}
	}
	perUnit(b, width, "ns/task")
}

func BenchmarkFloorFanOut100(b *testing.B) {
	const width = 100
	b.ReportAllocs()
	for b.Loop() {
		var s job
		results := make([]int, width)
		done := make(chan struct{}, width)
		for i := range width {
			go func() {
				results[i] = work(s)
				done <- struct{}{}
			}()
		}
		for range width {
			<-done
		}
		s.Log = append(s.Log, results...)
		if len(s.Log) != width {
			b.Fatal(len(s.Log))
		}
	}
	perUnit(b, width, "ns/task")
}

func BenchmarkChain10(b *testing.B) {
	const length = 10
	g := newJobGraph()
	before := graph.Start
	for i := range length {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, jobNode)
		g.AddEdge(before, name)
		before = name
	}
	app := mustCompile(b, g)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		out, err := app.Invoke(ctx, graph.Update[job]{jobCount.Set(0)}, nil)
		if err != nil || out.Count != length {
			b.Fatal(out, err)
		}
	}
	perUnit(b, length, "ns/step")
}

func BenchmarkFloorChain10(b *testing.B) {
	const length = 10
	var chain []func(context.Context, job) (job, error)
	for range length {
		chain = append(chain, func(_ context.Context, s job) (job, error) { s.Count = work(s); return s, nil })
	}
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		var s job
		var err error
		for _, node := range chain {
			if ctx.Err() != nil {
				b.Fatal(ctx.Err())
			}
			if s, err = node(ctx, s); err != nil {
				b.Fatal(err)
			}
		}
	}
	perUnit(b, length, "ns/step")
}

// perUnit reports the time of one of n units of an iteration.
func perUnit(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), unit)
}

// TestCostOfAStepIsConstant compares short runs with long ones: allocations per
// step, and bytes per step with a list that grows all the way.
func TestCostOfAStepIsConstant(t *testing.T) {
	perStep := func(steps int) (allocs, bytes float64) {
		app := growing(t, steps)
		in, opts := graph.Update[job]{jobCount.Set(0)}, &graph.RunOptions{RecursionLimit: steps}
		const runs = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			if out, err := app.Invoke(t.Context(), in, opts); err != nil || len(out.Log) != steps {
				t.Fatal(len(out.Log), err)
			}
		}
		runtime.ReadMemStats(&after)
		total := float64(runs * steps)
		return float64(after.Mallocs-before.Mallocs) / total, float64(after.TotalAlloc-before.TotalAlloc) / total
	}
	shortAllocs, shortBytes := perStep(100)
	longAllocs, longBytes := perStep(10_000)
	t.Logf("100 steps: %.2f allocs and %.0f bytes a step; 10,000 steps: %.2f and %.0f", shortAllocs, shortBytes, longAllocs, longBytes)
	if longAllocs > shortAllocs*1.1 || longBytes > shortBytes*1.5 {
		t.Errorf("a step costs more in a longer run")
	}
	if longAllocs > 6 { // the node's own: an update, two writes, a list of one
		t.Errorf("%.2f allocations a step", longAllocs)
	}
}

// growing is a loop whose list gets an element in every step.
func growing(t testing.TB, steps int) *graph.Compiled[job] {
	g := newJobGraph()
	g.AddNode("a", func(_ context.Context, s job) (graph.Update[job], error) {
		return graph.Update[job]{jobCount.Set(s.Count + 1), jobLog.Add(s.Count)}, nil
	})
	g.AddEdge(graph.Start, "a")
	g.AddConditionalEdges("a", func(_ context.Context, s job) (graph.Route, error) {
		if s.Count < steps {
			return graph.To("a"), nil
		}
		return graph.Nowhere(), nil
	}, "a", graph.End)
	return mustCompile(t, g)
}
