package traces

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/research"
	"example.com/assay/serve/view"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// readTrace reads a trace file. An error names the line; the records before it are returned, too.
func readTrace(path string) ([]trace.Record, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading trace: %w", err)
	}
	records, err := trace.Read(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return records, fmt.Errorf("%s: %w", path, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: reading trace: it is empty; write one with: agent ask --trace %s QUESTION", path, path)
	}
	return records, nil
}

func onlyNode(v view.View, node string) (view.View, error) {
	only, ok := v.Only(node)
	if !ok {
		return v, cli.Usagef("--node is %q: no such node ran%s; there are: %s", node, text.DidYouMean(node, v.Nodes()), strings.Join(v.Nodes(), ", "))
	}
	return only, nil
}

// normalised is a normalised trace without prompts and answers of models, which golden traces leave
// out.
func normalised(records []trace.Record) []trace.Record {
	out := trace.Normalise(records)
	for i, rec := range out {
		var call event.Call
		if rec.Kind == event.ModelCall && json.Unmarshal(rec.Data, &call) == nil && call.Said != nil {
			call.Said = nil
			out[i].Data, _ = json.Marshal(call) // it was read from JSON
		}
	}
	return out
}

// difference is trace.Difference in JSON.
type difference struct {
	Index int      `json:"index"`
	Event string   `json:"event"`
	Field string   `json:"field,omitempty"`
	Was   string   `json:"was"`
	Is    string   `json:"is"`
	Path  []string `json:"path"`
}

// twoGraphs says in which way two traces belong to different graphs, "" if they do not.
func twoGraphs(was, is trace.Record) string {
	switch {
	case was.Graph != is.Graph:
		return fmt.Sprintf("these are runs of two graphs, %s and %s", was.Graph, is.Graph)
	case was.Fingerprint != is.Fingerprint:
		return fmt.Sprintf("graph %s has changed between these runs, from fingerprint %.12s to %.12s", was.Graph, was.Fingerprint, is.Fingerprint)
	}
	return ""
}

func printDifference(a *cli.App, graphs string, d trace.Difference, differ, asJSON bool) {
	switch {
	case asJSON:
		doc := struct {
			Schema     int         `json:"schema"`
			Equal      bool        `json:"equal"`
			Graphs     string      `json:"graphs,omitempty"` // set when the graphs differ
			Difference *difference `json:"difference,omitempty"`
		}{Schema: 1, Equal: !differ, Graphs: graphs}
		if differ {
			doc.Difference = &difference{d.Index, d.Event, d.Field, d.Was, d.Is, d.Path}
		}
		a.PrintJSON(doc)
	case differ:
		if graphs != "" {
			fmt.Fprintln(a.Stdout, graphs)
		}
		fmt.Fprintln(a.Stdout, d)
	default:
		fmt.Fprintln(a.Stdout, "the traces are equal except for times and run ids")
	}
}

// A replayed is the result of agent trace replay.
type replayed struct {
	Schema     int               `json:"schema"`
	Trace      string            `json:"trace"`
	Graph      string            `json:"graph"`
	From       string            `json:"from,omitempty"`
	Skill      string            `json:"skill,omitempty"`
	Given      []view.Value      `json:"given"` // skills and settings that differ from the trace
	Nodes      counted           `json:"nodes"`
	Calls      counted           `json:"model_calls"`
	Searches   counted           `json:"searches"`
	Equal      bool              `json:"equal"`
	Difference *difference       `json:"difference,omitempty"`
	Changed    []view.NodeChange `json:"changed"`
	Before     replayedAnswer    `json:"before"`
	After      replayedAnswer    `json:"after"`
}

// counted counts what was taken from the trace, and what was done again.
type counted struct {
	Taken int `json:"taken"`
	Made  int `json:"made"`
}

func (c *counted) add(rec trace.Record) {
	if rec.Replayed {
		c.Taken++
	} else {
		c.Made++
	}
}

// replayedAnswer is the answer of a run.
type replayedAnswer struct {
	Status     state.Status `json:"status"`
	Choice     string       `json:"choice,omitempty"`
	Confidence float64      `json:"confidence"`
	Answer     string       `json:"answer"`
	Error      string       `json:"error,omitempty"`
}

// newReplay compares a run with its replay.
func newReplay(path string, was, is []trace.Record) (replayed, error) {
	r := replayed{Schema: 1, Trace: path, Graph: was[0].Graph}
	nested := map[string]bool{} // tasks that ran a graph
	for _, rec := range is {
		if n := len(rec.Places); n > 1 {
			nested[fmt.Sprint(rec.Places[:n-1])] = true
		}
	}
	for _, rec := range is {
		switch rec.Kind {
		case graph.NodeUpdate.String():
			if !nested[fmt.Sprint(rec.Places)] { // the nodes of a nested graph are counted instead
				r.Nodes.add(rec)
			}
		case event.ModelCall:
			r.Calls.add(rec)
		case event.Retrieval:
			r.Searches.add(rec)
		}
	}
	c, err := view.Compare(was, is)
	if err != nil {
		return r, err
	}
	r.Given, r.Changed, r.Equal = c.Given, c.Nodes, c.First == nil
	if d := c.First; d != nil {
		r.Difference = &difference{d.Index, d.Event, d.Field, d.Was, d.Is, d.Path}
	}
	return r, nil
}

const (
	shownValue    = 90  // characters of a node's value, at most
	shownReplayed = 600 // characters of an answer, at most
)

// printReplay prints the result of a replay for people.
func printReplay(a *cli.App, r replayed) {
	point := "from its beginning"
	switch {
	case r.From != "":
		point = "from " + r.From
	case r.Skill != "":
		point = "from where it asked " + r.Skill
	}
	fmt.Fprintf(a.Stdout, "%s, a run of %s, again %s\n", r.Trace, r.Graph, point)
	for _, c := range r.Given {
		fmt.Fprintf(a.Stdout, "  with %s %s → %s\n", c.Name, brief(cmp.Or(c.Was, "absent")), brief(cmp.Or(c.Is, "absent")))
	}
	fmt.Fprintf(a.Stdout, "nodes: %d from the trace, %d run\n", r.Nodes.Taken, r.Nodes.Made)
	fmt.Fprintf(a.Stdout, "model calls: %d saved, %d made; searches: %d saved, %d made\n", r.Calls.Taken, r.Calls.Made, r.Searches.Taken, r.Searches.Made)
	if r.Equal {
		fmt.Fprintln(a.Stdout, "\nnothing changed")
		return
	}
	d := *r.Difference
	fmt.Fprintf(a.Stdout, "\nthe first difference: %s\n", render.Visible(trace.Difference(d).String()))
	if len(r.Changed) > 0 {
		fmt.Fprintln(a.Stdout, "\nnodes with other results:")
	}
	for _, n := range r.Changed {
		switch {
		case n.Gone:
			fmt.Fprintf(a.Stdout, "  %s  did not run again\n", n.Node)
		case n.New:
			fmt.Fprintf(a.Stdout, "  %s  had not run\n", n.Node)
		default:
			fmt.Fprintf(a.Stdout, "  %s\n", n.Node)
		}
		for _, c := range n.Changes {
			was, is := trace.Shorten(c.Was, c.Is, shownValue)
			fmt.Fprintln(a.Stdout, render.Visible(fmt.Sprintf("    %s: %s → %s", c.Name, was, is)))
		}
	}
	if r.Before == r.After {
		fmt.Fprintf(a.Stdout, "\nthe answer is as before: %s\n", r.After.line())
		return
	}
	was, is := trace.Shorten(research.WithoutSources(r.Before.Answer), research.WithoutSources(r.After.Answer), shownReplayed)
	for _, side := range []struct {
		name, text string
		replayedAnswer
	}{{"before", was, r.Before}, {"after", is, r.After}} {
		fmt.Fprintf(a.Stdout, "\n%s: %s\n", side.name, render.Visible(side.line()))
		for _, line := range strings.Split(strings.TrimSpace(side.text), "\n") {
			fmt.Fprintln(a.Stdout, strings.TrimRight("  "+render.Visible(line), " "))
		}
	}
}

// line shows the end of a run on one line.
func (r replayedAnswer) line() string {
	parts := []string{string(r.Status)}
	if r.Choice != "" {
		parts = append(parts, "choice "+r.Choice)
	}
	parts = append(parts, fmt.Sprintf("confidence %.2f", r.Confidence))
	if r.Error != "" {
		parts = append(parts, render.OneLine(r.Error))
	}
	return strings.Join(parts, ", ")
}

// brief shortens a hash or a setting.
func brief(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:12]) + "…"
	}
	return s
}
