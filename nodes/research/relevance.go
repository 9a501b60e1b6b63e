package research

import (
	"math"

	"example.com/assay/memory/answer"
	"example.com/assay/state"
)

// relevance is how well a run's passages answer its question, nil for a run
// without an answer. Of several steps it is the mean.
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
		r.Match += one.Match / float64(done)
		r.Lead += one.Lead / float64(done)
		r.Absent += one.Absent / float64(done)
	}
	r.Confidence = calibrated(*r)
	return r
}

// relevanceOf is the relevance of one step.
func relevanceOf(s state.Agent, step state.Step) state.Relevance {
	fit := answer.Rank(asked(s, step), readable(step.Hits), 1, nil)
	r := state.Relevance{Retrieved: step.Confidence, Match: fit.Top, Lead: fit.Lead, Absent: fit.Absent}
	r.Confidence = calibrated(r)
	return r
}

// asked is the question that a step answers: the person's own, when it is the only
// step.
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
		out[i] = answer.Source{Title: h.Passage.Title, Section: h.Passage.Section, Text: h.Passage.Text}
	}
	return out
}

// The curve that turns these figures into the share of such answers that held what was
// asked. docs/measurements.md names the command. Whether all parts of the question have
// a sentence of the right form was measured too, and added nothing.
const (
	perRetrieved = 0.88
	perMatch     = 0.28
	perLead      = 0.47
	perAbsent    = -3.57
	offset       = -4.09
	surest       = 0.93 // what the surest answers held: docs/measurements.md
)

// calibrated is the share of answers like this one that held what was asked.
func calibrated(r state.Relevance) float64 {
	p := 1 / (1 + math.Exp(-(perRetrieved*r.Retrieved + perMatch*r.Match + perLead*r.Lead + perAbsent*r.Absent + offset)))
	return math.Round(1e4*min(p, surest)) / 1e4
}
