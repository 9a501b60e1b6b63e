package research

import (
	"math"

	"example.com/assay/memory/answer"
	"example.com/assay/state"
)

// relevance returns how well a run's passages answer its question, nil for a run without an answer.
// For several steps it is the mean.
func relevance(final state.Agent) *state.Relevance {
	done := final.Count(state.StepCompleted)
	if done == 0 {
		return nil
	}
	r := &state.Relevance{Retrieved: final.MeanConfidence(), Parts: final.Whole.Parts}
	r.Found = max(0, r.Parts-len(final.Whole.Missing))
	for _, step := range final.Plan {
		if step.Status != state.StepCompleted {
			continue
		}
		one := relevanceOf(final, step)
		r.Confidence += one.Confidence / float64(done)
		r.Match += one.Match / float64(done)
		r.Lead += one.Lead / float64(done)
		r.Absent += one.Absent / float64(done)
	}
	return r
}

// relevanceOf returns the relevance of one step.
func relevanceOf(s state.Agent, step state.Step) state.Relevance {
	fit := answer.Rank(asked(s, step), readable(step.Hits), &answer.Options{Most: 1, Confidence: step.Confidence})
	return state.Relevance{Confidence: math.Round(1e4*fit.Chance) / 1e4, Retrieved: step.Confidence, Match: fit.Top, Lead: fit.Lead, Absent: fit.Absent}
}

// asked returns the question that a step answers: the person's own, if it is the only step.
func asked(s state.Agent, step state.Step) string {
	if len(s.Plan) > 1 {
		return respelt(step.Question, step)
	}
	stem, _ := splitChoices(s.Objective)
	return respelt(stem, step)
}

func readable(hits []state.Hit) []answer.Source {
	out := make([]answer.Source, len(hits))
	for i, h := range hits {
		out[i] = answer.SourceOf(h)
	}
	return out
}
