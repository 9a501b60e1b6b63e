package graph

import (
	"context"
	"slices"
)

const (
	// Start is where a run enters the graph. It can only be the source of edges.
	Start = "__start__"
	// End is where a path ends. It can only be the target of edges.
	End = "__end__"
)

// A Node reads the state and returns what it changes. It must not modify what
// the state refers to (slices, maps, pointers): other nodes read it too.
type Node[S any] func(ctx context.Context, state S) (Update[S], error)

// NodeOptions configure a node. The zero value is a node that runs once, sees
// the whole state and runs as soon as it is triggered.
type NodeOptions[S any] struct {
	// Retry is tried in order: the first policy that matches an error decides.
	// Default: no retry.
	Retry []RetryPolicy
	// Timeout limits each attempt. Default: no limit.
	Timeout Timeout
	// OnError takes over when no policy tries again. Default: the run fails.
	OnError ErrorHandler[S]
	// Cache lets the node's updates be used again. Default: the node always runs.
	Cache *CachePolicy[S]
	// Reads limits the fields that the node sees of the graph's state; the others
	// are zero. The state of a Send is the node's whole input, and not limited.
	// Default: all of them.
	Reads []Channel[S]
	// Defer holds the node back until nothing else is left to run. A Send does
	// not wait.
	Defer bool
	// Goto declares where the node's Commands may lead and send: nodes, or End.
	// Drawings show it, and Compile counts it as a way to reach a node. Default:
	// nowhere.
	Goto []string
}

// StateGraph collects nodes and edges. Mistakes are gathered and reported all
// at once by Compile, so that no call here returns an error.
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
	problems []Problem // found while building
}

type nodeSpec struct {
	name        string
	run         nodeFunc
	opts        nodeOptions
	inner       *Drawing    // a subgraph's structure, nil for a plain node
	outputs     []channel   // the channels that a subgraph over the same state may write
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
}

func (o NodeOptions[S]) untyped() nodeOptions {
	return nodeOptions{
		policies: NodeDefaults[S]{o.Retry, o.Timeout, o.OnError}.untyped(),
		cache:    o.Cache.untyped(), reads: channelsOf(o.Reads), deferred: o.Defer, gotos: o.Goto,
	}
}

// channelsOf keeps a nil list, which is all of them, and a nil channel, of which
// Compile complains.
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

// A Path is a declared outcome of a conditional edge: the key that the router
// returns, and the node it leads to.
type Path struct{ Key, Target string }

// NewStateGraph makes an empty graph over the state S with its channels.
func NewStateGraph[S any](channels ...Channel[S]) *StateGraph[S] {
	return &StateGraph[S]{blueprint{typ: typeOf[S]{}, channels: channelsOf(channels)}}
}

// Input limits what a caller may write to these channels; writes to others in
// a run's input are ignored. Default: every channel.
func (g *StateGraph[S]) Input(channels ...Channel[S]) { g.plan.input = channelsOf(channels) }

// Output limits the state that Invoke returns to these channels; the other
// fields are zero. Default: every channel.
func (g *StateGraph[S]) Output(channels ...Channel[S]) { g.plan.output = channelsOf(channels) }

// AddNode adds a node. At most one options value is read.
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

// AddEdge runs to after from, whenever from has run.
func (g *StateGraph[S]) AddEdge(from, to string) { g.plan.edges = append(g.plan.edges, edge{from, to}) }

// AddJoin runs to once after all of from have run, in whatever supersteps;
// then the join waits for all of them again.
func (g *StateGraph[S]) AddJoin(from []string, to string) {
	g.plan.joins = append(g.plan.joins, join{slices.Clone(from), to})
}

// AddConditionalEdges lets route choose the successors of from among targets.
// A choice that is not declared here is an error.
func (g *StateGraph[S]) AddConditionalEdges(from string, route Router[S], targets ...string) {
	paths := make([]Path, len(targets))
	for i, t := range targets {
		paths[i] = Path{t, t}
	}
	g.AddConditionalPaths(from, route, paths...)
}

// AddConditionalPaths is AddConditionalEdges with a router that returns keys;
// drawings show the keys on the edges.
func (g *StateGraph[S]) AddConditionalPaths(from string, route Router[S], paths ...Path) {
	spec := branchSpec{from: from, paths: slices.Clone(paths)}
	if route == nil {
		g.plan.report(InvalidOptions, from, "the router of its conditional edges is nil")
	} else {
		spec.route = func(ctx context.Context, state any) (Route, error) { return route(ctx, *state.(*S)) }
	}
	g.plan.branches = append(g.plan.branches, spec)
}
