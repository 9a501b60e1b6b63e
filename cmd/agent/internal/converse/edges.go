package converse

import (
	"errors"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/nodes/causal"
	"example.com/assay/serve/conversation"
)

var errNoEdge = errors.New("no edge was named: write one on each line, as CAUSE => EFFECT, or ask “Does the evidence show that A causes B?”")

// Edges verifies the causal edges of a message.
func Edges(d Desk) (graph.App, error) {
	p, err := d.Edges()
	if err != nil {
		return graph.App{}, err
	}
	return appOf("edges", conversation.Pipeline[causal.State]{
		Graph: p.Graph(),
		Check: func(t conversation.Turn) error {
			_, err := edgesOf(t.Text)
			return err
		},
		Ask: func(t conversation.Turn) graph.Update[causal.State] {
			edges, _ := edgesOf(t.Text) // Check has read them
			return causal.Input(edges)
		},
		Reply: func(final causal.State) conversation.Reply {
			answer, err := causal.Result(final, nil, d.Corpus)
			answer.Model, answer.Corpus = d.ModelLabel(), d.Corpus.Name()
			answer.In(d.Corpus.Name())
			r := shown(answer)
			if err != nil {
				r.note("reading what the edges quote: " + err.Error())
			}
			return r.done(d, answer, nil)
		},
	})
}

// edgesOf reads the edges of a message.
func edgesOf(text string) ([]causal.Edge, error) {
	if cause, effect, ok := causal.AskedIn(text); ok {
		return causal.Asked(causal.VerifyArguments{Cause: cause, Effect: effect}), nil
	}
	var edges []causal.Edge
	for n, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		line = strings.NewReplacer("->", "=>", "→", "=>").Replace(line)
		cause, effect, ok := strings.Cut(line, "=>")
		cause, effect = strings.Trim(cause, "-*• \t\r"), strings.TrimSpace(effect)
		if !ok || cause == "" || effect == "" {
			return nil, fmt.Errorf("line %d is not an edge: %w", n+1, errNoEdge)
		}
		e := causal.Asked(causal.VerifyArguments{Cause: cause, Effect: effect})[0]
		e.ID = fmt.Sprintf("e%d", len(edges)+1)
		edges = append(edges, e)
	}
	if len(edges) == 0 {
		return nil, errNoEdge
	}
	return edges, nil
}

// shown is the verdicts on edges as a message.
func shown(a causal.Answer) *reply {
	r := &reply{}
	r.printf("%s", a.Answer.Answer)
	r.heading("Edges")
	for _, e := range a.Edges {
		r.item("**%s → %s**: ", render.Line(e.FromVar), render.Line(e.ToVar))
		if e.Status == causal.EdgeGrounded {
			r.printf("grounded, confidence %.2f", e.Confidence)
		} else {
			r.printf("not grounded (%s)", strings.ReplaceAll(e.Rejection.Reason, "_", " "))
			if e.Rejection.Detail != "" {
				r.printf(": %s", render.Line(e.Rejection.Detail))
			}
		}
		r.evidence("", e.Evidence.Quotes, a.Sources)
	}
	for _, c := range a.DAG.Cycles {
		r.paragraph()
		r.printf("Left out of the graph, since it closes a cycle: %s", render.Line(c.Edge))
	}
	r.ended(a.Answer)
	return r
}
