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
	Name     string
	Drawing  template.HTML // empty without a drawing
	Unknown  string        // why there is no drawing
	Legend   []legendLine
	Open     string // the address with all subgraphs open; empty if they are
	Closed   string // the address with none open; empty if none is
	Channels []channelLine
}

// A legendLine counts the nodes with a class.
type legendLine struct {
	Class, Word string
	N           int
}

// A channelLine is a channel with its writers and its declared readers.
type channelLine struct {
	Graph, Name string
	Writers     []writerLine
}

type writerLine struct{ Node, Times, Href string }

// words are the classes of nodes, in legend order.
var words = []legendLine{{"done", "ran", 0}, {"running", "running", 0}, {"asked", "asks", 0}, {"error", "failed", 0}, {"stopped", "not finished", 0}, {"never", "did not run", 0}}

// Graph shows the declared graph with the path taken. Open lists, by path, the nodes whose graphs
// are drawn. Default: those in which a task failed, asks or has not ended, and a subgraph that ran
// and is the only one of its graph.
func (r *Run) Graph(open []string) (template.HTML, error) {
	data := graphData{Name: r.View.Graph}
	if data.Name == "" && r.App != nil {
		data.Name = r.App.Name()
	}
	ran := map[string]view.Ran{}
	for _, n := range r.View.Ran() {
		ran[n.Path] = n
	}
	for _, c := range r.View.Channels {
		line := channelLine{Graph: c.Namespace, Name: c.Name}
		for _, w := range c.Writers {
			line.Writers = append(line.Writers, writerLine{w.Node, times(w.Times), r.step(ran[w.Node].First)})
		}
		data.Channels = append(data.Channels, line)
	}
	switch {
	case r.App == nil && r.Why != "":
		data.Unknown = r.Why
	case r.App == nil:
		data.Unknown = fmt.Sprintf("This program has no graph %q, so that it cannot be drawn.", r.View.Graph)
	case r.View.Fingerprint == "" && !r.Live: // a run that has just begun has no recorded graph yet
		data.Unknown = "The events of the run do not say which graph ran."
	case r.View.Fingerprint != "" && r.App.Fingerprint() != r.View.Fingerprint:
		data.Unknown = fmt.Sprintf("The graph %q has changed since this run: its fingerprint was %s and is %s. It is not drawn, since the run took its way through the other one.", r.View.Graph, r.View.Fingerprint, r.App.Fingerprint())
	default:
		r.draw(&data, r.App.Drawing(), ran, open)
	}
	return section("graph", data)
}

// draw draws the graph with its marks.
func (r *Run) draw(data *graphData, d graph.Drawing, ran map[string]view.Ran, open []string) {
	inner := nested(d, "")
	if open == nil {
		open = r.openByThemselves(inner, ran)
	}
	open = slices.DeleteFunc(slices.Clone(open), func(path string) bool { return !slices.Contains(inner, path) })
	shown := func(path string) bool { return slices.Contains(open, path) }
	counts := map[string]int{}
	l := layout.Of(d, &layout.Options{
		Closed: func(path string) bool { return !shown(path) },
		Mark: func(path string) layout.Mark {
			n := ran[path]
			m := layout.Mark{Class: r.class(n), Note: r.note(n)}
			if !shown(path) || !slices.Contains(inner, path) {
				counts[m.Class]++ // a subgraph counts by its nodes
			}
			if n.Tasks > 0 {
				m.Href = r.step(n.First)
			}
			if slices.Contains(inner, path) && r.Links.Graph != "" {
				m.Href = r.opened(toggled(open, path))
			}
			if slices.Contains(inner, path) && !shown(path) {
				m.Class += " closed"
				m.Note = strings.TrimPrefix(m.Note+", a graph inside", ", ")
			}
			return m
		},
	})
	data.Drawing = template.HTML(l.Inline()) // layout escapes what it writes
	for _, w := range words {
		if w.N = counts[w.Class]; w.N > 0 {
			data.Legend = append(data.Legend, w)
		}
	}
	if r.Links.Graph == "" {
		return
	}
	if len(open) < len(inner) {
		data.Open = r.opened(inner)
	}
	if len(open) > 0 {
		data.Closed = r.opened(nil)
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
		class := r.class(ran[path])
		return class == "never" || class == "done" && !alone(inner, path)
	})
}

// alone reports whether a node is the only one of its graph with a subgraph.
func alone(inner []string, path string) bool {
	before := split(path).Before
	return !slices.ContainsFunc(inner, func(other string) bool { return other != path && split(other).Before == before })
}

// class returns the class of a node.
func (r *Run) class(n view.Ran) string {
	switch {
	case n.Tasks == 0:
		return "never"
	case n.Failed > 0:
		return "error"
	case n.Asked > 0:
		return "asked"
	case n.Unfinished > 0 && r.Live:
		return "running"
	case n.Unfinished > 0:
		return "stopped"
	}
	return "done"
}

// note describes what happened in a node, and how often.
func (r *Run) note(n view.Ran) string {
	if n.Tasks == 0 {
		return ""
	}
	class := r.class(n)
	var out []string
	for _, w := range words {
		if w.Class == class {
			out = append(out, signs[class]+" "+w.Word)
		}
	}
	switch {
	case n.Tasks == 1:
	case n.Supersteps == 1:
		out[0] += fmt.Sprintf(" ×%d", n.Tasks)
	case n.AtOnce == 1:
		out[0] += fmt.Sprintf(" %d times", n.Tasks)
	default:
		out[0] += fmt.Sprintf(" %d times, up to ×%d at once", n.Tasks, n.AtOnce)
	}
	for _, x := range []struct {
		n    int
		what string
	}{{n.Again, "retried"}, {n.Handled, "handled an error"}, {n.Replayed, "from an earlier run"}, {n.Cached, "saved"}} {
		switch {
		case x.n == 1 && n.Tasks == 1 || x.n == n.Tasks && x.n > 0:
			out = append(out, x.what)
		case x.n > 0:
			out = append(out, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(out, ", ")
}
