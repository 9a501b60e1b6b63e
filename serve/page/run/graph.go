package run

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/layout"
	"example.com/assay/serve/view"
)

// graphData is what graph.tmpl shows.
type graphData struct {
	*Run
	Drawing template.HTML // empty without a drawing
	Unknown string        // why there is no drawing
	Legend  []legendLine
	Open    string // the address with all subgraphs open; empty if they are
	Closed  string // the address with none open; empty if none is
	ran     map[string]view.Ran
}

// A legendLine counts the nodes of a class.
type legendLine struct {
	kind
	N int
}

// Graph shows the declared graph with the path taken. Open lists, by path, the nodes whose graphs
// are drawn. Default: those in which a task failed, asks or has not ended, and a subgraph that ran
// and is the only one of its graph; in a file those that ran, and all while the run goes on.
func (r *Run) Graph(open []string) (template.HTML, error) {
	data := graphData{Run: r, Unknown: r.unknown(), ran: map[string]view.Ran{}}
	for _, n := range r.View.Ran() {
		data.ran[n.Path] = n
	}
	if data.Unknown == "" {
		data.draw(r.App.Drawing(), open)
	}
	return section("graph", &data)
}

// unknown says why the graph cannot be drawn; "" if it can.
func (r *Run) unknown() string {
	v := &r.View
	switch {
	case r.App == nil && r.Why != "":
		return r.Why
	case r.App == nil:
		return fmt.Sprintf("This program has no graph %q, so that it cannot be drawn.", v.Graph)
	case v.Fingerprint == "" && !v.Live: // a run that has just begun has no recorded graph yet
		return "The events of the run do not say which graph ran."
	case v.Fingerprint != "" && r.App.Fingerprint() != v.Fingerprint:
		return fmt.Sprintf("The graph %q has changed since this run: its fingerprint was %s and is %s. It is not drawn, since the run took its way through the other one.", v.Graph, v.Fingerprint, r.App.Fingerprint())
	}
	return ""
}

// Ran returns the address of the superstep in which a node ran first.
func (d *graphData) Ran(node string) string { return d.step(d.ran[node].First) }

// draw draws the graph with its marks.
func (d *graphData) draw(declared graph.Drawing, open []string) {
	inner := nested(declared, "")
	if open == nil {
		open = d.openByThemselves(inner, d.ran)
	}
	open = slices.DeleteFunc(slices.Clone(open), func(path string) bool { return !slices.Contains(inner, path) })
	counts := [len(kinds)]int{}
	l := layout.Of(declared, &layout.Options{
		Closed: func(path string) bool { return !slices.Contains(open, path) },
		Mark: func(path string) layout.Mark {
			n, subgraph, shown := d.ran[path], slices.Contains(inner, path), slices.Contains(open, path)
			m := layout.Mark{Class: kinds[n.Class].Name, Note: note(n)}
			if !shown {
				counts[n.Class]++ // a subgraph counts by its nodes
			}
			if n.Tasks > 0 {
				m.Href = d.Ran(path)
			}
			if subgraph && d.Links.Graph != "" {
				m.Href = d.opened(toggled(open, path))
			}
			if subgraph && !shown {
				m.Class += " closed"
				m.Note = strings.TrimPrefix(m.Note+", a graph inside", ", ")
			}
			return m
		},
	})
	d.Drawing = template.HTML(l.Inline()) // layout escapes what it writes
	for class := len(kinds) - 1; class >= 0; class-- {
		if counts[class] > 0 {
			d.Legend = append(d.Legend, legendLine{kinds[class], counts[class]})
		}
	}
	if len(open) < len(inner) && d.Links.Graph != "" {
		d.Open = d.opened(inner)
	}
	if len(open) > 0 && d.Links.Graph != "" {
		d.Closed = d.opened(nil)
	}
}

// toggled returns the list with a path added, or removed together with the paths inside it.
func toggled(open []string, path string) []string {
	if !slices.Contains(open, path) {
		return append(slices.Clone(open), path)
	}
	return slices.DeleteFunc(slices.Clone(open), func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

// nested returns the nodes with subgraphs, outer ones first.
func nested(d graph.Drawing, prefix string) (out []string) {
	for _, n := range d.Nodes() {
		if n.Subgraph != nil {
			out = append(out, prefix+n.Name)
			out = append(out, nested(*n.Subgraph, prefix+n.Name+"/")...)
		}
	}
	return out
}

// openByThemselves returns the nodes whose graphs are drawn by default: see Graph.
func (r *Run) openByThemselves(inner []string, ran map[string]view.Ran) []string {
	return slices.DeleteFunc(slices.Clone(inner), func(path string) bool {
		class := ran[path].Class
		if r.View.Live {
			return false
		}
		return class == view.Never || class == view.Done && r.Links.Graph != "" && !alone(inner, path)
	})
}

// alone reports whether a node is the only one of its graph with a subgraph.
func alone(inner []string, path string) bool {
	before := split(path).Before
	return !slices.ContainsFunc(inner, func(other string) bool { return other != path && split(other).Before == before })
}

// note describes what happened in a node, and how often.
func note(n view.Ran) string {
	if n.Tasks == 0 {
		return ""
	}
	out := kinds[n.Class].Sign + " " + kinds[n.Class].Ran
	switch {
	case n.Tasks == 1:
	case n.Supersteps == 1:
		out += fmt.Sprintf(" ×%d", n.Tasks)
	case n.AtOnce == 1:
		out += fmt.Sprintf(" %d times", n.Tasks)
	default:
		out += fmt.Sprintf(" %d times, up to ×%d at once", n.Tasks, n.AtOnce)
	}
	for _, x := range []struct {
		n    int
		what string
	}{{n.Again, "retried"}, {n.Handled, "handled an error"}, {n.Replayed, "from an earlier run"}, {n.Cached, "saved"}} {
		switch {
		case x.n == 1 && n.Tasks == 1 || x.n == n.Tasks && x.n > 0:
			out += ", " + x.what
		case x.n > 0:
			out += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return out
}
