package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"example.com/assay/graph"
)

// A simPlan is a random graph as data. The engine runs the graph that method graph
// makes, and the reference reads the plan. A node's result depends only on the node,
// its input, the attempt, and whether the world is broken.
type simPlan struct {
	Nodes         []*simNode
	Start         []string
	Joins         []simJoin         `json:",omitempty"`
	Before, After []string          `json:",omitempty"` // breakpoints
	Persist       graph.Persistence `json:",omitempty"` // of a graph inside a node
	Private       bool              `json:",omitempty"` // the channel seen is its own; it is in no input or output
}

type simJoin struct {
	From []string
	To   string
}

type simNode struct {
	Name     string
	Edges    []string `json:",omitempty"`
	Routes   []string `json:",omitempty"` // what its router chooses from
	Sends    []string `json:",omitempty"` // what its router may send to, in this order
	Gotos    []string `json:",omitempty"` // where its Commands lead
	Posts    []string `json:",omitempty"` // what its Commands send to
	Parent   []string `json:",omitempty"` // nodes of the graph around, to which a Parent leads
	Deferred bool     `json:",omitempty"`
	Hello    bool     `json:",omitempty"` // sets a LastValue, sometimes
	Note     bool     `json:",omitempty"` // sets an Ephemeral, sometimes
	Over     string   `json:",omitempty"` // overwrites this channel, sometimes
	Asks     int      `json:",omitempty"` // how many keys it asks for
	Together bool     `json:",omitempty"` // all at once
	Inside   bool     `json:",omitempty"` // the first of them inside a Once
	Once     bool     `json:",omitempty"` // has an effect outside of the state
	Fails    int      `json:",omitempty"` // in so many attempts, while the world is broken
	Attempts int      `json:",omitempty"` // of its retry policy; 0 for none
	Handler  string   `json:",omitempty"` // what comes of a failure: rescue, lead or decline
	Drains   bool     `json:",omitempty"`
	Sub      *simPlan `json:",omitempty"`
}

// A simWrite is a write to a channel: Str and N as its type needs them.
type simWrite struct {
	Channel string
	Op      graph.Op
	Str     string
	N       int
}

// A simCommand is where a node's update leads.
type simCommand struct {
	to      []string
	sends   []simSend
	instead bool // of the node's edges
	parent  bool // in the graph around
}

type simSend struct {
	to string
	x  int
}

var note = graph.Ephemeral("note", func(s *board) *string { return &s.Inp })

func (w simWrite) write() graph.Write[board] {
	over := w.Op == graph.OpOverwrite
	switch w.Channel {
	case "log":
		if over {
			return log.Overwrite([]string{w.Str})
		}
		return log.Add(w.Str)
	case "x":
		return x.Add(w.N)
	case "foo":
		if over {
			return foo.Overwrite(w.Str)
		}
		return foo.Add(w.Str)
	case "seen":
		return seen.Add(w.Str)
	case "note":
		return note.Set(w.Str)
	}
	if over {
		return hello.Overwrite(w.Str)
	}
	return hello.Set(w.Str)
}

func simUpdate(writes []simWrite) update {
	var u update
	for _, w := range writes {
		u = append(u, w.write())
	}
	return u
}

// effect is what its Once returns.
func (n *simNode) effect(s board) int { return s.X%4 + 1 }

// fails reports whether an attempt fails in a broken world.
func (n *simNode) fails(s board, attempt int) bool { return attempt <= n.Fails && s.X%3 != 2 }

// result is what it returns, having seen a state and been told more.
func (n *simNode) result(s board, more int, private bool) (out []simWrite, cmd simCommand) {
	id := int(n.Name[0])
	out = []simWrite{
		{"log", graph.OpAdd, fmt.Sprintf("%s%d%s%s", n.Name, s.X, s.Hello, s.Inp), 0},
		{"x", graph.OpAdd, "", s.X%3 + 1 + more},
	}
	if private {
		out = append(out, simWrite{"seen", graph.OpAdd, fmt.Sprint(n.Name, len(s.Seen)), 0})
	}
	for _, w := range []struct {
		on      bool
		channel string
		op      graph.Op
	}{
		{n.Over != "foo" || s.X%2 == 0, "foo", graph.OpAdd},
		{n.Hello && (s.X+id)%2 == 0, "hello", graph.OpSet},
		{n.Note && (s.X+id)%3 > 0, "note", graph.OpSet},
		{n.Over != "" && s.X%2 == 1, n.Over, graph.OpOverwrite},
	} {
		if w.on {
			out = append(out, simWrite{w.channel, w.op, fmt.Sprint(n.Name, s.X%10), 0})
		}
	}
	if n.Over != "" && s.X%2 == 1 { // one write to a channel is enough
		out = slices.DeleteFunc(out, func(w simWrite) bool { return w.Channel == n.Over && w.Op != graph.OpOverwrite })
	}
	if len(n.Parent) > 0 && s.X%3 == 0 {
		return []simWrite{out[0]}, simCommand{to: n.Parent, parent: true, instead: true}
	}
	for i, to := range n.Gotos {
		if (s.X+i)%2 == 0 {
			cmd.to = append(cmd.to, to)
		}
	}
	cmd.sends = simPosts(n.Posts, s.X)
	cmd.instead = len(cmd.to)+len(cmd.sends) > 0 && s.X%3 == 0
	return out, cmd
}

// forgets reports whether a graph that keeps nothing asks.
func (p *simPlan) forgets(never bool) bool {
	return slices.ContainsFunc(p.Nodes, func(n *simNode) bool {
		return never && n.Asks > 0 || n.Sub != nil && n.Sub.forgets(never || n.Sub.Persist == graph.PersistNever)
	})
}

// rescued is what its handler returns.
func (n *simNode) rescued(s board) (out []simWrite, cmd simCommand) {
	out = []simWrite{{"log", graph.OpAdd, n.Name + "!", 0}, {"x", graph.OpAdd, "", 1}}
	if n.Handler == "lead" && len(n.Gotos) > 0 {
		cmd = simCommand{to: n.Gotos[:1], instead: true}
	}
	return out, cmd
}

// routed is what its router chooses.
func (n *simNode) routed(s board) (to []string, sends []simSend) {
	for i, target := range n.Routes {
		if (s.X>>i)&1 == 1 || s.Inp != "" && i == 0 {
			to = append(to, target)
		}
	}
	return to, simPosts(n.Sends, s.X)
}

// simPosts sends to some of the targets, until x is large.
func simPosts(targets []string, x int) (out []simSend) {
	for i, to := range targets {
		if (x>>i)&2 == 0 && x < 60 {
			out = append(out, simSend{to, x%5 + i})
		}
	}
	return out
}

func (c simCommand) writes() update {
	if len(c.to)+len(c.sends) == 0 {
		return nil
	}
	lead := graph.Also[board](c.to...)
	if c.instead {
		lead = graph.Goto[board](c.to...)
	}
	return update{lead.Sends(simSends(c.sends)...)}
}

func simSends(sends []simSend) (out []send) {
	for _, s := range sends {
		out = append(out, send{Node: s.to, State: board{X: s.x}})
	}
	return out
}

// returned is a node's update as the engine wants it.
func simReturned(out []simWrite, cmd simCommand) update {
	all := append(simUpdate(out), cmd.writes()...)
	if cmd.parent {
		return update{graph.Parent[board](all)}
	}
	return all
}

type simFailure struct{ label string }

func (f simFailure) Error() string { return f.label + " fails" }

// A simHost is the world around a running plan.
type simHost struct {
	turn   func(ctx context.Context, label string) error // waits until the task may run
	effect func(label string)                            // is called by a Once
	start  func(label string)
	broken func() bool
	saver  graph.Checkpointer
}

// graph makes the graph of a plan at a path, "" for the root.
func (p *simPlan) graph(path string, h *simHost) (*graph.StateGraph[board], error) {
	g := graph.NewStateGraph[board](log, x, foo, hello, note, seen)
	if p.Private {
		g.Input(log, x, foo, hello, note)
		g.Output(log, x, foo, hello, note)
	}
	for _, n := range p.Nodes {
		label := path + n.Name
		leads := slices.Concat(n.Gotos, n.Posts)
		if n.Sub != nil {
			for _, inner := range n.Sub.Nodes {
				leads = append(leads, inner.Parent...)
			}
		}
		opts := graph.NodeOptions[board]{Defer: n.Deferred, Goto: simOnce(leads)}
		if n.Attempts > 0 {
			opts.Retry = []graph.RetryPolicy{{MaxAttempts: n.Attempts, InitialInterval: 1}}
		}
		if n.Handler != "" {
			opts.OnError = func(ctx context.Context, s board, failure error) (update, error) {
				if n.Handler == "decline" {
					return nil, failure
				}
				return simReturned(n.rescued(s)), nil
			}
		}
		if n.Sub != nil {
			child, err := n.Sub.compiled(label+"/", h)
			if err != nil {
				return nil, err
			}
			g.AddSubgraph(n.Name, child, opts)
		} else {
			g.AddNode(n.Name, func(ctx context.Context, s board) (update, error) { return n.body(ctx, s, label, p.Private, h) }, opts)
		}
		for _, to := range n.Edges {
			g.AddEdge(n.Name, to)
		}
		if len(n.Routes)+len(n.Sends) > 0 {
			g.AddConditionalEdges(n.Name, func(_ context.Context, s board) (graph.Route, error) {
				to, sends := n.routed(s)
				route := graph.Sends(simSends(sends)...)
				for _, name := range to {
					route = route.And(graph.To(name))
				}
				return route, nil
			}, simOnce(slices.Concat(n.Routes, n.Sends))...)
		}
	}
	for _, to := range p.Start {
		g.AddEdge(graph.Start, to)
	}
	for _, j := range p.Joins {
		g.AddJoin(j.From, j.To)
	}
	return g, nil
}

func simOnce(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

func (p *simPlan) compiled(path string, h *simHost) (*graph.Compiled[board], error) {
	g, err := p.graph(path, h)
	if err != nil {
		return nil, err
	}
	var ticks atomic.Int64 // the clock jumps by years, also back
	opts := &graph.CompileOptions{Persistence: p.Persist, InterruptBefore: p.Before, InterruptAfter: p.After, Now: func() time.Time {
		return time.Unix(ticks.Add(1)*7919%1000*1_000_000, 0)
	}}
	if path == "" {
		opts.Checkpointer = h.saver
	}
	return g.Compile(opts)
}

func (n *simNode) body(ctx context.Context, s board, label string, private bool, h *simHost) (update, error) {
	info, _ := graph.CurrentTask(ctx)
	if info.Attempt == 1 {
		if err := h.turn(ctx, fmt.Sprintf("%s#%d", label, info.Send)); err != nil {
			return nil, err
		}
	}
	h.start(label)
	if n.Drains {
		graph.Drain(ctx, "drained by "+label)
	}
	more := 0
	if n.Once {
		e, err := graph.Once(ctx, "effect", func(context.Context) (int, error) {
			h.effect(label)
			return n.effect(s), nil
		})
		if err != nil {
			return nil, err
		}
		more += e
	}
	var open []error
	for i := range n.Asks {
		ask := func(ctx context.Context) (int, error) { return graph.Interrupt[int](ctx, fmt.Sprint("key", i), s.X) }
		told, err := 0, error(nil)
		if n.Inside && i == 0 {
			told, err = graph.Once(ctx, "inside", ask)
		} else {
			told, err = ask(ctx)
		}
		if err != nil && !(n.Together && graph.IsInterrupt(err)) {
			return nil, err
		} else if err != nil {
			open = append(open, err)
		}
		more += told
	}
	if len(open) > 0 {
		return nil, errors.Join(open...)
	}
	if h.broken() && n.fails(s, info.Attempt) {
		return nil, simFailure{label}
	}
	return simReturned(n.result(s, more, private)), nil
}
