package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

func (s *session) edgeSlash(ctx context.Context, text string) error {
	cause, effect, ok := strings.Cut(text, "=>")
	cause, effect = strings.TrimSpace(cause), strings.TrimSpace(effect)
	if !ok || cause == "" || effect == "" {
		return cli.Usagef("/edge needs: CAUSE => EFFECT")
	}
	return s.verifyEdge(ctx, cause, effect)
}

// verifyEdge runs the loop of one edge and prints its queries, verdicts and quotes as they
// are published.
func (s *session) verifyEdge(ctx context.Context, cause, effect string) error {
	if !s.interactive {
		fmt.Fprintf(s.Stdout, "> %s => %s\n\n", render.OneLine(cause), render.OneLine(effect))
	}
	p, err := s.engine.Edges()
	if err != nil {
		return err
	}
	in := causal.Input(causal.Asked(causal.VerifyArguments{Cause: cause, Effect: effect}))
	final, _, err := follow.Run(ctx, p.Graph(), in, &follow.Options[causal.State]{Observe: func(ev graph.Event[causal.State]) {
		if ofLoop(ev) {
			s.printLoop(ev.Name, ev.Data)
		}
	}})
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	if end := causal.End(final, nil); end.Status == state.StatusUnavailable {
		return cli.EndError{End: end}
	}
	e := final.Edges[0]
	verdict := fmt.Sprintf("grounded, confidence %.2f: the corpus shows that %s causes %s.", e.Confidence, e.FromVar, e.ToVar)
	if e.Status != causal.EdgeGrounded {
		verdict = fmt.Sprintf("not grounded, confidence %.2f (%s): %s", e.Confidence, e.Rejection.Reason, e.Rejection.Detail)
	}
	fmt.Fprintf(s.Stdout, "%s\n\n", render.Visible(render.OneLine(verdict)))
	return nil
}

// ofLoop reports whether the loop of an edge published an event, in whatever graph it runs.
func ofLoop[S any](ev graph.Event[S]) bool {
	return ev.Kind == graph.NodeCustom && slices.Contains([]string{causal.NodeRetrieve, causal.NodeRoute, causal.NodeDevil}, ev.Node)
}

// printLoop prints an event of the loop of an edge.
func (s *session) printLoop(name string, data json.RawMessage) {
	switch name {
	case event.Retrieval:
		var r event.EdgeSearch
		if err := json.Unmarshal(data, &r); err != nil {
			s.Warn("reading what was searched: %v", err)
			return
		}
		fmt.Fprintf(s.Stdout, "%d %s: %s: %s\n", r.Iteration, r.Side, render.Visible(render.OneLine(strings.Join(r.Queries, " | "))), cli.Count(len(r.Hits), "passage"))
	case event.Verdict:
		var a state.AuditEntry
		if err := json.Unmarshal(data, &a); err != nil {
			s.Warn("reading a verdict: %v", err)
			return
		}
		line := fmt.Sprintf("%d %s: %s, confidence %.2f → %s", a.Iteration, a.Node, a.Verdict.SupportType, a.Verdict.Confidence, a.Decision)
		if a.Note != "" {
			line += " (" + a.Note + ")"
		}
		fmt.Fprintln(s.Stdout, render.Visible(render.OneLine(line)))
		if q := a.Verdict.SupportingQuote; q != "" && a.Counts && a.Objection == nil {
			fmt.Fprintf(s.Stdout, "    “%s”\n", render.Visible(render.OneLine(q)))
		}
		if a.Objection != nil {
			for _, other := range a.Objection.AlternativeExplanations {
				fmt.Fprintf(s.Stdout, "    or: %s\n", render.Visible(render.OneLine(other)))
			}
		}
	}
}
