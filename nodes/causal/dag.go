package causal

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"example.com/assay/state"
)

// Variable is what a variable's name is compared by: its words in lower case, a
// leading article dropped.
func Variable(name string) string {
	words := strings.Fields(strings.ToLower(name))
	if len(words) > 1 && (words[0] == "the" || words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// DAG draws the graph of the grounded edges. Edges enter by confidence, the highest
// first; those of one confidence keep the given order. So a cycle loses its least
// certain edge, which is reported with the shortest way round. Opposite edges between
// two variables are always reported.
func DAG(edges []state.Edge) state.CausalDAG {
	d := newDigraph()
	out := state.CausalDAG{Variables: []string{}, Edges: []string{}, Cycles: []state.Cycle{}, Reversed: []state.EdgePair{}, Duplicates: []state.EdgePair{}}
	for i, a := range edges {
		for _, b := range edges[i+1:] {
			from, to := Variable(a.FromVar), Variable(a.ToVar)
			switch {
			case from == Variable(b.FromVar) && to == Variable(b.ToVar):
				out.Duplicates = append(out.Duplicates, state.EdgePair{First: a.ID, Second: b.ID})
			case from == Variable(b.ToVar) && to == Variable(b.FromVar):
				out.Reversed = append(out.Reversed, state.EdgePair{First: a.ID, Second: b.ID})
			}
		}
	}
	var grounded []int
	for i, e := range edges {
		if e.Status == state.EdgeGrounded {
			grounded = append(grounded, i)
		}
	}
	byConfidence := slices.Clone(grounded)
	slices.SortStableFunc(byConfidence, func(a, b int) int { return -cmp.Compare(edges[a].Confidence, edges[b].Confidence) })
	kept := map[int]bool{}
	for _, i := range byConfidence {
		e := edges[i]
		from, to := d.node(e.FromVar), d.node(e.ToVar)
		if path := d.path(to, from); path != nil {
			out.Cycles = append(out.Cycles, state.Cycle{Edge: e.ID, Path: append([]string{d.names[from]}, path...)})
			continue
		}
		kept[i] = true
		d.graph.SetEdge(d.graph.NewEdge(d.graph.Node(from), d.graph.Node(to)))
	}
	for _, i := range grounded {
		if kept[i] {
			out.Edges = append(out.Edges, edges[i].ID)
		}
	}
	out.Variables = d.order()
	return out
}

// A digraph is gonum's, with names.
type digraph struct {
	graph *simple.DirectedGraph
	ids   map[string]int64
	names []string // by id, as they were first written
}

func newDigraph() *digraph { return &digraph{simple.NewDirectedGraph(), map[string]int64{}, nil} }

func (d *digraph) node(name string) int64 {
	key := Variable(name)
	id, ok := d.ids[key]
	if !ok {
		id = int64(len(d.names))
		d.ids[key], d.names = id, append(d.names, name)
		d.graph.AddNode(simple.Node(id))
	}
	return id
}

// path is a shortest way from one node to another, by name, with both ends; nil when
// there is none. Of several it takes the one whose nodes were named first.
func (d *digraph) path(from, to int64) []string {
	before := map[int64]int64{from: from}
	queue := []int64{from}
	for len(queue) > 0 && queue[0] != to {
		next := graph.NodesOf(d.graph.From(queue[0])) // in no order
		slices.SortFunc(next, func(a, b graph.Node) int { return cmp.Compare(a.ID(), b.ID()) })
		for _, n := range next {
			if _, seen := before[n.ID()]; !seen {
				before[n.ID()] = queue[0]
				queue = append(queue, n.ID())
			}
		}
		queue = queue[1:]
	}
	if len(queue) == 0 {
		return nil
	}
	path := []string{d.names[to]}
	for at := to; at != from; {
		at = before[at]
		path = append(path, d.names[at])
	}
	slices.Reverse(path)
	return path
}

// order is the variables that edges join, causes before effects.
func (d *digraph) order() []string {
	byID := func(nodes []graph.Node) {
		slices.SortFunc(nodes, func(a, b graph.Node) int { return cmp.Compare(a.ID(), b.ID()) })
	}
	sorted, err := topo.SortStabilized(d.graph, byID)
	if err != nil { // of cycles, which SetEdge was not called for
		sorted = graph.NodesOf(d.graph.Nodes())
		byID(sorted)
	}
	out := []string{}
	for _, n := range sorted {
		if d.graph.From(n.ID()).Len()+d.graph.To(n.ID()).Len() > 0 {
			out = append(out, d.names[n.ID()])
		}
	}
	return out
}
