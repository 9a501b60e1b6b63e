package research

import (
	"math"

	"example.com/assay/state"
)

// relevance is how well a run's passages answer its question, nil for a run
// without an answer.
func relevance(final state.Agent) *state.Relevance {
	if final.Count(state.StepCompleted) == 0 {
		return nil
	}
	r := &state.Relevance{Retrieved: final.MeanConfidence(), Parts: final.Whole.Parts}
	r.Found = max(0, r.Parts-len(final.Whole.Missing))
	r.Confidence = calibrated(r.Retrieved)
	return r
}

// The curve by which what was retrieved becomes how often such an answer holds what
// was asked: see docs/measurements.md, which names the command. Whether all parts of
// the question have a sentence of the right form was measured too, and added nothing.
const (
	perRetrieved = 2.8
	offset       = -2.45
)

// calibrated is the share of answers like this one that held what was asked.
func calibrated(retrieved float64) float64 {
	return math.Round(1e4/(1+math.Exp(-(perRetrieved*retrieved+offset)))) / 1e4
}
