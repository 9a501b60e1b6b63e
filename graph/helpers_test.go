package graph_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// board is the state of most tests: a key of every kind.
type board struct {
	Log   []string `json:"log,omitempty"`
	Seen  []string `json:"seen,omitempty"`
	Docs  []string `json:"docs,omitempty"`
	X     int      `json:"x,omitempty"`
	Foo   string   `json:"foo,omitempty"`
	Hello string   `json:"hello,omitempty"`
	Query string   `json:"query,omitempty"`
	Inp   string   `json:"inp,omitempty"`
	Out   string   `json:"out,omitempty"`
	Priv  string   `json:"priv,omitempty"`
}

type (
	update = graph.Update[board]
	node   = graph.Node[board]
)

var (
	log   = graph.Append("log", func(s *board) *[]string { return &s.Log })
	seen  = graph.Append("seen", func(s *board) *[]string { return &s.Seen })
	docs  = graph.Reduce("docs", func(s *board) *[]string { return &s.Docs }, sortedMerge)
	x     = graph.Reduce("x", func(s *board) *int { return &s.X }, func(a, b int) int { return a + b })
	foo   = graph.Reduce("foo", func(s *board) *string { return &s.Foo }, func(a, b string) string { return a + b })
	hello = graph.LastValue("hello", func(s *board) *string { return &s.Hello })
	query = graph.LastValue("query", func(s *board) *string { return &s.Query })
	inp   = graph.LastValue("inp", func(s *board) *string { return &s.Inp })
	outp  = graph.LastValue("out", func(s *board) *string { return &s.Out })
	priv  = graph.LastValue("priv", func(s *board) *string { return &s.Priv })
)

func sortedMerge(cur, upd []string) []string {
	return slices.Sorted(slices.Values(slices.Concat(cur, upd)))
}

func newBoard() *graph.StateGraph[board] {
	return graph.NewStateGraph[board](log, seen, docs, x, foo, hello, query, inp, outp, priv)
}

// say appends the node's own name to the log.
func say(name string) node {
	return func(context.Context, board) (update, error) { return update{log.Add(name)}, nil }
}

// writes returns always the same update.
func writes(w ...graph.Write[board]) node {
	return func(context.Context, board) (update, error) { return w, nil }
}

// always routes to the same place.
func always(route graph.Route) graph.Router[board] {
	return func(context.Context, board) (graph.Route, error) { return route, nil }
}

// wire makes a board graph from lines such as "START -> a b -> c" (edges from
// all to all) and "a b => c" (a join): every node it names, and that nodes does not define, says its name.
func wire(lines string, nodes map[string]node) *graph.StateGraph[board] {
	return wireOn(newBoard(), lines, nodes)
}

// wireOn is wire on a graph with channels of its own.
func wireOn(g *graph.StateGraph[board], lines string, nodes map[string]node) *graph.StateGraph[board] {
	added := map[string]bool{graph.Start: true, graph.End: true}
	add := func(names ...string) {
		for _, name := range names {
			if added[name] {
				continue
			}
			added[name] = true
			run := nodes[name]
			if run == nil {
				run = say(name)
			}
			g.AddNode(name, run)
		}
	}
	reserved := strings.NewReplacer("START", graph.Start, "END", graph.End)
	for line := range strings.Lines(lines) {
		line = reserved.Replace(strings.TrimSpace(line))
		if from, to, ok := strings.Cut(line, " => "); ok {
			sources := strings.Fields(from)
			add(append(sources, to)...)
			g.AddJoin(sources, to)
			continue
		}
		hops := strings.Split(line, " -> ")
		for i := 1; i < len(hops); i++ {
			for _, from := range strings.Fields(hops[i-1]) {
				for _, to := range strings.Fields(hops[i]) {
					add(from, to)
					g.AddEdge(from, to)
				}
			}
		}
	}
	return g
}

func mustCompile[S any](t testing.TB, g *graph.StateGraph[S]) *graph.Compiled[S] {
	t.Helper()
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return driven(app)
}

// simulating drives the graphs of a test; nil is the driver that users have.
var simulating *graph.Simulation

func driven[S any](app *graph.Compiled[S]) *graph.Compiled[S] {
	if simulating == nil {
		return app
	}
	return graph.Simulated(app, simulating)
}

// played is everything that a run showed.
type played struct {
	events []graph.Event[board]
	final  board
	err    error
}

// goOn gives a run its input or, without one, resumes its thread.
func goOn[S any](ctx context.Context, app *graph.Compiled[S], in graph.Update[S], opts *graph.RunOptions) (S, error) {
	if in == nil {
		return app.Resume(ctx, nil, opts)
	}
	return app.Invoke(ctx, in, opts)
}

// play runs a graph with all events; without an input it resumes the thread.
func play(ctx context.Context, app *graph.Compiled[board], in update, opts graph.RunOptions) played {
	var p played
	if opts.Modes == 0 {
		opts.Modes = graph.Debug
	}
	stream := app.Stream
	if in == nil && opts.Thread != "" {
		stream = app.StreamResume
	}
	for ev, err := range stream(ctx, in, &opts) {
		if err != nil {
			p.err = err
			break
		}
		p.events = append(p.events, ev)
		if ev.Kind == graph.RunEnd && ev.Namespace == "" {
			p.final = ev.State
		}
	}
	return p
}

// steps lists the nodes of every superstep at the root: "s | l1 r1 | j".
func (p played) steps() string {
	var steps []string
	for _, ev := range p.events {
		if ev.Kind == graph.StepStart && ev.Namespace == "" {
			steps = append(steps, strings.Join(ev.Nodes, " "))
		}
	}
	return strings.Join(steps, " | ")
}

// pick returns a line for each event of the given kinds, in order of arrival.
func (p played) pick(kinds ...graph.EventKind) []string {
	var lines []string
	for _, ev := range p.events {
		if slices.Contains(kinds, ev.Kind) {
			lines = append(lines, line(ev))
		}
	}
	return lines
}

// end is the RunEnd event of the root.
func (p played) end(t *testing.T) graph.Event[board] {
	t.Helper()
	if len(p.events) == 0 || p.events[len(p.events)-1].Kind != graph.RunEnd {
		t.Fatal("the run did not end with a RunEnd event")
	}
	return p.events[len(p.events)-1]
}

// line prints what an event says, without times.
func line(ev graph.Event[board]) string {
	var b strings.Builder
	b.WriteString(ev.Kind.String())
	if ev.Namespace != "" {
		fmt.Fprintf(&b, " [%s]", ev.Namespace)
	}
	if ev.Node != "" {
		fmt.Fprintf(&b, " %s", ev.Node)
	}
	switch ev.Kind {
	case graph.NodeUpdate:
		data, err := ev.UpdateJSON()
		fmt.Fprintf(&b, " %s", data)
		if err != nil {
			fmt.Fprintf(&b, " %v", err)
		}
	case graph.StateValue:
		data := ev.Data
		if ev.Namespace == "" {
			data, _ = json.Marshal(ev.State)
		}
		fmt.Fprintf(&b, " %s", data)
	case graph.NodeCustom:
		fmt.Fprintf(&b, " %s=%s", ev.Name, ev.Data)
	case graph.StepStart, graph.RunEnd:
		fmt.Fprintf(&b, " %v%v", ev.Nodes, ev.Waiting)
	}
	if ev.Attempt > 1 {
		fmt.Fprintf(&b, " attempt %d", ev.Attempt)
	}
	if ev.Err != nil {
		fmt.Fprintf(&b, " error: %v", ev.Err)
	}
	return b.String()
}

// normal lists events in the order of their places, which is that of a run
// with one node at a time.
func (p played) normal() []string {
	events := slices.Clone(p.events)
	byPlace(events, 0)
	lines := make([]string, len(events))
	for i, ev := range events {
		lines[i] = fmt.Sprintf("%v %s", ev.Places, line(ev))
	}
	return lines
}

// byPlace sorts by the place at one depth. The events of a task keep their order.
// Deeper events between two of them are sorted separately.
func byPlace(events []graph.Event[board], depth int) {
	slices.SortStableFunc(events, func(a, b graph.Event[board]) int {
		p, q := a.Places[depth], b.Places[depth]
		return cmp.Or(cmp.Compare(p.Step, q.Step), cmp.Compare(p.Task, q.Task))
	})
	for i := 0; i < len(events); {
		j := i
		for j < len(events) && len(events[j].Places) > depth+1 && events[j].Places[depth] == events[i].Places[depth] {
			j++
		}
		if j > i {
			byPlace(events[i:j], depth+1)
		}
		i = max(j, i+1)
	}
}

// differ compares with empty and nil lists equal.
func differ(want, got any) string { return gocmp.Diff(want, got, cmpopts.EquateEmpty()) }
