package run

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
)

// A Side is one of two compared runs.
type Side struct {
	Run
	Name   string // the run's name on the page
	Href   string // the run's page; may be empty
	Answer string // the answer, if known
	Shift  int    // difference between its superstep numbers on the page and in its records
}

// compareData is the data of compare.tmpl.
type compareData struct {
	A, B    *Side
	Found   view.Comparison
	Graphs  string // how the graphs differ
	Equal   bool
	Path    []string // nodes that both ran before the first difference
	Was, Is string   // around the first difference
	Part    [2]string
	Figures []pair
	Nodes   []pair       // that ran otherwise
	Input   []view.Field // of the states before the first superstep
	State   []view.Field
}

// A pair is a figure of both runs, or what a node did in them.
type pair struct{ Name, A, B string }

const (
	partValue = 600 // most characters of the first difference
	pathShown = 12  // most nodes of the path before it
)

// Compare shows the differences between two runs, from the first differing event on.
func Compare(a, b *Side, found view.Comparison) (template.HTML, error) {
	data := compareData{A: a, B: b, Found: found, Graphs: twoGraphs(&a.View, &b.View)}
	if d := found.First; d != nil {
		data.Path = d.Path
		if len(data.Path) > pathShown {
			data.Path = append([]string{"…"}, data.Path[len(data.Path)-pathShown:]...)
		}
		data.Was, data.Is = trace.Shorten(d.Was, d.Is, partValue)
		for i, side := range []*Side{a, b} {
			if at := slices.IndexFunc(side.View.Steps, func(s view.Step) bool { return s.Step == found.Step+side.Shift }); at >= 0 {
				data.Part[i] = side.step(at)
			}
		}
	}
	var err error
	if data.Input, err = statesDiffer(a.View.First, b.View.First); err == nil {
		data.State, err = statesDiffer(a.View.Last, b.View.Last)
	}
	if err != nil {
		return "", fmt.Errorf("comparing the states of two runs: %w", err)
	}
	if slices.ContainsFunc(found.Given, func(v view.Value) bool { return strings.HasPrefix(v.Name, "input ") }) {
		data.Input = nil // the input is shown by channel
	}
	data.Equal = found.First == nil && data.Graphs == "" && len(found.Given)+len(data.Input)+len(data.State) == 0 && a.Answer == b.Answer
	data.Figures = pairs(a.compared(), b.compared(), "none")
	data.Nodes = slices.DeleteFunc(pairs(a.notes(), b.notes(), kinds[view.Never].Sign+" did not run"), func(p pair) bool { return p.A == p.B })
	return section("compare", data)
}

// statesDiffer returns the places where two states differ; none if either is unknown.
func statesDiffer(a, b json.RawMessage) ([]view.Field, error) {
	if a == nil || b == nil {
		return nil, nil
	}
	fields, err := view.Changes(a, b)
	var out []view.Field
	for _, f := range fields {
		f.Added = nil // neither came first
		out = append(out, f.Parts(mostParts)...)
	}
	return out, err
}

// twoGraphs says how the graphs of two runs differ; "" if they do not.
func twoGraphs(a, b *view.View) string {
	switch {
	case a.Graph != b.Graph:
		return fmt.Sprintf("These are runs of two graphs, %s and %s.", a.Graph, b.Graph)
	case a.Fingerprint != b.Fingerprint:
		return fmt.Sprintf("The graph %s has changed between these runs, from %.12s to %.12s.", a.Graph, a.Fingerprint, b.Fingerprint)
	}
	return ""
}

// pairs joins figures of two runs by their names. Otherwise is what a run has without a figure.
func pairs(a, b []figure, otherwise string) []pair {
	var out []pair
	for _, f := range a {
		out = append(out, pair{f.Name, f.Value, otherwise})
	}
	for _, f := range b {
		at := slices.IndexFunc(out, func(p pair) bool { return p.Name == f.Name })
		if at < 0 {
			at = len(out)
			out = append(out, pair{f.Name, otherwise, ""})
		}
		out[at].B = f.Value
	}
	return out
}

// compared returns the figures of a run that are compared.
func (r *Run) compared() []figure {
	word, _, _ := r.ended()
	out := []figure{{Name: "End", Value: word}}
	if r.View.Error != "" {
		out = append(out, figure{Name: "Error", Value: r.View.Error})
	}
	for _, f := range r.figures() {
		if f.More != "" {
			f.Value += " (" + f.More + ")"
		}
		out = append(out, f)
	}
	return out
}

// notes says of each node what it did.
func (r *Run) notes() (out []figure) {
	for _, n := range r.View.Ran() {
		out = append(out, figure{Name: n.Path, Value: note(n)})
	}
	return out
}
