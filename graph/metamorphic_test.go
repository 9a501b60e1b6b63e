package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"pgregory.net/rapid"
)

var concurrencies = []int{1, 2, 8}

// TestConcurrencyChangesNothing plays every conformance graph with few and many
// nodes at once. The states are equal, and so are the events sorted by place.
func TestConcurrencyChangesNothing(t *testing.T) {
	graphs := append(rows(), row{id: "G2", in: update{}, build: func() *graph.StateGraph[board] { return nestedGraph(t) }},
		row{id: "nested_beside", in: update{}, build: func() *graph.StateGraph[board] { return nestedBeside(t) }})
	for _, r := range graphs {
		t.Run(r.id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				app := mustCompile(t, r.build())
				first := play(t.Context(), app, r.in, graph.RunOptions{Concurrency: 1})
				if first.err != nil {
					t.Fatal(first.err)
				}
				for _, n := range concurrencies {
					again := play(t.Context(), app, r.in, graph.RunOptions{Concurrency: n})
					if diff := differ(first.final, again.final); diff != "" || again.err != nil {
						t.Errorf("concurrency %d: error %v, state:\n%s", n, again.err, diff)
					}
					if diff := differ(first.normal(), again.normal()); diff != "" {
						t.Errorf("concurrency %d, events:\n%s", n, diff)
					}
				}
			})
		})
	}
}

// nestedBeside runs two subgraphs with parallel nodes concurrently. The first is
// slower.
func nestedBeside(t testing.TB) *graph.StateGraph[board] {
	child := func(d time.Duration) *graph.Compiled[board] {
		return mustCompile(t, wire("START -> i1 i2 i3\ni1 i2 i3 => i4", map[string]node{
			"i1": slowly(d, say("i1")), "i2": slowly(d/2, say("i2")), "i3": slowly(d/3, say("i3"))}))
	}
	g := newBoard()
	g.AddSubgraph("first", child(9*ms))
	g.AddSubgraph("second", child(ms))
	g.AddNode("o", say("o"))
	g.AddEdge(graph.Start, "first")
	g.AddEdge(graph.Start, "second")
	g.AddJoin([]string{"first", "second"}, "o")
	return g
}

// A plan is a random graph, written so that two very different programs can
// run it: the engine, and the oracle below.
type plan struct {
	names  []string
	start  []int   // successors of Start
	edges  [][]int // successors, by node
	joins  []planJoin
	routes [][]int // by node: what its router chooses from; nil has no router
	sends  [][]int // by node: what its router may send to, beside that
	gotos  [][]int // by node: where its commands may lead
	held   []bool
	fails  map[[2]int]bool      // by node and superstep
	asks   map[[2]int]bool      // likewise: it asks what to add
	failed func(at [2]int) bool // whether it has failed already, and does no more; nil for never
	idle   []int                // by node: how often it steps back for others
	limit  int
}

type planJoin struct {
	from []int
	to   int
}

func drawPlan(t *rapid.T) *plan {
	n := rapid.IntRange(1, 7).Draw(t, "nodes")
	p := &plan{edges: make([][]int, n), routes: make([][]int, n), sends: make([][]int, n), gotos: make([][]int, n), held: make([]bool, n), fails: map[[2]int]bool{}, limit: rapid.IntRange(1, 12).Draw(t, "limit")}
	anyNode := rapid.IntRange(0, n-1)
	for i := range n {
		p.names = append(p.names, fmt.Sprintf("n%d", i))
		p.idle = append(p.idle, rapid.IntRange(0, 6).Draw(t, "idle"))
		p.held[i] = rapid.IntRange(0, 5).Draw(t, "held") == 0
		// What makes it reachable: an edge or a route from before.
		before := rapid.IntRange(-1, i-1).Draw(t, "before")
		switch {
		case before < 0:
			p.start = append(p.start, i)
		case rapid.Bool().Draw(t, "by route"):
			p.routes[before] = append(p.routes[before], i)
		default:
			p.edges[before] = append(p.edges[before], i)
		}
	}
	for range rapid.IntRange(0, n).Draw(t, "more edges") {
		from, to := anyNode.Draw(t, "from"), anyNode.Draw(t, "to")
		if rapid.Bool().Draw(t, "as route") {
			if !slices.Contains(p.routes[from], to) {
				p.routes[from] = append(p.routes[from], to)
			}
		} else {
			p.edges[from] = append(p.edges[from], to)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "gotos") {
		from, to := anyNode.Draw(t, "commander"), anyNode.Draw(t, "commanded")
		if !slices.Contains(p.gotos[from], to) {
			p.gotos[from] = append(p.gotos[from], to)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "sends") {
		from := anyNode.Draw(t, "sender")
		if p.routes[from] != nil { // twice to one node is welcome
			p.sends[from] = append(p.sends[from], anyNode.Draw(t, "sent to"))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "joins") {
		p.joins = append(p.joins, planJoin{
			rapid.SliceOfNDistinct(anyNode, 1, n, rapid.ID[int]).Draw(t, "sources"), anyNode.Draw(t, "joined")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "failures") {
		p.fails[[2]int{anyNode.Draw(t, "fails"), rapid.IntRange(1, 6).Draw(t, "in step")}] = true
	}
	return p
}

// choose is what the router of a node picks, given its own state.
func (p *plan) choose(from, x int) []int {
	var out []int
	for i, to := range p.routes[from] {
		if (x>>i)&1 == 1 {
			out = append(out, to)
		}
	}
	return out
}

// post is what the router of a node sends, given its own state: the nodes, and
// the x of each.
func (p *plan) post(from, x int) (out [][2]int) {
	for i, to := range p.sends[from] {
		if (x>>i)&2 == 0 && x < 60 {
			out = append(out, [2]int{to, x%5 + i})
		}
	}
	return out
}

// command is where a node's own command leads, given what it sees, and whether
// in place of its edges.
func (p *plan) command(from, x int) (to []int, instead bool) {
	for i, id := range p.gotos[from] {
		if (x>>i)&1 == 0 {
			to = append(to, id)
		}
	}
	return to, len(to) > 0 && x%3 == 0
}

type planFailure struct{ node, step int }

func (f planFailure) Error() string { return fmt.Sprintf("n%d fails in step %d", f.node, f.step) }

func (p *plan) graph() *graph.StateGraph[board] {
	g := newBoard()
	for i, name := range p.names {
		g.AddNode(name, func(ctx context.Context, s board) (update, error) {
			for range p.idle[i] {
				runtime.Gosched()
			}
			info, _ := graph.CurrentTask(ctx)
			at := [2]int{i, info.Step}
			if p.fails[at] && (p.failed == nil || !p.failed(at)) {
				return nil, planFailure{i, info.Step}
			}
			more := i + s.X%3 + 1
			if p.asks[at] {
				var err error
				if more, err = graph.Interrupt[int](ctx, "how many?", more); err != nil {
					return nil, err
				}
			}
			u := update{log.Add(name), x.Add(more), foo.Add(fmt.Sprint(s.X % 10))}
			targets, instead := p.command(i, s.X)
			if instead {
				u = append(u, graph.Goto[board](p.named(targets)...))
			} else {
				u = append(u, graph.Also[board](p.named(targets)...))
			}
			return u, nil
		}, graph.NodeOptions[board]{Defer: p.held[i], Goto: p.named(p.gotos[i])})
	}
	for _, to := range p.start {
		g.AddEdge(graph.Start, p.names[to])
	}
	for i, name := range p.names {
		for _, to := range p.edges[i] {
			g.AddEdge(name, p.names[to])
		}
		if p.routes[i] == nil {
			continue
		}
		targets := p.named(distinct(p.routes[i], p.sends[i]))
		g.AddConditionalEdges(name, func(_ context.Context, s board) (graph.Route, error) {
			var sends []send
			for _, s := range p.post(i, s.X) {
				sends = append(sends, send{Node: p.names[s[0]], State: board{X: s[1]}})
			}
			route := graph.Sends(sends...)
			for _, name := range p.named(p.choose(i, s.X)) {
				route = route.And(graph.To(name))
			}
			return route, nil
		}, targets...)
	}
	for _, j := range p.joins {
		g.AddJoin(p.named(j.from), p.names[j.to])
	}
	return g
}

func distinct(lists ...[]int) []int {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(lists...))))
}

func (p *plan) named(ids []int) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = p.names[id]
	}
	return names
}

// run is the oracle: the engine's rules, one node at a time. It returns the state
// after each superstep, 0 for the input's.
func (p *plan) run(s board, show func(step int, s board)) (board, string, error) {
	var steps []string
	show(0, s)
	held := map[int]bool{}
	arrived := make([]map[int]bool, len(p.joins))
	for i := range arrived {
		arrived[i] = map[int]bool{}
	}
	next := map[int]bool{}
	var sent [][2]int
	queue := func(ids ...int) {
		for _, id := range ids {
			if p.held[id] {
				held[id] = true
			} else {
				next[id] = true
			}
		}
	}
	queue(p.start...)
	for step := 1; ; step++ {
		if len(next)+len(sent) == 0 {
			next, held = held, map[int]bool{}
		}
		var tasks []int
		var xs []int
		for i := range p.names {
			if next[i] {
				tasks, xs = append(tasks, i), append(xs, s.X)
			}
		}
		for _, one := range sent {
			tasks, xs = append(tasks, one[0]), append(xs, one[1])
		}
		switch {
		case len(tasks) == 0:
			return s, strings.Join(steps, " | "), nil
		case step > p.limit:
			return s, strings.Join(steps, " | "), &graph.RecursionError{Limit: p.limit, Next: p.named(tasks)}
		}
		steps = append(steps, strings.Join(p.named(tasks), " "))
		after, adds := s, make([]int, len(tasks))
		after.Log = slices.Clone(s.Log)
		for n, i := range tasks {
			if p.fails[[2]int{i, step}] {
				return s, strings.Join(steps, " | "), planFailure{i, step}
			}
			adds[n] = i + xs[n]%3 + 1
			after.Log = append(after.Log, p.names[i])
			after.X += adds[n]
			after.Foo += fmt.Sprint(xs[n] % 10)
		}
		before := s.X
		s, next, sent = after, map[int]bool{}, nil
		reached := make([]bool, len(p.joins))
		for n, i := range tasks {
			to, instead := p.command(i, xs[n])
			queue(to...)
			if instead {
				continue
			}
			queue(p.edges[i]...)
			queue(p.choose(i, before+adds[n])...)
			sent = append(sent, p.post(i, before+adds[n])...)
			for k, j := range p.joins {
				if slices.Contains(j.from, i) {
					arrived[k][i], reached[k] = true, true
				}
			}
		}
		show(step, s)
		for k, j := range p.joins {
			if reached[k] && len(arrived[k]) == len(j.from) {
				arrived[k] = map[int]bool{}
				queue(j.to)
			}
		}
	}
}

// TestRandomGraphs compares the engine with the oracle at any concurrency. No write
// is lost or repeated. A failing superstep keeps the state before it. The error is
// the first node's by name.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		in := board{X: rapid.IntRange(0, 9).Draw(t, "x")}
		want, steps, wantErr := p.run(in, func(int, board) {})
		app, err := p.graph().Compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		var first []string
		for _, n := range concurrencies {
			got := play(t.Context(), app, update{x.Add(in.X)}, graph.RunOptions{Concurrency: n, RecursionLimit: p.limit})
			if diff := differ(want, got.final); diff != "" {
				t.Fatalf("concurrency %d, state:\n%s", n, diff)
			}
			if got.steps() != steps {
				t.Fatalf("concurrency %d: supersteps %s, want %s", n, got.steps(), steps)
			}
			sameFailure(t, wantErr, got.err)
			if wantErr != nil && !errors.As(wantErr, new(*graph.RecursionError)) {
				continue // timing decides which siblings still ran
			}
			if first == nil {
				first = got.normal()
			}
			if diff := differ(first, got.normal()); diff != "" {
				t.Fatalf("concurrency %d, events:\n%s", n, diff)
			}
		}
		out, err := app.Invoke(t.Context(), update{x.Add(in.X)}, &graph.RunOptions{RecursionLimit: p.limit})
		if diff := differ(want, out); diff != "" {
			t.Fatalf("Invoke:\n%s", diff)
		}
		sameFailure(t, wantErr, err)
	})
}

func sameFailure(t *rapid.T, want, got error) {
	t.Helper()
	var failed, wantFailed planFailure
	var over, wantOver *graph.RecursionError
	switch {
	case want == nil:
		if got != nil {
			t.Fatalf("error %v, want none", got)
		}
	case errors.As(want, &wantFailed):
		if !errors.As(got, &failed) || failed != wantFailed {
			t.Fatalf("error %v, want %v", got, want)
		}
	case errors.As(want, &wantOver):
		if !errors.As(got, &over) || differ(wantOver, over) != "" {
			t.Fatalf("error %v, want %v", got, want)
		}
	}
}
