package run

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// A Run is the data of a run's sections.
type Run struct {
	View view.View
	// App is the run's graph; nil if the program does not have it.
	App *graph.App
	// Why says in a sentence why the graph or the states are missing. Default: the program does not
	// have the graph, and the states were not recorded.
	Why string
	// Outcome is the run's own word for how it ended, such as "answered". Default: the status in its
	// end.
	Outcome string
	// Links are the addresses of the sections.
	Links Links
}

// Links are addresses of pages. A part without an address is on the same page.
type Links struct {
	Graph, Steps, Timeline string
	// Checkpoint returns the address of a saved state by its ID. Default: no address.
	Checkpoint func(id string) string
}

// TasksPerPage and StepsPerPage are the tasks and steps of a long run on one page.
const (
	StepsPerPage = 25
	TasksPerPage = 200
)

//go:embed *.tmpl
var files embed.FS

var sections = look.ParseFS(template.FuncMap{
	"value": valueOf, "text": textOf, "split": split,
	"kind": func(c view.Class) kind { return kinds[c] }, "outcome": outcome, "note": note, "took": took, "cost": cost, "answered": answered, "said": said,
	"parts": func(f view.Field) []view.Field { return f.Parts(mostParts) }, "grown": grown, "scores": scores,
}, files, "*.tmpl")

// section renders a part of a page.
func section(name string, data any) (template.HTML, error) { return look.Section(sections, name, data) }

// step returns the address of a superstep, by its position in the view.
func (r *Run) step(position int) string {
	anchor := "#" + r.anchor(position)
	switch {
	case r.Links.Steps != "":
		return at(r.Links.Steps, position/StepsPerPage*StepsPerPage) + anchor
	case r.leftOut(position):
		return "#left-out"
	}
	return anchor
}

// anchor returns the ID of a superstep's section.
func (r *Run) anchor(position int) string {
	s := r.View.Steps[position]
	if s.Attempt > 0 {
		return fmt.Sprintf("step-%d-attempt-%d", s.Step, s.Attempt)
	}
	return fmt.Sprintf("step-%d", s.Step)
}

// at returns the address of the page that begins at an entry.
func at(page string, from int) string {
	if from == 0 {
		return page
	}
	return fmt.Sprintf("%s?from=%d", page, from)
}

// opened returns the address of the graph with these nodes open.
func (r *Run) opened(paths []string) string {
	if len(paths) == 0 {
		paths = []string{""}
	}
	return r.Links.Graph + "?" + url.Values{"open": paths}.Encode() + "#graph"
}

// pages returns the pager of a part that stands on its own page.
func pages(what, page string, from, per, of int) look.Pager {
	if page == "" {
		return look.Pager{}
	}
	return look.Pages(what, from, per, of, func(from int) string { return at(page, from) + "#" + what })
}

// window returns the bounds of a page in a list of length of. A page outside the list becomes the
// first.
func window(from, per, of int) (int, int) {
	from = max(0, min(from, of-1)) / per * per
	return from, min(from+per, of)
}

// A kind is how pages show a class of tasks and nodes: the name of its style, a sign for readers who do
// not see colours, and words for nodes and tasks.
type kind struct{ Name, Sign, Tone, Ran, Word string }

var kinds = [...]kind{
	view.Never:   {"never", "–", "plain", "did not run", ""},
	view.Done:    {"done", "✓", "good", "ran", "done"},
	view.Stopped: {"stopped", "■", "warn", "not finished", "not finished"},
	view.Running: {"running", "▶", "plain", "running", "running"},
	view.Asked:   {"asked", "?", "warn", "asks", "asks"},
	view.Failed:  {"error", "✕", "bad", "failed", "failed"},
}

// outcome returns how pages show what became of a task.
func outcome(n *view.Node) kind {
	k := kinds[n.Class]
	switch {
	case n.Class != view.Done:
	case n.Replayed:
		k.Word = "from an earlier run"
	case n.Cached:
		k.Word = "not run: its result was saved"
	}
	return k
}

// A nodePath is a node's name and the names of the nodes around it.
type nodePath struct {
	Before, Name string
	Depth        int // the number of nodes around it, as far as pages show it
}

func split(path string) nodePath {
	at := strings.LastIndex(path, "/") + 1
	return nodePath{path[:at], path[at:], min(strings.Count(path, "/"), 3)}
}

// valueOf prepares a value for a cell of a table.
func valueOf(data json.RawMessage) look.Value { return look.ValueOf(data, 1, 140, 128<<10) }

// textOf prepares a value that is JSON, or a word such as "absent".
func textOf(s string) look.Value {
	if !json.Valid([]byte(s)) {
		data, err := json.Marshal(s)
		if err != nil {
			return look.Value{Short: s}
		}
		s = string(data)
	}
	return valueOf(json.RawMessage(s))
}
