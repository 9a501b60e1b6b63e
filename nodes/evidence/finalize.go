package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// finalizeNode completes the answer. It quotes the omitted side of a conflict, names
// conflicts, counts the evidence and sums it up. An answer without a statement is empty.
// Topics of the question that no passage has are missing.
func finalizeNode() graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		verified := s.Verified()
		answer := s.Draft.Answer
		for range s.Conflicts { // an added quote may conflict with a third requirement
			for _, side := range oneSided(s.Conflicts, Statements(answer)) {
				at := slices.IndexFunc(verified, func(r Requirement) bool { return r.ID == side.lacks })
				r := verified[at]
				r.SameAs = nil
				answer += "\n" + quotation(r)
			}
		}
		statements := Statements(answer)
		for _, c := range s.Conflicts {
			if cites(statements, c.A) && cites(statements, c.B) {
				answer += "\n" + conflictLine(c)
			}
		}
		statements = Statements(answer)
		if len(verified) == 0 {
			answer, statements = "", nil
		}
		var missing []string
		if len(s.Hits) > 0 {
			missing = Missing(s.Question, s.Hits)
		}
		return graph.Update[State]{
			missingChannel.Add(missing...), answerChannel.Set(answer), statementsChannel.Set(statements), groundingChannel.Set(grounding(verified, statements)),
			statuteSummaryChannel.Set(summary(verified, statements, Statute)), policySummaryChannel.Set(summary(verified, statements, Policy)),
		}, nil
	}
}

func cites(statements []Statement, id string) bool {
	return slices.ContainsFunc(statements, func(s Statement) bool { return slices.Contains(s.IDs, id) })
}

// conflictLine names a conflict, in words of the two requirements.
func conflictLine(c Conflict) string {
	return fmt.Sprintf("- Conflict (%s): “%s” against “%s” [%s, %s]", c.Kind, oneLine(c.WordsA), oneLine(c.WordsB), c.A, c.B)
}

// grounding rates the evidence of an answer: the number of verified requirements, and
// whether the cited ones are explicit.
func grounding(verified []Requirement, statements []Statement) GroundingConfidence {
	if len(statements) == 0 || len(verified) == 0 {
		return GroundedInsufficient
	}
	explicit, inferred := true, false
	for _, r := range verified {
		explicit = explicit && r.Confidence == ExtractHigh
		inferred = inferred || r.Confidence == ExtractLow && cites(statements, r.ID)
	}
	switch n := len(verified); {
	case n == 1 || inferred:
		return GroundedLow
	case n >= 5 && explicit:
		return GroundedHigh
	}
	return GroundedMedium
}

// mostSummed bounds a summary, in requirements.
const mostSummed = 5

// summary quotes the verified requirements of a kind, cited ones first.
func summary(verified []Requirement, statements []Statement, kind SourceType) string {
	var used, other []string
	for _, r := range verified {
		line := "“" + r.Spoken() + "” [" + r.ID + "]"
		switch {
		case r.SourceType != kind:
		case cites(statements, r.ID):
			used = append(used, line)
		default:
			other = append(other, line)
		}
	}
	all := append(used, other...)
	return strings.Join(all[:min(len(all), mostSummed)], " ")
}
