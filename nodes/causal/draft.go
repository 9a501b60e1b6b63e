package causal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Limits of the texts of an edge, in bytes.
const (
	MaxVariable = 500
	MaxText     = 4000 // of a mechanism or a chain of thought
)

// draftBatch is the number of passages per call.
const draftBatch = 8

// Draft drafts edges from passages, in batches and in order. Of several edges between one pair of
// variables it keeps the first. An edge needs two different variables. A draft has no evidence: the
// pipeline finds it. The edges get the IDs "e1", "e2" ….
//
// Progress may be nil; it gets the number of passages done. The error is the model's; the edges
// drafted before it are returned with it.
func Draft(ctx context.Context, m llm.Model, set *skills.Set, passages []state.Passage, progress func(done, total int)) ([]Edge, state.ModelUsage, error) {
	var usage state.ModelUsage
	if m == nil || set == nil {
		return nil, usage, errors.New("drafting edges: a model and skills are needed")
	}
	skill, err := set.Get(skills.DraftEdges)
	if err != nil {
		return nil, usage, fmt.Errorf("drafting edges: %w", err)
	}
	edges := []Edge{}
	seen := map[[2]string]bool{}
	for at := 0; at < len(passages); at += draftBatch {
		batch := passages[at:min(at+draftBatch, len(passages))]
		in := skills.DraftEdgesInput{Sources: make([]skills.Source, len(batch))}
		for i, p := range batch {
			in.Sources[i] = skills.Source{N: i + 1, Title: p.Title, Section: p.Section, Text: p.Text}
		}
		out, spent, err := llm.Ask[skills.DraftEdgesOutput](ctx, m, skill, in)
		usage = usage.Plus(spent)
		if err != nil {
			return edges, usage, fmt.Errorf("drafting edges from %s: %w", batch[0].Where(), err)
		}
		for _, d := range out.Edges {
			from, to := strings.TrimSpace(d.From), strings.TrimSpace(d.To)
			key := [2]string{Variable(from), Variable(to)}
			if from == "" || to == "" || key[0] == key[1] || seen[key] || len(from) > MaxVariable || len(to) > MaxVariable {
				continue
			}
			seen[key] = true
			e := drafted(Edge{
				ID: fmt.Sprintf("e%d", len(edges)+1), FromVar: from, ToVar: to, Mechanism: llm.Cut(strings.TrimSpace(d.Mechanism), MaxText),
				Strength: Strength(d.Strength), ChainOfThought: llm.Cut(strings.TrimSpace(d.ChainOfThought), MaxText),
			})
			if !slices.Contains(Strengths(), e.Strength) {
				e.Strength = Moderate
			}
			edges = append(edges, e)
		}
		if progress != nil {
			progress(at+len(batch), len(passages))
		}
	}
	return edges, usage, nil
}
