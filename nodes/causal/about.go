package causal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state/proof"
)

// About describes the pipeline.
func About() pipeline.Pipeline {
	return pipeline.Pipeline{
		Name: "edges", Verb: "edges verify", Tool: "verify_edges", Title: "Verify causal edges",
		Does:   "checks the edges of a causal graph one by one",
		Offer:  "Check causes and effects",
		About:  "Checks whether a corpus shows that one thing causes another, with quotes.",
		Prompt: "Check these causal claims with the tool verify_edges%s. Say of each whether the documents show it, with the quotes.\n\n%s",
		Message: pipeline.Field{
			Name: "edges", Help: "one edge on each line: CAUSE => EFFECT", Needed: true,
			Schema: `{"type":"array","items":{"type":"object","properties":{"cause":{"type":"string"},"effect":{"type":"string"}},"required":["cause","effect"],"additionalProperties":false}}`,
			Text:   linesOf,
		},
		Corpus: pipeline.Always,
		Skills: Skills(),
		Proof:  func(answer json.RawMessage) (proof.Proof, error) { return proof.Read(answer, Answer.Proof) },
	}
}

// Instance is the pipeline without the type of its state.
func (p *Pipeline) Instance() pipeline.Instance {
	return pipeline.Of(pipeline.Typed[State]{
		Graph: p.graph,
		Check: func(t conversation.Turn) error {
			_, err := named(t.Text)
			return err
		},
		Input: func(t conversation.Turn) graph.Update[State] {
			edges, _ := named(t.Text) // Check has read them
			return Input(edges)
		},
		Answer: func(final State, runErr error, files pipeline.Library) (pipeline.Answer, error) {
			answer, err := Result(final, runErr, files)
			return &answer, err
		},
	})
}

var errNoEdge = errors.New("no edge was named: write one on each line, as CAUSE => EFFECT, or ask “Does the evidence show that A causes B?”")

// named reads the edges that a message names.
func named(text string) ([]Edge, error) {
	if cause, effect, ok := AskedIn(text); ok {
		return Asked(VerifyArguments{Cause: cause, Effect: effect}), nil
	}
	var edges []Edge
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
		e := Asked(VerifyArguments{Cause: cause, Effect: effect})[0]
		e.ID = fmt.Sprintf("e%d", len(edges)+1)
		edges = append(edges, e)
	}
	if len(edges) == 0 {
		return nil, errNoEdge
	}
	return edges, nil
}

// linesOf writes a list of edges as a message.
func linesOf(argument json.RawMessage) (string, error) {
	var edges []struct{ Cause, Effect string }
	if err := json.Unmarshal(argument, &edges); err != nil {
		return "", fmt.Errorf("reading the edges: %w", err)
	}
	if len(edges) == 0 {
		return "", errors.New("name an edge: a cause and its effect")
	}
	var lines []string
	for _, e := range edges {
		if words := e.Cause + e.Effect; strings.ContainsAny(words, "\n\r") || strings.Contains(words, "=>") || strings.TrimSpace(e.Cause) == "" || strings.TrimSpace(e.Effect) == "" {
			return "", fmt.Errorf("the edge %q to %q: give a cause and an effect, each in one line without \"=>\"", e.Cause, e.Effect)
		}
		lines = append(lines, e.Cause+" => "+e.Effect)
	}
	return strings.Join(lines, "\n"), nil
}
