package run

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"example.com/assay/graph/trace"
	"example.com/assay/serve/page/look"
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
	Graphs  string // how the graphs differ
	Equal   bool
	Found   view.Comparison
	Path    []string // nodes that both ran before the first difference
	Event   string
	Was, Is string // around the first difference
	Part    [2]string
	Figures []figure
	Nodes   []nodePair
	Input   []view.Field // of the states before the first superstep
	State   []view.Field
	Answers bool
}

// A figure is a number of both runs.
type figure struct {
	Name, A, B string
	Same       bool
}

// A nodePair compares one node in both runs.
type nodePair struct {
	Path, A, B string
}

const (
	partValue = 600 // most characters of the first difference
	pathShown = 12  // most nodes of the path before it
)

// Compare shows the differences between two runs, from the first differing event on.
func Compare(a, b *Side, found view.Comparison) (template.HTML, error) {
	data := compareData{A: a, B: b, Found: found, Graphs: twoGraphs(&a.View, &b.View), Figures: figures(a, b), Nodes: nodePairs(a, b)}
	if d := found.First; d != nil {
		data.Event, data.Path = d.Event, d.Path
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
	data.Answers = a.Answer != b.Answer
	data.Equal = found.First == nil && data.Graphs == "" && len(found.Given)+len(data.Input)+len(data.State) == 0 && !data.Answers
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

func figures(a, b *Side) []figure {
	var out []figure
	add := func(name string, of func(s *Side) string) {
		f := figure{Name: name, A: of(a), B: of(b)}
		f.Same = f.A == f.B
		out = append(out, f)
	}
	add("End", func(s *Side) string { word, _ := s.status(); return word })
	add("Error", func(s *Side) string { return s.View.Error })
	add("Supersteps", func(s *Side) string { return fmt.Sprint(len(s.View.Steps)) })
	add("Tasks", func(s *Side) string {
		n := 0
		for _, step := range s.View.Steps {
			n += len(step.Nodes)
		}
		return fmt.Sprint(n)
	})
	add("Model calls", func(s *Side) string { return fmt.Sprint(s.View.Total.Calls) })
	add("Tokens in", func(s *Side) string { return fmt.Sprint(s.View.Total.InputTokens) })
	add("Tokens out", func(s *Side) string { return fmt.Sprint(s.View.Total.OutputTokens) })
	add("Cost", func(s *Side) string { return cost(s.View.Total) })
	add("Time", func(s *Side) string {
		if s.View.ElapsedMS == 0 {
			return "not recorded"
		}
		return look.Duration(s.View.ElapsedMS)
	})
	return slices.DeleteFunc(out, func(f figure) bool { return f.Same && f.A == "" })
}

// nodePairs returns the nodes that differ between the runs, ignoring times.
func nodePairs(a, b *Side) []nodePair {
	was, is := a.View.Ran(), b.View.Ran()
	inB := map[string]view.Ran{}
	for _, n := range is {
		inB[n.Path] = n
	}
	word := func(s *Side, n view.Ran) string {
		if n.Tasks == 0 {
			return signs["never"] + " did not run"
		}
		return s.note(n)
	}
	var out []nodePair
	add := func(path string, x, y view.Ran) {
		if p := (nodePair{path, word(a, x), word(b, y)}); p.A != p.B {
			out = append(out, p)
		}
	}
	inA := map[string]bool{}
	for _, n := range was {
		inA[n.Path] = true
		add(n.Path, n, inB[n.Path])
	}
	for _, n := range is {
		if !inA[n.Path] {
			add(n.Path, view.Ran{}, n)
		}
	}
	return out
}
