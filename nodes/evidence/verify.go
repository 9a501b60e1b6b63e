package evidence

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/obligation"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Verify judges the one requirement of its state. A quote that code finds
// incomplete is rejected without a model, and a verdict on another requirement
// than the one that was asked about does not count.
func Verify(m llm.Model, skill skills.Skill) graph.Node[state.Comply] {
	return func(ctx context.Context, s state.Comply) (graph.Update[state.Comply], error) {
		var update graph.Update[state.Comply]
		for _, r := range s.Requirements {
			verdict, findings, usage, err := judge(ctx, m, skill, s.Question, r)
			if err != nil {
				return nil, err
			}
			update = append(update, state.ComplyVerdicts.Add(verdict), state.ComplyUsage.Add(usage), state.ComplyFindings.Add(findings...))
		}
		return update, nil
	}
}

func judge(ctx context.Context, m llm.Model, skill skills.Skill, question string, r state.Requirement) (state.RequirementVerdict, []state.ComplyFinding, state.ModelUsage, error) {
	v := state.RequirementVerdict{ID: r.ID}
	if !obligation.Complete(r.Quote, len(r.Stems) > 0) {
		v.Reason, v.Rationale = state.IncompleteQuote, "The quote leans on words before it, or breaks off."
		return v, nil, state.ModelUsage{}, nil
	}
	out, usage, err := llm.Ask[skills.GroundingOutput](ctx, m, skill, skills.GroundingInput{Question: question, Requirement: quoted(r)})
	if err := llm.Stops(ctx, err); err != nil {
		return v, nil, usage, err
	}
	reject := func(kind state.FindingKind, words, detail string) (state.RequirementVerdict, []state.ComplyFinding, state.ModelUsage, error) {
		f := caught(NodeVerify, kind, words, detail)
		f.IDs, f.Outcome = []string{r.ID}, "the requirement is rejected"
		v.Reason, v.Rationale, v.Error = state.NeedsInference, "The requirement could not be verified.", detail
		return v, []state.ComplyFinding{f}, usage, nil
	}
	switch {
	case err != nil:
		return reject(state.FindNotJSON, err.Error(), "the verdict could not be read: "+err.Error())
	case out.ID != r.ID:
		return reject(state.FindUnknownID, out.ID, fmt.Sprintf("the verdict is on %q, and %s was asked about", llm.Cut(out.ID, 80), r.ID))
	}
	v.Verified, v.Rationale = out.Verified, strings.TrimSpace(out.Rationale)
	switch reason := state.RejectionReason(out.Reason); {
	case v.Verified && out.Reason != "none":
		return reject(state.FindNotJSON, out.Reason, "the verdict both verifies and rejects")
	case !v.Verified && out.Reason == "none":
		v.Reason = state.NeedsInference
	case !v.Verified:
		v.Reason = reason
	}
	return v, nil, usage, nil
}

// quoted is a requirement as models read it.
func quoted(r state.Requirement) skills.QuotedRequirement {
	return skills.QuotedRequirement{ID: r.ID, SourceType: string(r.SourceType), Document: r.Title, Section: r.Heading, Quote: r.Spoken()}
}

// Settle looks for conflicts between the verified requirements, and decides
// whether there is anything to compose from.
func Settle() graph.Node[state.Comply] {
	return func(ctx context.Context, s state.Comply) (graph.Update[state.Comply], error) {
		verified := s.Verified()
		if len(verified) == 0 {
			return graph.Update[state.Comply]{state.ComplyDecided.Set(state.ComplyFinalize)}, nil
		}
		found, err := conflicts(ctx, verified)
		if err != nil {
			return nil, err
		}
		return graph.Update[state.Comply]{state.ComplyConflicts.Set(found), state.ComplyDecided.Set(state.ComplyCompose)}, nil
	}
}
