package graph_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// Observations of a thread and of a call, on both sides.

// told is the end of a call and the state that it returns.
func (r *refThread) told(end string) string {
	switch s, _ := r.root.shown(); {
	case strings.HasPrefix(end, "by hand"):
		return end
	case end == "interrupted":
		return fmt.Sprintf("%s %+v", end, s)
	default:
		return fmt.Sprintf("%s %+v", end, r.root.base())
	}
}

func simEnded(end simEnd) string { return fmt.Sprintf("%s %+v", simKind(end.err), end.out) }

// simKind says what kind of error a call returned.
func simKind(err error) string {
	var conflict *graph.ConflictError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, new(*graph.InterruptedError)):
		return "interrupted"
	case strings.HasSuffix(err.Error(), " fails"): // a failure that was on record has no type
		text := err.Error()
		return "failed " + strings.TrimSuffix(text[strings.LastIndex(text, ": ")+2:], " fails")
	case errors.As(err, new(*graph.RecursionError)):
		return "recursion"
	case errors.As(err, new(*graph.DrainedError)):
		return "drained"
	case errors.As(err, &conflict):
		return "conflict " + conflict.Channel
	case errors.Is(err, graph.ErrInvalidUpdate):
		return "invalid"
	}
	return "error " + err.Error()
}

// looks is what a caller sees of a thread.
func (r *refThread) looks(rows int, counts map[string]int) string {
	var b strings.Builder
	if len(r.rows) == 0 {
		return "nothing\n"
	}
	if rows == 0 {
		rows = len(r.rows)
	}
	for _, row := range r.rows[max(0, len(r.rows)-rows):] {
		fmt.Fprintf(&b, "%s %d %v %+v\n", row.Source, row.Step, row.Next, row.State)
	}
	s, conflict := r.root.shown()
	fmt.Fprintf(&b, "now %+v next %v conflict %t\n", s, r.root.left(), conflict != "")
	for _, q := range r.root.pending() {
		fmt.Fprintf(&b, "%s asks %s %s\n", q.Node, q.Key, q.Payload)
	}
	for _, what := range slices.Sorted(maps.Keys(r.most)) {
		if n := counts[what]; n < r.least[what] || n > r.most[what] {
			fmt.Fprintf(&b, "%s ran %d to %d times, and not %d\n", what, r.least[what], r.most[what], n)
		}
	}
	for what, n := range counts {
		if n > 0 && r.most[what] == 0 {
			fmt.Fprintf(&b, "%s must not run\n", what)
		}
	}
	return b.String()
}

func (s *sim) looks(newest int) string {
	ctx := context.Background()
	now, err := s.app.State(ctx, graph.Key{Thread: "t"})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return "nothing\n"
	} else if err != nil {
		return err.Error()
	}
	var rows []string
	for snap, err := range s.app.History(ctx, "t", &graph.HistoryOptions{Limit: newest}) {
		if err != nil {
			return err.Error()
		}
		rows = append(rows, fmt.Sprintf("%s %d %v %+v\n", snap.Source, snap.Step, snap.Next, snap.State))
	}
	slices.Reverse(rows)
	var b strings.Builder
	b.WriteString(strings.Join(rows, ""))
	fmt.Fprintf(&b, "now %+v next %v conflict %t\n", now.State, now.Next, now.Conflict != nil)
	for _, p := range now.Interrupts {
		fmt.Fprintf(&b, "%s asks %s %s\n", strings.TrimPrefix(p.Namespace+"/"+p.Node, "/"), p.Key, p.Payload)
	}
	return b.String()
}
