package evidence

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/decide/obligation"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// verifyNode judges the one requirement in its state. It rejects a quote that code finds incomplete
// without asking a model. A verdict is a loss if the call failed, if it is about another
// requirement, or if it both verifies and rejects; the requirement then is not verified.
func verifyNode(m llm.Model, skill skills.Skill) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		var update graph.Update[State]
		for _, r := range s.Requirements {
			j, err := judge(ctx, m, skill, s.Question, s.Least, r)
			if err != nil {
				return nil, err
			}
			update = append(update, verdictsChannel.Add(j.verdict), usageChannel.Add(j.usage), findingsChannel.Add(j.findings...))
			update = append(update, lost(j.losses)...)
		}
		return update, nil
	}
}

// judged is the result for one requirement.
type judged struct {
	verdict  Verdict
	findings []Finding
	losses   []state.Loss
	usage    state.ModelUsage
}

func judge(ctx context.Context, m llm.Model, skill skills.Skill, question string, least float64, r Requirement) (judged, error) {
	j := judged{verdict: Verdict{ID: r.ID}}
	if !obligation.Complete(r.Quote, len(r.Stems) > 0 || r.Whole && r.Label != "") {
		j.verdict.Reason, j.verdict.Rationale = state.IncompleteQuote, "The quote leans on words before it, or breaks off."
		return j, nil
	}
	asked := quoted(r)
	asked.Least = least
	out, usage, err := llm.Ask[skills.GroundingOutput](ctx, m, skill, skills.GroundingInput{Question: question, Requirement: asked})
	if err := llm.Stops(ctx, err); err != nil {
		return j, err
	}
	j.usage = usage
	switch {
	case err != nil:
		j.lose(failure(err), err.Error(), fmt.Errorf("the verdict could not be had: %w", err))
	case out.ID != r.ID:
		j.lose(state.FindUnknownID, out.ID, verdictError(fmt.Sprintf("the verdict is on %q, and %s was asked about", llm.Cut(out.ID, 80), r.ID)))
	case out.Verified && out.Reason != none:
		j.lose(state.FindNotJSON, out.Reason, verdictError("the verdict both verifies and rejects: "+out.Reason))
	case out.Verified:
		j.verdict.Verified, j.verdict.Rationale = true, strings.TrimSpace(out.Rationale)
	case out.Reason == none:
		j.verdict.Reason, j.verdict.Rationale = state.NeedsInference, strings.TrimSpace(out.Rationale)
	default:
		j.verdict.Reason, j.verdict.Rationale = state.RejectionReason(out.Reason), strings.TrimSpace(out.Rationale)
	}
	return j, nil
}

// lost returns the update with losses, if there are any.
func lost(losses []state.Loss) graph.Update[State] {
	if len(losses) == 0 {
		return nil
	}
	return graph.Update[State]{lossesChannel.Add(losses...)}
}

// none is the reason of a verdict that does not reject.
const none = "none"

// A verdictError is an unusable verdict.
type verdictError string

func (e verdictError) Error() string      { return string(e) }
func (e verdictError) Cause() state.Cause { return state.CauseModel }

// lose records that there is no verdict.
func (j *judged) lose(kind state.FindingKind, words string, why error) {
	v := &j.verdict
	f := caught(NodeVerify, kind, words, why.Error())
	f.IDs, f.Outcome = []string{v.ID}, "the requirement is not verified"
	v.Reason, v.Rationale, v.Error = state.NotJudged, "The requirement could not be verified.", why.Error()
	j.findings, j.losses = append(j.findings, f), append(j.losses, state.LossOf("the verdict on "+v.ID, why))
}

// quoted returns a requirement in the form for models.
func quoted(r Requirement) skills.QuotedRequirement {
	section := strings.TrimPrefix(r.Heading+" > "+text.OneLine(r.Label), " > ")
	return skills.QuotedRequirement{ID: r.ID, SourceType: string(r.SourceType), Document: r.Title, Section: strings.TrimSuffix(section, " > "), Quote: r.Spoken(), Relevance: r.Relevance, Answers: r.Answers}
}

// settleNode finds conflicts between the verified requirements, and decides whether there is
// anything to compose from.
func settleNode() graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		verified := s.Verified()
		if len(verified) == 0 {
			return graph.Update[State]{decisionChannel.Set(decideFinalize)}, nil
		}
		found, err := conflicts(ctx, verified)
		if err != nil {
			return nil, err
		}
		return graph.Update[State]{conflictsChannel.Set(found), decisionChannel.Set(decideCompose)}, nil
	}
}
