package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

type policy = graph.CachePolicy[board]

// counted doubles x into the log, and counts how often it ran.
func counted(count *int) node {
	return func(_ context.Context, s board) (update, error) {
		*count++
		return update{log.Add(fmt.Sprint(2 * s.X))}, nil
	}
}

// cachedGraph is a -> b with a cached.
func cachedGraph(count *int, p policy) *graph.StateGraph[board] {
	g := newBoard()
	g.AddNode("a", counted(count), options{Cache: &p})
	g.AddNode("b", say("b"))
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	return g
}

// fromCache lists the nodes whose updates came from a cache.
func (p played) fromCache() string {
	var out []string
	for _, ev := range p.events {
		if ev.Cached {
			out = append(out, ev.Node)
		}
	}
	return strings.Join(out, " ")
}

var factsCache = []fact{
	{"E8", func(t *testing.T) {
		count := 0
		var store graph.Cache[board]
		app := mustCompile(t, cachedGraph(&count, policy{TTL: time.Second, Store: &store}))
		for _, c := range []struct {
			x, ran int
			cached string
			before func()
		}{
			{x: 2, ran: 1},
			{x: 2, ran: 1, cached: "a"},
			{x: 3, ran: 2},
			{x: 2, ran: 2, cached: "a", before: func() { time.Sleep(900 * ms) }},
			{x: 2, ran: 3, before: func() { time.Sleep(100 * ms) }}, // expired
			{x: 2, ran: 3, cached: "a", before: func() { time.Sleep(900 * ms) }},
			{x: 2, ran: 4, before: store.Clear},
		} {
			if c.before != nil {
				c.before()
			}
			p := play(t.Context(), app, update{x.Add(c.x)}, graph.RunOptions{})
			if p.err != nil || count != c.ran || p.fromCache() != c.cached || !slices.Equal(p.final.Log, []string{fmt.Sprint(2 * c.x), "b"}) {
				t.Errorf("x %d: ran %d, cached %q, log %q, error %v", c.x, count, p.fromCache(), p.final.Log, p.err)
			}
			if started := strings.Contains(strings.Join(p.pick(graph.NodeStart), ""), " a"); started != (c.cached == "") {
				t.Errorf("x %d: started %t", c.x, started)
			}
		}
	}},
	{"E8/loop", func(t *testing.T) {
		// A constant key: the node runs once, its router every time.
		count, routes := 0, 0
		g := newBoard()
		g.AddNode("a", func(context.Context, board) (update, error) { count++; return update{x.Add(1), log.Add("a")}, nil },
			options{Cache: &policy{Key: func(board) string { return "constant" }}})
		g.AddEdge(graph.Start, "a")
		g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
			routes++
			if s.X < 3 {
				return graph.To("a"), nil
			}
			return graph.Nowhere(), nil
		}, "a")
		p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
		if p.err != nil || count != 1 || routes != 3 || p.final.X != 3 || p.fromCache() != "a a" {
			t.Errorf("ran %d, routed %d, state %+v, error %v", count, routes, p.final, p.err)
		}
	}},
	{"E8/commands", func(t *testing.T) {
		// An update includes its Commands.
		g := newBoard()
		g.AddNode("a", writes(log.Add("a"), goTo("b").Sends(to("b", "1")...)), options{Cache: &policy{}, Goto: []string{"b"}})
		g.AddNode("b", sayFoo("b"))
		g.AddEdge(graph.Start, "a")
		app := mustCompile(t, g)
		for _, cached := range []string{"", "a"} {
			if p := play(t.Context(), app, update{}, graph.RunOptions{}); p.steps() != "a | b b" || p.fromCache() != cached {
				t.Errorf("steps %s, cached %q, error %v", p.steps(), p.fromCache(), p.err)
			}
		}
	}},
	{"E8/failures", func(t *testing.T) {
		f := &flaky{fails: 1, err: errBoom}
		g := limited(options{Cache: &policy{}}, map[string]node{"a": f.run})
		app := mustCompile(t, g)
		if _, err := app.Invoke(t.Context(), update{}, nil); !errors.Is(err, errBoom) {
			t.Errorf("error %v", err)
		}
		for range 2 {
			if out, err := app.Invoke(t.Context(), update{}, nil); err != nil || !slices.Equal(out.Log, []string{"ok"}) || len(f.at) != 2 {
				t.Errorf("log %q after %d attempts, error %v", out.Log, len(f.at), err)
			}
		}
		// A handler's update is not cached either, nor a late success.
		for name, opts := range map[string]options{
			"handler": {Cache: &policy{}, OnError: rescues()},
			"late":    {Cache: &policy{}, OnError: rescues(), Timeout: graph.Timeout{Run: ms}},
		} {
			count := 0
			n := fails(&count, errBoom)
			if name == "late" {
				n = deaf(2*ms, fails(&count, nil))
			}
			app = mustCompile(t, limited(opts, map[string]node{"a": n}))
			for i := range 2 {
				if out, err := app.Invoke(t.Context(), update{}, nil); err != nil || count != i+1 || !slices.Equal(out.Log, []string{"handled:a"}) {
					t.Errorf("%s: ran %d, log %q, error %v", name, count, out.Log, err)
				}
			}
		}
	}},
	{"E8/beside_a_failure", func(t *testing.T) {
		// A task that finished before its sibling failed does not run again.
		count := 0
		f := &flaky{fails: 1, err: errBoom}
		g := cachedGraph(&count, policy{})
		g.AddNode("z", slowly(ms, f.run))
		g.AddEdge(graph.Start, "z")
		app := mustCompile(t, g)
		if _, err := app.Invoke(t.Context(), update{}, nil); !errors.Is(err, errBoom) {
			t.Errorf("error %v", err)
		}
		if out, err := app.Invoke(t.Context(), update{}, nil); err != nil || count != 1 || !slices.Equal(out.Log, []string{"0", "ok", "b"}) {
			t.Errorf("ran %d, log %q, error %v", count, out.Log, err)
		}
	}},
	{"E8/side_by_side", func(t *testing.T) {
		// Equal inputs in one superstep do not wait for each other at any
		// concurrency; the next superstep has cache hits.
		for _, n := range []int{0, 1, 2} {
			g := wire("START -> a", nil)
			g.AddNode("w", sayFoo("w"), options{Cache: &policy{}})
			g.AddConditionalEdges("a", always(graph.Sends(to("w", "1", "2", "1")...)), "w")
			g.AddConditionalEdges("w", func(_ context.Context, s board) (graph.Route, error) {
				if len(s.Log) < 4 {
					return graph.Sends(to("w", "1")...), nil
				}
				return graph.Nowhere(), nil
			}, "w")
			app := mustCompile(t, g)
			p := play(t.Context(), app, update{}, graph.RunOptions{Concurrency: n})
			if p.err != nil || p.fromCache() != "w w w" || p.steps() != "a | w w w | w w w" {
				t.Errorf("concurrency %d: cached %q in %s, error %v", n, p.fromCache(), p.steps(), p.err)
			}
		}
	}},
	{"E8/keys", func(t *testing.T) {
		type hidden struct {
			N      int `json:"-"`
			Secret func()
			Sent   string
		}
		n := graph.LastValue("n", func(s *hidden) *int { return &s.N })
		secret := graph.Untracked("secret", func(s *hidden) *func() { return &s.Secret })
		count := 0
		g := graph.NewStateGraph[hidden](n, secret)
		g.AddNode("a", func(context.Context, hidden) (graph.Update[hidden], error) { count++; return nil, nil }, graph.NodeOptions[hidden]{Cache: &graph.CachePolicy[hidden]{}})
		g.AddEdge(graph.Start, "a")
		app := mustCompile(t, g)
		for _, in := range []int{1, 2, 1} { // a channel counts, whatever its tag says
			if _, err := app.Invoke(t.Context(), graph.Update[hidden]{n.Set(in)}, nil); err == nil || !strings.Contains(err.Error(), "set CachePolicy.Key") {
				t.Errorf("a field of the state that has no JSON: %v", err)
			}
		}
		type tagged struct {
			N    int    `json:"-"`
			Call func() `json:"-"`
			Sent string
		}
		tn := graph.LastValue("n", func(s *tagged) *int { return &s.N })
		call := graph.Untracked("call", func(s *tagged) *func() { return &s.Call })
		tg := graph.NewStateGraph[tagged](tn, call)
		tg.AddNode("a", func(context.Context, tagged) (graph.Update[tagged], error) { count++; return nil, nil }, graph.NodeOptions[tagged]{Cache: &graph.CachePolicy[tagged]{}})
		tg.AddConditionalEdges(graph.Start, func(_ context.Context, s tagged) (graph.Route, error) {
			if s.N < 10 {
				return graph.To("a"), nil
			}
			return graph.Sends(graph.Send[tagged]{Node: "a", State: tagged{Sent: fmt.Sprint(s.N)}}), nil
		}, "a")
		tapp := mustCompile(t, tg)
		for i, c := range []struct{ in, ran int }{{1, 1}, {2, 2}, {1, 2}, {10, 3}, {11, 4}, {10, 4}} {
			if _, err := tapp.Invoke(t.Context(), graph.Update[tagged]{tn.Set(c.in), call.Set(func() {})}, nil); err != nil || count != c.ran {
				t.Errorf("%d: ran %d, want %d; error %v", i, count, c.ran, err)
			}
		}
	}},
	{"E8/reads", func(t *testing.T) {
		// Fields that a node cannot see make no difference.
		count := 0
		g := newBoard()
		g.AddNode("a", counted(&count), options{Cache: &policy{}, Reads: []graph.Channel[board]{x}})
		g.AddEdge(graph.Start, "a")
		app := mustCompile(t, g)
		for _, other := range []string{"1", "2"} {
			if _, err := app.Invoke(t.Context(), update{hello.Set(other)}, nil); err != nil || count != 1 {
				t.Errorf("ran %d, error %v", count, err)
			}
		}
	}},
	{"E8/versions", func(t *testing.T) {
		// One store for several graphs: another version or name is another node,
		// and the oldest goes first.
		store := graph.Cache[board]{MaxEntries: 2}
		count := 0
		run := func(name, version string, ran int) {
			t.Helper()
			g := newBoard()
			g.AddNode(name, counted(&count), options{Cache: &policy{Version: version, Store: &store}})
			g.AddEdge(graph.Start, name)
			if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err != nil || count != ran {
				t.Errorf("%s %s: ran %d, want %d; error %v", name, version, count, ran, err)
			}
		}
		run("a", "1", 1)
		run("a", "1", 1)
		run("a", "2", 2)
		run("a", "1", 2)
		run("b", "1", 3) // a 1 goes
		run("a", "2", 3)
		run("a", "1", 4) // a 2 goes
		run("b", "1", 4)
		run("a", "2", 5)
	}},
	{"E8/expired", func(t *testing.T) {
		// A new update replaces the expired one, and takes no second place.
		store := graph.Cache[board]{MaxEntries: 2}
		count := 0
		app := mustCompile(t, cachedGraph(&count, policy{TTL: time.Second, Store: &store}))
		for i, c := range []struct{ x, ran int }{{1, 1}, {1, 2}, {2, 3}, {1, 3}, {2, 3}} {
			if i == 1 {
				time.Sleep(time.Second)
			}
			if _, err := app.Invoke(t.Context(), update{x.Add(c.x)}, nil); err != nil || count != c.ran {
				t.Errorf("%d: ran %d, want %d; error %v", i, count, c.ran, err)
			}
		}
	}},
	{"E8/untracked", func(t *testing.T) {
		count := 0
		g := graph.NewStateGraph[board](log, conn)
		g.AddNode("a", counted(&count), options{Cache: &policy{}})
		g.AddEdge(graph.Start, "a")
		app := mustCompile(t, g)
		for _, c := range []string{"one", "another"} {
			if _, err := app.Invoke(t.Context(), update{conn.Set(c)}, nil); err != nil || count != 1 {
				t.Errorf("ran %d, error %v", count, err)
			}
		}
	}},
	{"E8/bad_key", func(t *testing.T) {
		g := limited(options{Cache: &policy{Key: func(board) string { panic("ouch") }}}, map[string]node{"a": say("a")})
		p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
		var panicked *graph.PanicError
		var failed *graph.NodeError
		if !errors.As(p.err, &panicked) || !errors.As(p.err, &failed) || len(p.pick(graph.NodeFailed)) != 1 {
			t.Errorf("error %v", p.err)
		}
	}},
	{"H7/cache", func(t *testing.T) {
		for _, bad := range []policy{{TTL: -1}, {Store: &graph.Cache[board]{MaxEntries: -1}}} {
			expectProblems(t, limited(options{Cache: &bad}, map[string]node{"a": say("a")}), graph.Problem{Code: graph.InvalidOptions, Node: "a"})
		}
	}},
}
