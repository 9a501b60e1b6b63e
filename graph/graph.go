package graph

import (
	"context"
	"slices"
)

const (
	// Start is where a run enters the graph. Edges may only lead from it.
	Start = "__start__"
	// End is where a path ends. Edges may only lead to it.
	End = "__end__"
)

// A Node reads the state and returns its writes. It must not modify what the
// state points to (slices, maps, pointers): other nodes read it too.
type Node[S any] func(ctx context.Context, state S) (Update[S], error)

// NodeOptions configure a node. With the zero value a node runs once when it is
// triggered, and sees the whole state.
type NodeOptions[S any] struct {
	// Retry lists policies. The first that matches an error decides. Default:
	// no retry.
	Retry []RetryPolicy
	// Timeout limits each attempt. Default: no limit.
	Timeout Timeout
	// OnError takes over after the last retry. Default: the run fails.
	OnError ErrorHandler[S]
	// Cache reuses the node's updates. Default: the node always runs.
	Cache *CachePolicy[S]
	// Reads limits the fields of the graph's state that the node sees; other
	// fields are zero. It does not limit the state of a Send. Default: all
	// fields.
	Reads []Channel[S]
	// Defer delays the node until nothing else is left to run. It does not
	// delay a Send.
	Defer bool
	// Goto declares the targets of the node's Commands and their Sends: nodes,
	// or End. Drawings show them, and Compile counts them as paths to a node.
	// Default: none.
	Goto []string
	// Remote names the queue of a node whose tasks may run in other processes. A run with
	// RunOptions.Remote sends them there. Inside a subgraph it has no effect. Default: tasks run in
	// the process of the run.
	Remote string
}

// StateGraph collects nodes and edges. Compile reports all mistakes at once, so
// no method here returns an error.
type StateGraph[S any] struct{ plan blueprint }

// A blueprint is a StateGraph without the type of its state.
type blueprint struct {
	typ      stateType
	channels []channel
	input    []channel // nil accepts every channel
	output   []channel // nil returns every channel
	nodes    []nodeSpec
	edges    []edge
	joins    []join
	branches []branchSpec
	defaults policies
	persist  Persistence // when Compile names none
	problems []Problem   // found while building
}

type nodeSpec struct {
	name        string
	run         nodeFunc
	opts        nodeOptions
	inner       *program    // the graph of a subgraph; nil for a plain node
	outputs     []channel   // channels that a subgraph over the same state may write
	persistence Persistence // of a subgraph
}

// A nodeFunc is a Node without the type of its state. It appends its writes to
// dst.
type nodeFunc func(ctx context.Context, state any, dst update) (update, error)

func (n Node[S]) untyped() nodeFunc {
	return func(ctx context.Context, state any, dst update) (update, error) {
		u, err := n(ctx, *state.(*S))
		if err != nil {
			return nil, err
		}
		return u.untyped(dst), nil
	}
}

// nodeOptions are NodeOptions without the type of the state.
type nodeOptions struct {
	policies
	cache    *cachePolicy
	reads    []channel
	deferred bool // Defer
	gotos    []string
	remote   string
}

func (o NodeOptions[S]) untyped() nodeOptions {
	return nodeOptions{
		policies: NodeDefaults[S]{o.Retry, o.Timeout, o.OnError}.untyped(),
		cache:    o.Cache.untyped(), reads: channelsOf(o.Reads), deferred: o.Defer, gotos: o.Goto, remote: o.Remote,
	}
}

// channelsOf keeps a nil list, which means all channels. It keeps a nil
// channel, which Compile reports.
func channelsOf[S any](list []Channel[S]) []channel {
	if list == nil {
		return nil
	}
	out := make([]channel, len(list))
	for i, ch := range list {
		if ch != nil {
			out[i] = ch.untyped()
		}
	}
	return out
}

type edge struct{ from, to string }

type join struct {
	from []string
	to   string
}

type branchSpec struct {
	from  string
	route routeFunc
	paths []Path
}

// A routeFunc is a Router without the type of its state.
type routeFunc func(ctx context.Context, state any) (Route, error)

// A Path is a declared outcome of a conditional edge: the router's key and its
// target node.
type Path struct{ Key, Target string }

// NewStateGraph makes an empty graph over the state S with these channels.
func NewStateGraph[S any](channels ...Channel[S]) *StateGraph[S] {
	return &StateGraph[S]{blueprint{typ: typeOf[S]{}, channels: channelsOf(channels)}}
}

// Input limits the channels of a run's input. Writes to other channels are
// ignored. Default: every channel.
func (g *StateGraph[S]) Input(channels ...Channel[S]) { g.plan.input = channelsOf(channels) }

// Output limits the state that Invoke returns to these channels. Other fields
// are zero. Default: every channel.
func (g *StateGraph[S]) Output(channels ...Channel[S]) { g.plan.output = channelsOf(channels) }

// Persist sets the persistence of the graph for a Compile without one.
func (g *StateGraph[S]) Persist(p Persistence) { g.plan.persist = p }

// AddNode adds a node with at most one options value.
func (g *StateGraph[S]) AddNode(name string, node Node[S], opts ...NodeOptions[S]) {
	spec := nodeSpec{name: name, opts: optionsOf(opts)}
	if node != nil {
		spec.run = node.untyped()
	}
	g.plan.addNode(spec, len(opts))
}

func (b *blueprint) addNode(spec nodeSpec, options int) {
	if options > 1 {
		b.report(InvalidOptions, spec.name, "AddNode takes one NodeOptions value")
	}
	if spec.run == nil {
		b.report(InvalidOptions, spec.name, "the node's function is nil")
	}
	b.nodes = append(b.nodes, spec)
}

func (b *blueprint) report(code ProblemCode, node, message string) {
	b.problems = append(b.problems, Problem{code, node, message})
}

// AddEdge runs to whenever from has run.
func (g *StateGraph[S]) AddEdge(from, to string) { g.plan.edges = append(g.plan.edges, edge{from, to}) }

// AddJoin runs to once all of from have run, in any supersteps. Then the join
// waits for all of them again.
func (g *StateGraph[S]) AddJoin(from []string, to string) {
	g.plan.joins = append(g.plan.joins, join{slices.Clone(from), to})
}

// AddConditionalEdges lets route choose among targets after from. An undeclared
// choice is an error.
func (g *StateGraph[S]) AddConditionalEdges(from string, route Router[S], targets ...string) {
	paths := make([]Path, len(targets))
	for i, t := range targets {
		paths[i] = Path{t, t}
	}
	g.AddConditionalPaths(from, route, paths...)
}

// AddConditionalPaths is AddConditionalEdges with a router that returns keys.
// Drawings show the keys on the edges.
func (g *StateGraph[S]) AddConditionalPaths(from string, route Router[S], paths ...Path) {
	spec := branchSpec{from: from, paths: slices.Clone(paths)}
	if route == nil {
		g.plan.report(InvalidOptions, from, "the router of its conditional edges is nil")
	} else {
		spec.route = func(ctx context.Context, state any) (Route, error) { return route(ctx, *state.(*S)) }
	}
	g.plan.branches = append(g.plan.branches, spec)
}
