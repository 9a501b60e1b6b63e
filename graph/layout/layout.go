package layout

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"example.com/assay/graph"
)

// Measures of a drawing, in pixels.
const (
	charWidth  = 7 // at a font size of 12 pixels
	boxPadding = 12
	boxHeight  = 30
	between    = 22  // between boxes of a layer
	layerGap   = 20  // between layers; every second layer has only labels
	laneWidth  = 8   // for an edge that passes a layer
	labelWidth = 6.7 // of a character, at a font size of 11 pixels
	labelHigh  = 16
	inset      = 14 // around a graph inside a node
	titleBand  = 22 // above it
	loopRoom   = 26 // on the right of a box with an edge to itself
	margin     = 10
)

// A Point is a place in pixels, from the upper left corner.
type Point struct{ X, Y int }

// A Box is a node, the start or the end.
type Box struct {
	Path   string // its name behind those of the nodes that it is in: "execute/rewrite"
	Label  string
	X, Y   int // the upper left corner
	W, H   int
	Depth  int  // 0 at the root
	Graph  bool // it contains a graph
	Border bool // it is the start or end of a graph
	Mark
}

// A Mark is what a caller adds to the box of a node. It changes how the box is drawn, but not its
// position relative to other boxes.
type Mark struct {
	Class string // additional CSS classes of the box, separated by spaces
	Note  string // shown behind the name, such as "3 times"; "" for nothing
	Href  string // what a click on the box leads to, such as "#step-3"; "" for nothing
}

// Options tune a layout. Nil is the zero value.
type Options struct {
	// Mark says how a node is marked, by its path. Default: no node is marked.
	Mark func(path string) Mark
	// Closed names, by path, the nodes whose inner graphs are left out. Default: none.
	Closed func(path string) bool
}

// text is the text in the box.
func (b Box) text() string {
	if b.Note == "" {
		return b.Label
	}
	return b.Label + " · " + b.Note
}

// A Route is the line of an edge, as the points that it joins.
type Route struct {
	From, To    string // paths of boxes
	Label       string
	Conditional bool
	Join        bool
	Back        bool // it closes a loop, and points up or to its own node
	Points      []Point
	At          Point // the middle of the label
}

// A Layout is a placed drawing. A box comes before the boxes inside it.
type Layout struct {
	Name          string
	Width, Height int
	Boxes         []Box
	Routes        []Route
}

// Of places a drawing.
func Of(d graph.Drawing, opts *Options) Layout {
	o := Options{Mark: func(string) Mark { return Mark{} }, Closed: func(string) bool { return false }}
	if opts != nil && opts.Mark != nil {
		o.Mark = opts.Mark
	}
	if opts != nil && opts.Closed != nil {
		o.Closed = opts.Closed
	}
	s := sketch(d, "", 0, o)
	out := Layout{Name: d.Name(), Width: s.width + 2*margin, Height: s.height + 2*margin}
	s.write(&out, margin, margin)
	return out
}

// A cell is a box, or the place where an edge passes a layer.
type cell struct {
	box      Box
	lane     bool
	labelled bool   // a lane with the label of its edge
	inner    *sheet // the graph inside it; nil for none
	own      []int  // edges to itself
	rank     int
	w, h     int
	x, y     int // the upper left corner
	up, down []int
}

func (c *cell) middle() int { return c.x + c.w/2 }

// A link is an edge of a sheet: its cells from the upper to the lower end.
type link struct {
	route Route
	cells []int
}

// A sheet is one graph during placement.
type sheet struct {
	cells         []*cell
	links         []link
	layers        [][]int // cells from left to right
	tops, bottoms []int   // by layer
	width, height int
}

func sketch(d graph.Drawing, prefix string, depth int, o Options) *sheet {
	s := &sheet{}
	at := map[string]int{}
	add := func(name, label string, inner *graph.Drawing) {
		if inner != nil && o.Closed(prefix+name) {
			inner = nil
		}
		c := &cell{box: Box{Path: prefix + name, Label: label, Depth: depth, Graph: inner != nil, Border: name == graph.Start || name == graph.End}}
		if !c.box.Border {
			c.box.Mark = o.Mark(c.box.Path)
		}
		c.w, c.h = utf8.RuneCountInString(c.box.text())*charWidth+2*boxPadding, boxHeight
		if inner != nil {
			c.inner = sketch(*inner, prefix+name+"/", depth+1, o)
			c.w, c.h = max(c.w, c.inner.width+2*inset), c.inner.height+titleBand+inset
		}
		at[name] = len(s.cells)
		s.cells = append(s.cells, c)
	}
	add(graph.Start, "start", nil)
	for _, n := range d.Nodes() {
		label := n.Name
		if n.Deferred {
			label += " (deferred)"
		}
		add(n.Name, label, n.Subgraph)
	}
	add(graph.End, "end", nil)
	s.connect(d, prefix, at)
	s.order()
	s.place()
	return s
}

// connect ranks the cells, and leads each edge through the layers that it passes.
func (s *sheet) connect(d graph.Drawing, prefix string, at map[string]int) {
	var edges []link
	for _, e := range d.Edges() {
		from, to := at[e.From], at[e.To]
		r := Route{From: prefix + e.From, To: prefix + e.To, Label: e.Label, Conditional: e.Conditional, Join: e.Join}
		if r.Label == e.To {
			r.Label = ""
		}
		edges = append(edges, link{r, []int{from, to}})
	}
	ahead := make([][]int, len(s.cells)) // edges, by their upper cell
	for i, e := range edges {
		ahead[e.cells[0]] = append(ahead[e.cells[0]], i)
	}
	// In a walk in depth, an edge to a cell that the walk has not left closes a loop; it is
	// reversed.
	const walking, left = 1, 2
	state := make([]int, len(s.cells))
	var finished []int
	var walk func(c int)
	walk = func(c int) {
		state[c] = walking
		for _, i := range ahead[c] {
			switch to := edges[i].cells[1]; state[to] {
			case walking:
				edges[i].route.Back = true
			case 0:
				walk(to)
			}
		}
		state[c] = left
		finished = append(finished, c)
	}
	for c := range s.cells {
		if state[c] == 0 {
			walk(c)
		}
	}
	rank := make([]int, len(s.cells))
	for _, c := range slices.Backward(finished) {
		for _, i := range ahead[c] {
			if e := edges[i]; !e.route.Back {
				rank[e.cells[1]] = max(rank[e.cells[1]], rank[c]+2) // a layer for labels is between
			}
		}
	}
	last := at[graph.End]
	for c, r := range rank {
		if c != last {
			rank[last] = max(rank[last], r+2)
		}
	}
	for c := range s.cells {
		s.cells[c].rank = rank[c]
	}
	for _, e := range edges {
		from, to := e.cells[0], e.cells[1]
		if from == to {
			s.cells[from].own = append(s.cells[from].own, len(s.links))
			s.links = append(s.links, e)
			continue
		}
		if e.route.Back {
			from, to = to, from
		}
		e.cells = []int{from}
		for r := rank[from] + 1; r < rank[to]; r++ {
			e.cells = append(e.cells, len(s.cells))
			s.cells = append(s.cells, &cell{lane: true, rank: r, w: laneWidth})
		}
		if e.route.Label != "" { // close to the start of the edge
			c := s.cells[e.cells[1]]
			if e.route.Back {
				c = s.cells[e.cells[len(e.cells)-1]]
			}
			c.labelled, c.w, c.h = true, int(float64(utf8.RuneCountInString(e.route.Label))*labelWidth)+laneWidth, labelHigh
		}
		e.cells = append(e.cells, to)
		for i, c := range e.cells[1:] {
			above := e.cells[i]
			s.cells[above].down, s.cells[c].up = append(s.cells[above].down, c), append(s.cells[c].up, above)
		}
		s.links = append(s.links, e)
	}
	for _, c := range s.cells {
		if len(c.own) > 0 {
			c.w += 2 * loopRoom // on both sides, so the middle stays
		}
	}
}

// sweeps is how often the layers are sorted.
const sweeps = 12

// order orders the cells of each layer so that few edges cross.
func (s *sheet) order() {
	for _, c := range s.cells {
		for len(s.layers) <= c.rank {
			s.layers = append(s.layers, nil)
		}
	}
	for i, c := range s.cells {
		s.layers[c.rank] = append(s.layers[c.rank], i)
	}
	best, fewest := s.copied(), s.crossings()
	for sweep := range sweeps {
		down := sweep%2 == 0
		for i := range s.layers {
			if !down {
				i = len(s.layers) - 1 - i
			}
			s.sortLayer(i, down)
		}
		if n := s.crossings(); n < fewest {
			best, fewest = s.copied(), n
		}
	}
	s.layers = best
}

func (s *sheet) copied() [][]int {
	out := make([][]int, len(s.layers))
	for i, l := range s.layers {
		out[i] = slices.Clone(l)
	}
	return out
}

// positions returns the index of each cell within its layer.
func (s *sheet) positions() []int {
	out := make([]int, len(s.cells))
	for _, l := range s.layers {
		for i, c := range l {
			out[c] = i
		}
	}
	return out
}

// sortLayer sorts a layer by the mean positions of the neighbours above or below.
func (s *sheet) sortLayer(i int, above bool) {
	position := s.positions()
	mean := map[int]float64{}
	for at, c := range s.layers[i] {
		next := s.cells[c].down
		if above {
			next = s.cells[c].up
		}
		mean[c] = float64(at)
		if len(next) > 0 {
			sum := 0
			for _, n := range next {
				sum += position[n]
			}
			mean[c] = float64(sum) / float64(len(next))
		}
	}
	slices.SortStableFunc(s.layers[i], func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
}

// crossings counts the pairs of edges between neighbouring layers that cross.
func (s *sheet) crossings() (n int) {
	position := s.positions()
	for _, l := range s.layers {
		var ends []int // of the edges below the layer, from left to right
		for _, c := range l {
			below := make([]int, 0, len(s.cells[c].down))
			for _, d := range s.cells[c].down {
				below = append(below, position[d])
			}
			slices.Sort(below)
			ends = append(ends, below...)
		}
		for i, a := range ends {
			for _, b := range ends[i+1:] {
				if b < a {
					n++
				}
			}
		}
	}
	return n
}
