// Package traceview prints the view of a run (package serve/view) for people at a terminal.
//
//	fmt.Print(traceview.Text(v, traceview.TextOptions{}))
//
// It reads no trace: package view makes the view.
package traceview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/serve/view"
	"example.com/assay/state/event"
)

// TextOptions say how much Text prints.
type TextOptions struct {
	Full   bool // every hit, and complete values on several lines
	Colour bool
}

const (
	shownHits  = 5
	shownRunes = 100 // characters of a value, at most
)

// Text prints a view for people, one block per superstep.
func Text(v view.View, o TextOptions) string {
	w := writer{TextOptions: o}
	w.head(v)
	for _, s := range v.Steps {
		w.line(0, "")
		w.line(0, w.strong(fmt.Sprintf("superstep %d", s.Step)))
		for i, n := range s.Nodes {
			inner := i+1 < len(s.Nodes) && strings.HasPrefix(s.Nodes[i+1].Name, n.Name+"/")
			if inner && !w.Full {
				n.Changed = nil // its inner nodes show it
			}
			w.node(n)
		}
	}
	w.usage(v)
	w.line(0, "")
	switch {
	case !v.Ended:
		w.line(0, "the trace ends before its run does: the run was killed, or the file was cut")
	case v.Error != "":
		w.line(0, fmt.Sprintf("failed after %s: %s", ms(v.ElapsedMS), v.Error))
	default:
		w.line(0, "done in "+ms(v.ElapsedMS))
	}
	return w.out.String()
}

// usage prints the model calls of all nodes together, and those of each node.
func (w *writer) usage(v view.View) {
	if len(v.Usage) == 0 {
		return
	}
	w.line(0, "")
	w.line(0, w.strong("models: "+v.Total.Words()))
	for _, line := range render.NodeUsage(v.Usage) {
		w.line(1, render.Visible(line))
	}
}

// A writer prints a view.
type writer struct {
	TextOptions
	out strings.Builder
}

func (w *writer) line(indent int, text string) {
	fmt.Fprintf(&w.out, "%s%s\n", strings.Repeat("  ", indent), text)
}

func (w *writer) strong(s string) string {
	if w.Colour {
		return "\x1b[1m" + s + "\x1b[0m"
	}
	return s
}

func ms(v float64) string { return fmt.Sprintf("%.1f ms", v) }

func (w *writer) head(v view.View) {
	title := fmt.Sprintf("%s, graph %.12s", v.Graph, v.Fingerprint)
	if v.Started != "" {
		title += ", " + v.Started
	}
	w.line(0, w.strong(render.Visible(title)))
	h := v.Header
	if h == nil {
		return
	}
	if h.RunID != "" {
		w.line(1, "run "+render.Visible(h.RunID))
	}
	for _, key := range slices.Sorted(maps.Keys(h.Config)) {
		value := h.Config[key]
		if !w.Full {
			value = cut(value)
		}
		w.line(1, render.Visible(fmt.Sprintf("%s: %s", key, value)))
	}
	for _, key := range slices.Sorted(maps.Keys(h.Skills)) {
		hash := h.Skills[key]
		if !w.Full {
			hash = fmt.Sprintf("%.12s", hash)
		}
		w.line(1, render.Visible(fmt.Sprintf("skill %s: %s", key, hash)))
	}
	if len(h.Input) > 0 {
		w.value(1, "input: ", h.Input)
	}
}

func (w *writer) node(n view.Node) {
	depth := 1 + strings.Count(n.Name, "/")
	title := fmt.Sprintf("%s  %s", n.Name, ms(n.MS))
	if n.Unfinished {
		title = n.Name + "  unfinished"
	}
	if n.Replayed {
		title = n.Name + "  from an earlier trace"
	}
	if n.Attempts > 1 {
		title += fmt.Sprintf(", attempt %d", n.Attempts)
	}
	w.line(depth, w.strong(render.Visible(title)))
	for _, c := range n.ModelCalls {
		outcome := "ok"
		if !c.OK {
			outcome = "failed: " + c.Error
		}
		if c.Repaired {
			outcome += ", a repair"
		}
		if c.Fallback != "" {
			outcome += ", instead of a model that failed: " + c.Fallback
		}
		w.line(depth+1, render.Visible(fmt.Sprintf("model %s, skill %s: %d tokens in, %d out%s, %s", c.Model, c.Skill, c.Usage.InputTokens, c.Usage.OutputTokens, c.Usage.CostWords(), outcome)))
	}
	for _, r := range n.Retrievals {
		w.retrieval(depth+1, r)
	}
	for _, name := range n.Custom {
		w.line(depth+1, render.Visible("event "+name))
	}
	if n.Error != "" {
		w.line(depth+1, render.Visible("error: "+n.Error))
	}
	for _, c := range n.Changed {
		op := "="
		if c.Op != "set" {
			op = c.Op
		}
		w.value(depth+1, fmt.Sprintf("%s %s ", c.Channel, op), c.Value)
	}
}

func (w *writer) retrieval(depth int, r event.Search) {
	w.line(depth, fmt.Sprintf("retrieval for step %d: %d hits of %d candidates, %d excluded, similarity %.3f, confidence %.2f",
		r.StepID, len(r.Hits), r.Candidates, r.Excluded, r.Similarity, r.Confidence))
	for i, q := range r.Queries {
		w.line(depth+1, render.Visible(fmt.Sprintf("query %d: %s", i+1, q)))
	}
	for i, h := range r.Hits {
		if i == shownHits && !w.Full {
			w.line(depth+1, fmt.Sprintf("… and %d more (--full)", len(r.Hits)-i))
			return
		}
		scores := make([]string, len(h.Scores))
		for k, s := range h.Scores {
			scores[k] = fmt.Sprintf("%s %.3f", s.Ranker, s.Value)
		}
		w.line(depth+1, render.Visible(fmt.Sprintf("hit %d: %s  (%s)", i+1, h.Passage, strings.Join(scores, ", "))))
	}
}

// value prints a JSON value after a label: shortened to one line, or complete.
func (w *writer) value(depth int, label string, value json.RawMessage) {
	if !w.Full {
		w.line(depth, render.Visible(label+brief(value)))
		return
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, strings.Repeat("  ", depth), "  "); err != nil {
		w.line(depth, render.Visible(label+string(value))) // not JSON: unchanged
		return
	}
	w.line(depth, render.Visible(label+b.String()))
}

// brief shortens a JSON value to one line.
func brief(value json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return cut(string(value))
	}
	return cut(compact.String())
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= shownRunes {
		return s
	}
	return string([]rune(s)[:shownRunes]) + fmt.Sprintf("… (%d bytes, --full)", len(s))
}
