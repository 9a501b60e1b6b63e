package evidence

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// composeNode asks a model to write an answer from the verified requirements, or to
// correct one that failed its review. A failed call is a loss, and the requirements
// are quoted in their order instead. References to ids that are not verified are
// dropped and kept as findings; ids in the text are for review.
func composeNode(m llm.Model, skill skills.Skill) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		verified := s.Verified()
		in := skills.ComposeInput{
			Question: s.Question, Requirements: make([]skills.QuotedRequirement, len(verified)),
			Conflicts: make([]skills.ComposeConflict, len(s.Conflicts)), Findings: make([]skills.ComposeFinding, len(s.Open)),
		}
		for i, r := range verified {
			in.Requirements[i] = quoted(r)
		}
		for i, c := range s.Conflicts {
			in.Conflicts[i] = skills.ComposeConflict{A: c.A, B: c.B, Kind: string(c.Kind)}
		}
		if len(s.Open) > 0 {
			in.Draft = s.Draft.Answer
		}
		for i, f := range s.Open {
			in.Findings[i] = skills.ComposeFinding{Kind: string(f.Kind), Text: f.Text, Detail: f.Detail}
		}
		out, usage, err := llm.Ask[skills.ComposeOutput](ctx, m, skill, in)
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[State]{usageChannel.Add(usage)}
		if err != nil {
			f := caught(NodeCompose, failure(err), err.Error(), "the answer could not be had")
			f.Revision, f.Outcome = s.Revisions, quotedInstead
			return append(update, findingsChannel.Add(f), lossesChannel.Add(state.LossOf("the composed answer, for which the requirements are quoted,", err)),
				draftChannel.Set(quoting(verified))), nil
		}
		for _, ref := range out.References {
			if kind, detail, bad := standing(s, ref.ID); bad && ref.Used {
				f := caught(NodeCompose, kind, ref.ID, detail)
				f.Revision, f.IDs, f.Outcome = s.Revisions, []string{llm.Cut(ref.ID, 80)}, "the reference is dropped"
				update = append(update, findingsChannel.Add(f))
			}
		}
		return append(update, draftChannel.Set(Draft{Answer: strings.TrimSpace(out.Answer), Confidence: GroundingConfidence(out.Confidence)})), nil
	}
}

const quotedInstead = "the verified requirements are quoted instead"

// quoting returns a draft of quotes only.
func quoting(verified []Requirement) Draft {
	return Draft{Answer: quotations(verified), Confidence: GroundedLow}
}

// standing returns the fault of citing an ID.
func standing(s State, id string) (kind state.FindingKind, detail string, bad bool) {
	at := slices.IndexFunc(s.Verdicts, func(v Verdict) bool { return v.ID == id })
	switch {
	case at < 0:
		return state.FindUnknownID, "no requirement has the id " + llm.Cut(id, 80), true
	case !s.Verdicts[at].Verified:
		return state.FindRejectedID, id + " is not verified: " + string(s.Verdicts[at].Reason), true
	}
	return "", "", false
}

// mostQuoted bounds an answer of quotes only.
const mostQuoted = 8

// quotations returns the lines that quote requirements, each once.
func quotations(list []Requirement) string {
	var lines []string
	for _, r := range list {
		if copied := slices.ContainsFunc(r.SameAs, func(id string) bool { return id < r.ID && has(list, id) }); !copied && len(lines) < mostQuoted {
			r.SameAs = slices.DeleteFunc(slices.Clone(r.SameAs), func(id string) bool { return !has(list, id) })
			lines = append(lines, quotation(r))
		}
	}
	return strings.Join(lines, "\n")
}

func has(list []Requirement, id string) bool {
	return slices.ContainsFunc(list, func(r Requirement) bool { return r.ID == id })
}
