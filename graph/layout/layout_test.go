package layout_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/layout"
)

type nothing struct {
	X int `json:"x"`
}

var x = graph.LastValue("x", func(s *nothing) *int { return &s.X })

func idle(context.Context, nothing) (graph.Update[nothing], error) { return nil, nil }

// random is a graph of some nodes that routers join in any way, some of them graphs.
func random(t testing.TB, r *rand.Rand, depth int) *graph.Compiled[nothing] {
	t.Helper()
	g := graph.NewStateGraph(x)
	n := 1 + r.IntN(9)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("node", strings.Repeat("_long", r.IntN(4)), i)
		if depth < 2 && r.IntN(5) == 0 {
			g.AddSubgraph(names[i], random(t, r, depth+1))
		} else {
			g.AddNode(names[i], idle)
		}
	}
	g.AddEdge(graph.Start, names[0])
	for i, from := range names { // each is reached from one before it
		targets := []string{graph.End}
		if i+1 < n {
			targets = append(targets, names[i+1])
		}
		for range r.IntN(4) {
			targets = append(targets, names[r.IntN(n)])
		}
		slices.Sort(targets)
		var paths []graph.Path
		for _, to := range slices.Compact(targets) {
			p := graph.Path{Key: to, Target: to}
			if r.IntN(2) == 0 {
				p.Key = strings.Repeat("way ", 1+r.IntN(5)) + to
			}
			paths = append(paths, p)
		}
		g.AddConditionalPaths(from, func(context.Context, nothing) (graph.Route, error) { return graph.To(paths[0].Key), nil }, paths...)
	}
	c, err := g.Compile(&graph.CompileOptions{Name: "random"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func overlap(a, b layout.Box) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

func parent(path string) string { return path[:max(0, strings.LastIndex(path, "/"))] }

// crosses reports whether a line runs through the inside of a box.
func crosses(a, b layout.Point, box layout.Box) bool {
	const steps = 64
	for i := range steps + 1 {
		x := float64(a.X) + float64(b.X-a.X)*float64(i)/steps
		y := float64(a.Y) + float64(b.Y-a.Y)*float64(i)/steps
		if x > float64(box.X) && x < float64(box.X+box.W) && y > float64(box.Y) && y < float64(box.Y+box.H) {
			return true
		}
	}
	return false
}

// check reports what is wrong with a layout.
func check(t *testing.T, l layout.Layout) {
	t.Helper()
	boxes := map[string]layout.Box{}
	for _, b := range l.Boxes {
		boxes[b.Path] = b
		if b.X < 0 || b.Y < 0 || b.X+b.W > l.Width || b.Y+b.H > l.Height {
			t.Errorf("%s is outside of the drawing: %+v of %dx%d", b.Path, b, l.Width, l.Height)
		}
		if p, ok := boxes[parent(b.Path)]; ok && (b.X < p.X || b.Y < p.Y || b.X+b.W > p.X+p.W || b.Y+b.H > p.Y+p.H) {
			t.Errorf("%s is outside of %s", b.Path, p.Path)
		}
	}
	for i, a := range l.Boxes {
		for _, b := range l.Boxes[i+1:] {
			if parent(a.Path) == parent(b.Path) && overlap(a, b) {
				t.Errorf("%s and %s overlap", a.Path, b.Path)
			}
		}
	}
	for _, r := range l.Routes {
		from, to := boxes[r.From], boxes[r.To]
		first, last := r.Points[0], r.Points[len(r.Points)-1]
		for name, at := range map[string]struct {
			layout.Point
			layout.Box
		}{r.From: {first, from}, r.To: {last, to}} {
			if b := at.Box; at.Point.X < b.X || at.Point.X > b.X+b.W || at.Point.Y < b.Y || at.Point.Y > b.Y+b.H {
				t.Errorf("%s to %s does not touch %s", r.From, r.To, name)
			}
		}
		if r.Label != "" {
			label := layout.Box{X: r.At.X - 3*len(r.Label), Y: r.At.Y - 8, W: 6 * len(r.Label), H: 16}
			for _, b := range l.Boxes {
				if parent(b.Path) == parent(r.From) && overlap(label, b) {
					t.Errorf("the label %q stands on %s", r.Label, b.Path)
				}
			}
		}
		for i, p := range r.Points[1:] {
			if before := r.Points[i]; !r.Back && p.Y < before.Y {
				t.Errorf("%s to %s points up", r.From, r.To)
			}
			for _, b := range l.Boxes {
				if parent(b.Path) == parent(r.From) && crosses(r.Points[i], p, b) {
					t.Errorf("%s to %s runs through %s", r.From, r.To, b.Path)
				}
			}
		}
	}
}

// No drawing has boxes that overlap, edges that run through boxes or point up without
// closing a loop, or other bytes when it is made again.
func TestRandom(t *testing.T) {
	for seed := range uint64(400) {
		g := random(t, rand.New(rand.NewPCG(seed, 7)), 0)
		l := layout.Of(g.Drawing(), nil)
		if check(t, l); t.Failed() {
			t.Fatalf("seed %d\n%s", seed, g.Drawing().Text())
		}
		if again := layout.Of(g.Drawing(), nil); again.SVG() != l.SVG() {
			t.Fatalf("seed %d: another time it is drawn otherwise", seed)
		}
		drawn, edges := 0, 0
		count(g.Drawing(), &drawn, &edges)
		if len(l.Boxes) != drawn || len(l.Routes) != edges {
			t.Fatalf("seed %d: %d boxes of %d, %d edges of %d", seed, len(l.Boxes), drawn, len(l.Routes), edges)
		}
		wellFormed(t, l.SVG())
	}
}

func count(d graph.Drawing, boxes, edges *int) {
	*boxes += 2 + len(d.Nodes())
	*edges += len(d.Edges())
	for _, n := range d.Nodes() {
		if n.Subgraph != nil {
			count(*n.Subgraph, boxes, edges)
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v: %s", err, svg)
		}
	}
}

// A chain stands in one line, a loop leads up, and names stand as texts only.
func TestChain(t *testing.T) {
	g := graph.NewStateGraph(x)
	for _, n := range []string{"a", "b<script>", "c"} {
		g.AddNode(n, idle)
	}
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b<script>")
	g.AddConditionalEdges("b<script>", func(context.Context, nothing) (graph.Route, error) { return graph.To("c"), nil }, "a", "c", "b<script>")
	g.AddEdge("c", graph.End)
	c, err := g.Compile(&graph.CompileOptions{Name: `"chain"`})
	if err != nil {
		t.Fatal(err)
	}
	l := layout.Of(c.Drawing(), nil)
	check(t, l)
	middle := l.Boxes[0].X + l.Boxes[0].W/2
	for _, b := range l.Boxes {
		if at := b.X + b.W/2; at < middle-1 || at > middle+1 {
			t.Errorf("%s stands at %d, the start at %d", b.Path, at, middle)
		}
	}
	back := 0
	for _, r := range l.Routes {
		if r.Back {
			back++
		}
	}
	svg := l.SVG()
	wellFormed(t, svg)
	if back != 2 || strings.Contains(svg, "<script>") || !strings.Contains(svg, "b&lt;script&gt;") {
		t.Errorf("%d edges close a loop: %s", back, svg)
	}
}

// A marked node has its note in its box, its class and its link; the style of a file stays out
// of a page.
func TestMarks(t *testing.T) {
	g := graph.NewStateGraph(x)
	g.AddNode("a", idle)
	g.AddNode("b", idle)
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	g.AddEdge("b", graph.End)
	c, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := layout.Of(c.Drawing(), &layout.Options{Mark: func(path string) layout.Mark {
		if path != "a" {
			return layout.Mark{}
		}
		return layout.Mark{Class: `ran"`, Note: "ran 12 times <b>", Href: `#"1"`}
	}})
	check(t, l)
	svg := l.Inline()
	wellFormed(t, svg)
	for _, want := range []string{`class="node ran&#34;"`, "a · ran 12 times &lt;b&gt;</text>", `<a href="#&#34;1&#34;">`, `role="group"`, "a: ran 12 times &lt;b&gt;</desc>", `class="node" data-node="b"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if strings.Contains(svg, "<style") || !strings.Contains(l.SVG(), "<style") {
		t.Error("the style belongs to the file alone")
	}
	if wide := l.Boxes[1].W; wide < 20*7 {
		t.Errorf("a box of %d px holds the note of 20 characters", wide)
	}
}

// The graph inside a closed node is left out, and edges lead to the node as before.
func TestClosed(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for range 40 {
		d := random(t, r, 0).Drawing()
		inner := map[string]bool{}
		for _, n := range d.Nodes() {
			inner[n.Name] = n.Subgraph != nil
		}
		l := layout.Of(d, &layout.Options{Closed: func(path string) bool { return inner[path] }})
		check(t, l)
		for _, b := range l.Boxes {
			if b.Graph || strings.Contains(b.Path, "/") {
				t.Errorf("%s is drawn", b.Path)
			}
		}
		if len(l.Routes) != len(d.Edges()) {
			t.Errorf("%d edges of %d", len(l.Routes), len(d.Edges()))
		}
	}
}

func BenchmarkOf(b *testing.B) {
	d := random(b, rand.New(rand.NewPCG(3, 7)), 0).Drawing()
	for b.Loop() {
		layout.Of(d, nil)
	}
}
