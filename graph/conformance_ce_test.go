package graph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

// Group C as far as it is about conditional edges, and E5 and E9.

// routed is START -> a, then where route leads, with b and c to choose from.
func routed(route graph.Router[board], paths ...graph.Path) func() *graph.StateGraph[board] {
	return func() *graph.StateGraph[board] {
		g := wire("START -> a\nb c -> END", nil)
		if paths == nil {
			g.AddConditionalEdges("a", route, "b", "c", graph.End)
		} else {
			g.AddConditionalPaths("a", route, paths...)
		}
		return g
	}
}

func rowsC() []row {
	return []row{
		{id: "C8/nowhere", steps: "a", want: board{Log: []string{"a"}}, in: update{}, build: routed(always(graph.Nowhere()))},
		{id: "C8/end", steps: "a", want: board{Log: []string{"a"}}, in: update{}, build: routed(always(graph.To(graph.End)))},
		{id: "C8/end_among_others", steps: "a | b", want: board{Log: []string{"a", "b"}}, in: update{}, build: routed(always(graph.To(graph.End, "b")))},
		{id: "C8/duplicates", steps: "a | b c", want: board{Log: []string{"a", "b", "c"}}, in: update{}, build: routed(always(graph.To("c", "b", "b", "c")))},
		{
			id: "C8/keys", steps: "a | c", want: board{Log: []string{"a", "c"}}, in: update{},
			build: routed(func(_ context.Context, s board) (graph.Route, error) {
				return graph.To(map[bool]string{true: "true", false: "false"}[len(s.Log) == 1]), nil
			}, graph.Path{Key: "true", Target: "c"}, graph.Path{Key: "false", Target: "b"}),
		},
		{
			id: "C8/beside_static_edges", steps: "a | b c d", want: board{Log: []string{"a", "b", "c", "d"}}, in: update{},
			build: func() *graph.StateGraph[board] {
				g := routed(always(graph.To("c")))()
				g.AddNode("d", say("d"))
				g.AddConditionalEdges("a", always(graph.To("d", "c")), "c", "d")
				g.AddEdge("a", "b")
				return g
			},
		},
		{
			// A router sees its own node's writes, not those of concurrent nodes.
			id: "C8/own_writes", steps: "a b | one", want: board{X: 11, Log: []string{"one"}}, in: update{},
			build: func() *graph.StateGraph[board] {
				g := wire("START -> a b\none more -> END", map[string]node{"a": writes(x.Add(1)), "b": writes(x.Add(10))})
				g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
					if s.X == 1 {
						return graph.To("one"), nil
					}
					return graph.To("more"), nil
				}, "one", "more")
				return g
			},
		},
	}
}

var factsC = []fact{
	{"C4", func(t *testing.T) {
		badRoute(t, "nowhere_land", always(graph.To("b", "nowhere_land")))
	}},
	{"C8/nothing_decided", func(t *testing.T) {
		badRoute(t, "", always(graph.Route{}))
		badRoute(t, "", always(graph.To("")))
	}},
	{"C8/start", func(t *testing.T) { badRoute(t, graph.Start, always(graph.To(graph.Start))) }},
	{"C8/undeclared_node", func(t *testing.T) { badRoute(t, "a", always(graph.To("a"))) }},
	{"C8/router_fails", func(t *testing.T) {
		boom := errors.New("boom")
		_, err := mustCompile(t, routed(func(context.Context, board) (graph.Route, error) { return graph.To("b"), boom })()).Invoke(t.Context(), update{}, nil)
		var failed *graph.NodeError
		if !errors.Is(err, boom) || !errors.As(err, &failed) || failed.Node != "a" {
			t.Errorf("error %v", err)
		}
	}},
}

// badRoute asserts that a route from a is refused and that the step changes
// nothing: for a lone node, for one of several, and at the entry.
func badRoute(t *testing.T, target string, route graph.Router[board]) {
	t.Helper()
	beside := routed(route)()
	beside.AddNode("z", say("z"))
	beside.AddEdge(graph.Start, "z")
	entry := wire("b c -> END", nil)
	entry.AddConditionalEdges(graph.Start, route, "b", "c", graph.End)
	for name, g := range map[string]*graph.StateGraph[board]{"alone": routed(route)(), "beside": beside, "entry": entry} {
		p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
		var bad *graph.RouteError
		if !errors.As(p.err, &bad) {
			t.Errorf("%s: error %v, want a route error", name, p.err)
			continue
		}
		from := "a"
		if name == "entry" {
			from = graph.Start
		}
		if bad.From != from || bad.Target != target || !slices.Equal(bad.Allowed, []string{"b", "c", graph.End}) {
			t.Errorf("%s: %+v", name, bad)
		}
		for _, part := range []string{from, target, "b, c, " + graph.End} {
			if !strings.Contains(p.err.Error(), part) {
				t.Errorf("%s: %q does not say %q", name, p.err, part)
			}
		}
		if len(p.final.Log) > 0 {
			t.Errorf("%s: the failed step wrote %q", name, p.final.Log)
		}
	}
}

// flaky fails n times, and records the time and number of each attempt.
type flaky struct {
	fails    int
	err      error
	began    time.Time
	at       []time.Duration
	attempts []int
}

func (f *flaky) run(ctx context.Context, _ board) (update, error) {
	if f.began.IsZero() {
		f.began = time.Now()
	}
	info, _ := graph.CurrentTask(ctx)
	f.at = append(f.at, time.Since(f.began))
	f.attempts = append(f.attempts, info.Attempt)
	if len(f.at) <= f.fails {
		return update{log.Add("lost")}, f.err
	}
	return update{log.Add("ok")}, nil
}

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

func only(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

const ms = time.Millisecond

var factsE = []fact{
	{"E5", func(t *testing.T) {
		invalid := &graph.ConflictError{Channel: "x", Op: graph.OpSet}
		for name, c := range map[string]struct {
			fails    int
			err      error
			policies []graph.RetryPolicy
			at       []time.Duration
			fail     bool
		}{
			"succeeds":    {2, errBoom, []graph.RetryPolicy{{MaxAttempts: 3, InitialInterval: 10 * ms}}, []time.Duration{0, 10 * ms, 30 * ms}, false},
			"gives up":    {9, errBoom, []graph.RetryPolicy{{MaxAttempts: 2, InitialInterval: 10 * ms}}, []time.Duration{0, 10 * ms}, true},
			"mismatch":    {9, errBoom, []graph.RetryPolicy{{RetryOn: only(errOther)}}, []time.Duration{0}, true},
			"defaults":    {9, errBoom, []graph.RetryPolicy{{}}, []time.Duration{0, 500 * ms, 1500 * ms}, true},
			"no policy":   {9, errBoom, nil, []time.Duration{0}, true},
			"bounded":     {4, errBoom, []graph.RetryPolicy{{MaxAttempts: 5, InitialInterval: 10 * ms, Backoff: 10, MaxInterval: 50 * ms}}, []time.Duration{0, 10 * ms, 60 * ms, 110 * ms, 160 * ms}, false},
			"first match": {9, errBoom, []graph.RetryPolicy{{RetryOn: only(errOther), MaxAttempts: 9}, {RetryOn: only(errBoom), MaxAttempts: 2, InitialInterval: ms}, {MaxAttempts: 7}}, []time.Duration{0, ms}, true},
			"cancelled":   {9, context.Canceled, []graph.RetryPolicy{{}}, []time.Duration{0}, true},
			"invalid":     {9, invalid, []graph.RetryPolicy{{}}, []time.Duration{0}, true},
			"timed out":   {1, context.DeadlineExceeded, []graph.RetryPolicy{{InitialInterval: ms}}, []time.Duration{0, ms}, false},
		} {
			for _, beside := range []bool{false, true} {
				f := &flaky{fails: c.fails, err: c.err}
				g := newBoard()
				g.AddNode("a", f.run, graph.NodeOptions[board]{Retry: c.policies})
				g.AddEdge(graph.Start, "a")
				if beside {
					g.AddNode("z", writes())
					g.AddEdge(graph.Start, "z")
				}
				p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
				if !slices.Equal(f.at, c.at) {
					t.Errorf("%s: attempts at %v, want %v", name, f.at, c.at)
				}
				for i, n := range f.attempts {
					if n != i+1 {
						t.Errorf("%s: attempts see themselves as %v", name, f.attempts)
					}
				}
				if retries := len(p.pick(graph.NodeRetry)); retries != len(c.at)-1 {
					t.Errorf("%s: %d retry events for %d attempts", name, retries, len(c.at))
				}
				if starts := p.pick(graph.NodeStart); len(slices.DeleteFunc(starts, func(l string) bool { return !strings.Contains(l, " a") })) != len(c.at) {
					t.Errorf("%s: starts %q", name, starts)
				}
				last := graph.NodeUpdate
				if c.fail {
					last = graph.NodeFailed
					var failed *graph.NodeError
					if !errors.Is(p.err, c.err) || !errors.As(p.err, &failed) || failed.Attempts != len(c.at) || failed.Node != "a" {
						t.Errorf("%s: error %v", name, p.err)
					}
				} else if p.err != nil || !slices.Equal(p.final.Log, []string{"ok"}) {
					t.Errorf("%s: log %q, error %v", name, p.final.Log, p.err)
				}
				for _, ev := range p.events {
					if ev.Kind == last && ev.Node == "a" && ev.Attempt != len(c.at) {
						t.Errorf("%s: the last event of a is of attempt %d of %d", name, ev.Attempt, len(c.at))
					}
				}
			}
		}
	}},
	{"E5/jitter", func(t *testing.T) {
		f := &flaky{fails: 40, err: errBoom}
		g := newBoard()
		g.AddNode("a", f.run, graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{MaxAttempts: 41, InitialInterval: 10 * ms, Backoff: 1, Jitter: 5 * ms}}})
		g.AddEdge(graph.Start, "a")
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err != nil {
			t.Fatal(err)
		}
		waits := map[time.Duration]bool{}
		for i := 1; i < len(f.at); i++ {
			wait := f.at[i] - f.at[i-1]
			waits[wait] = true
			if wait < 10*ms || wait >= 15*ms {
				t.Errorf("wait %d is %v, want 10 ms to 15 ms", i, wait)
			}
		}
		if len(waits) < 2 {
			t.Error("every wait was equally long")
		}
	}},
	{"E5/routers_are_not_retried", func(t *testing.T) {
		calls := 0
		g := wire("b -> END", nil)
		g.AddNode("a", say("a"), graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{}}})
		g.AddEdge(graph.Start, "a")
		g.AddConditionalEdges("a", func(context.Context, board) (graph.Route, error) { calls++; return graph.Route{}, errBoom }, "b")
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); !errors.Is(err, errBoom) || calls != 1 {
			t.Errorf("%d calls, error %v", calls, err)
		}
	}},
	{"E9", func(t *testing.T) {
		for _, order := range [][2]string{{"slow", "zbad"}, {"slow", "abad"}} {
			began := time.Now()
			var stopped time.Duration
			var cause error
			p := play(t.Context(), mustCompile(t, wire("START -> "+order[0]+" "+order[1], map[string]node{
				"slow": func(ctx context.Context, s board) (update, error) {
					u, err := slowly(80*ms, say("slow"))(ctx, s)
					cause = context.Cause(ctx)
					time.Sleep(7 * ms) // tidying up: the run waits for it
					stopped = time.Since(began)
					return u, err
				},
				order[1]: slowly(5*ms, func(context.Context, board) (update, error) { return nil, errBoom }),
			})), update{}, graph.RunOptions{})
			var failed *graph.NodeError
			if !errors.Is(p.err, errBoom) || !errors.As(p.err, &failed) || failed.Node != order[1] {
				t.Errorf("%q: error %v, want that of %s", order, p.err, order[1])
			}
			if stopped != 12*ms || time.Since(began) != 12*ms {
				t.Errorf("%q: the slow node ended after %v and the run after %v, want 12 ms", order, stopped, time.Since(began))
			}
			if cause == nil || cause == context.Canceled || len(p.final.Log) > 0 {
				t.Errorf("%q: cause %v, log %q", order, cause, p.final.Log)
			}
			if next := p.end(t).Nodes; len(next) != 2 {
				t.Errorf("%q: still to run %q", order, next)
			}
		}
	}},
	{"E9/first_in_order", func(t *testing.T) {
		// Nodes that fail and ignore their context: the first by name is
		// reported, whichever was faster.
		fail := func(d time.Duration, err error) node {
			return func(context.Context, board) (update, error) { time.Sleep(d); return nil, err }
		}
		for _, concurrency := range []int{0, 1, 2, 3} {
			_, err := mustCompile(t, wire("START -> a b c", map[string]node{
				"b": fail(9*ms, errBoom), "c": fail(ms, errOther),
			})).Invoke(t.Context(), update{}, &graph.RunOptions{Concurrency: concurrency})
			if !errors.Is(err, errBoom) {
				t.Errorf("concurrency %d: error %v, want that of b", concurrency, err)
			}
		}
	}},
	{"E9/retry_wait_is_cut", func(t *testing.T) {
		g := wire("START -> bad", map[string]node{"bad": slowly(5*ms, func(context.Context, board) (update, error) { return nil, errBoom })})
		f := &flaky{fails: 9, err: errOther}
		g.AddNode("a", f.run, graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{InitialInterval: time.Hour}}})
		g.AddEdge(graph.Start, "a")
		began := time.Now()
		_, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if !errors.Is(err, errBoom) || time.Since(began) != 5*ms {
			t.Errorf("after %v: error %v", time.Since(began), err)
		}
	}},
}
