package causal

import (
	"cmp"
	"slices"
	"strings"
)

// DAG is the graph of the grounded edges, without cycles.
type DAG struct {
	Variables  []string   `json:"variables"`  // in a topological order
	Edges      []string   `json:"edges"`      // ids of the edges in it, in the order of the draft
	Cycles     []Cycle    `json:"cycles"`     // grounded edges left out because each would close a cycle
	Reversed   []EdgePair `json:"reversed"`   // edges of the draft between the same variables, in both directions
	Duplicates []EdgePair `json:"duplicates"` // edges of the draft from the same variable to the same
}

// A Cycle is a cycle that an edge would close.
type Cycle struct {
	Edge string   `json:"edge"` // ID of the edge that is left out
	Path []string `json:"path"` // variables, beginning and ending with the edge's cause
}

// An EdgePair names two edges, in the order of the draft.
type EdgePair struct {
	First  string `json:"first"`
	Second string `json:"second"`
}

// Variable returns the form in which variables' names are compared: lower case, without a leading
// article.
func Variable(name string) string {
	words := strings.Fields(strings.ToLower(name))
	if len(words) > 1 && (words[0] == "the" || words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// NewDAG builds the graph of the grounded edges. It adds edges by confidence, highest first; equal
// ones in the given order. So a cycle loses its least certain edge, which is reported with the
// shortest path of the cycle. Opposite edges between two variables are always reported.
func NewDAG(edges []Edge) DAG {
	d := &digraph{ids: map[string]int{}}
	out := DAG{Variables: []string{}, Edges: []string{}, Cycles: []Cycle{}, Reversed: []EdgePair{}, Duplicates: []EdgePair{}}
	for i, a := range edges {
		for _, b := range edges[i+1:] {
			from, to := Variable(a.FromVar), Variable(a.ToVar)
			switch {
			case from == Variable(b.FromVar) && to == Variable(b.ToVar):
				out.Duplicates = append(out.Duplicates, EdgePair{First: a.ID, Second: b.ID})
			case from == Variable(b.ToVar) && to == Variable(b.FromVar):
				out.Reversed = append(out.Reversed, EdgePair{First: a.ID, Second: b.ID})
			}
		}
	}
	var grounded []int
	for i, e := range edges {
		if e.Status == EdgeGrounded {
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
			out.Cycles = append(out.Cycles, Cycle{Edge: e.ID, Path: append([]string{d.names[from]}, path...)})
			continue
		}
		kept[i] = true
		d.join(from, to)
	}
	for _, i := range grounded {
		if kept[i] {
			out.Edges = append(out.Edges, edges[i].ID)
		}
	}
	out.Variables = d.order()
	return out
}

// A digraph numbers the variables in order of appearance.
type digraph struct {
	ids   map[string]int
	names []string // by id, as they were first written
	to    [][]int  // successors by ID, ascending
}

func (d *digraph) node(name string) int {
	key := Variable(name)
	id, ok := d.ids[key]
	if !ok {
		id = len(d.names)
		d.ids[key], d.names, d.to = id, append(d.names, name), append(d.to, nil)
	}
	return id
}

// join adds an edge, unless it exists.
func (d *digraph) join(from, to int) {
	if at, found := slices.BinarySearch(d.to[from], to); !found {
		d.to[from] = slices.Insert(d.to[from], at, to)
	}
}

// path returns a shortest path between two nodes, as names with both ends; nil when there is none.
// Among equals it prefers nodes that were named first.
func (d *digraph) path(from, to int) []string {
	before := map[int]int{from: from}
	queue := []int{from}
	for len(queue) > 0 && queue[0] != to {
		for _, n := range d.to[queue[0]] {
			if _, seen := before[n]; !seen {
				before[n] = queue[0]
				queue = append(queue, n)
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

// order returns the variables that edges join, causes before effects. It walks the edges in depth,
// from the last named variable on, and puts each variable before all that it leads to. There is no
// cycle.
func (d *digraph) order() []string {
	done, joined := make([]bool, len(d.names)), make([]bool, len(d.names))
	var ids []int // effects before causes
	var visit func(id int)
	visit = func(id int) {
		if done[id] {
			return
		}
		done[id] = true
		for _, next := range slices.Backward(d.to[id]) {
			joined[id], joined[next] = true, true
			visit(next)
		}
		ids = append(ids, id)
	}
	for id := range slices.Backward(d.names) {
		visit(id)
	}
	out := []string{}
	for _, id := range slices.Backward(ids) {
		if joined[id] {
			out = append(out, d.names[id])
		}
	}
	return out
}
