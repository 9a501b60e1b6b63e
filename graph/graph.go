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
type StateGraph[S any] struct {
	channels []Channel[S]
	input    []Channel[S] // nil accepts every channel
	output   []Channel[S] // nil returns every channel
	nodes    []nodeSpec[S]
	edges    []edge
	joins    []join
	branches []branchSpec[S]
	defaults NodeDefaults[S]
	problems []Problem // found while building
}

type nodeSpec[S any] struct {
	name  string
	run   Node[S]
	opts  NodeOptions[S]
	inner *Drawing     // a subgraph's structure, nil for a plain node
	gives []Channel[S] // the channels that a subgraph over the same state may write
	keeps Persistence  // of a subgraph
}

type edge struct{ from, to string }

type join struct {
	from []string
	to   string
}

type branchSpec[S any] struct {
	from  string
	route Router[S]
	paths []Path
}

// A Path is a declared outcome of a conditional edge: the key that the router
// returns, and the node it leads to.
type Path struct{ Key, Target string }

// NewStateGraph makes an empty graph over the state S with its channels.
func NewStateGraph[S any](channels ...Channel[S]) *StateGraph[S] {
	return &StateGraph[S]{channels: slices.Clone(channels)}
}

// Input limits what a caller may write to these channels; writes to others in
// a run's input are ignored. Default: every channel.
func (g *StateGraph[S]) Input(channels ...Channel[S]) { g.input = slices.Clone(channels) }

// Output limits the state that Invoke returns to these channels; the other
// fields are zero. Default: every channel.
func (g *StateGraph[S]) Output(channels ...Channel[S]) { g.output = slices.Clone(channels) }

// AddNode adds a node. At most one options value is read.
func (g *StateGraph[S]) AddNode(name string, node Node[S], opts ...NodeOptions[S]) {
	spec := nodeSpec[S]{name: name, run: node}
	if len(opts) > 0 {
		spec.opts = opts[0]
	}
	if len(opts) > 1 {
		g.problems = append(g.problems, Problem{Code: InvalidOptions, Node: name, Message: "AddNode takes one NodeOptions value"})
	}
	if node == nil {
		g.problems = append(g.problems, Problem{Code: InvalidOptions, Node: name, Message: "the node's function is nil"})
	}
	g.nodes = append(g.nodes, spec)
}

// AddEdge runs to after from, whenever from has run.
func (g *StateGraph[S]) AddEdge(from, to string) { g.edges = append(g.edges, edge{from, to}) }

// AddJoin runs to once after all of from have run, in whatever supersteps;
// then the join waits for all of them again.
func (g *StateGraph[S]) AddJoin(from []string, to string) {
	g.joins = append(g.joins, join{slices.Clone(from), to})
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
	if route == nil {
		g.problems = append(g.problems, Problem{Code: InvalidOptions, Node: from, Message: "the router of its conditional edges is nil"})
	}
	g.branches = append(g.branches, branchSpec[S]{from, route, slices.Clone(paths)})
}
