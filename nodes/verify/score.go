package verify

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// PartialWeight is what a partially supported claim counts in the confidence,
// of a supported one.
const PartialWeight = 0.5

const (
	unsupportedCosts = 0.1 // each
	allSupportedAdds = 0.1
)

// Score is the confidence in a response with these verdicts: the share of its
// claims that are supported, partially supported ones counting half; less 0.1
// for each unsupported one; plus 0.1 when none is; within 0 and 1. A response
// that claims nothing has nothing to be wrong in: 1.
func Score(verdicts []state.Verdict) float64 {
	if len(verdicts) == 0 {
		return 1
	}
	supported, unsupported := 0.0, 0
	for _, v := range verdicts {
		switch v.Status {
		case state.Supported:
			supported++
		case state.PartiallySupported:
			supported += PartialWeight
		default:
			unsupported++
		}
	}
	score := supported/float64(len(verdicts)) - unsupportedCosts*float64(unsupported)
	if unsupported == 0 {
		score += allSupportedAdds
	}
	return min(max(score, 0), 1)
}

// A Level is a confidence in a word.
type Level string

const (
	High    Level = "high"     // from 0.9
	Medium  Level = "medium"   // from 0.7
	Low     Level = "low"      // from 0.5
	VeryLow Level = "very_low" // below
)

// LevelOf returns the level of a confidence.
func LevelOf(confidence float64) Level {
	switch {
	case confidence >= 0.9:
		return High
	case confidence >= 0.7:
		return Medium
	case confidence >= 0.5:
		return Low
	}
	return VeryLow
}

// ScoreNode notes the response as it stands as an attempt, and decides whether
// it is to be corrected: when it is below the threshold and attempts are left.
// Claims that could not be judged end it, since nothing would be known of what
// was written instead. An empty response has a confidence of 0, and one that no
// evidence stands behind has no supported claim.
func ScoreNode(threshold float64, maxAttempts int) graph.Node[state.Verify] {
	return func(_ context.Context, s state.Verify) (graph.Update[state.Verify], error) {
		verdicts := s.Verdicts
		var update graph.Update[state.Verify]
		if len(verdicts) == 0 && len(s.Evidence) == 0 {
			for _, c := range s.Claims {
				verdicts = append(verdicts, state.Verdict{Claim: c, Status: state.Unsupported, Reason: "there is no evidence"})
			}
			update = append(update, state.VerifyVerdicts.Add(verdicts...))
		}
		attempt := state.VerifyAttempt{
			N: len(s.Attempts), Response: s.Response, Confidence: Score(verdicts), Verdicts: verdicts, Queries: s.Queries, Added: s.Added,
		}
		if strings.TrimSpace(s.Response) == "" {
			attempt.Confidence = 0
		}
		failed := unjudged(verdicts)
		attempt.Grounded = attempt.Confidence >= threshold && failed == ""
		decision := state.VerifyFinish
		if !attempt.Grounded && failed == "" && len(s.Attempts) < maxAttempts && len(verdicts) > 0 {
			decision = state.VerifyCorrect
		}
		return append(update,
			state.VerifyAttempts.Add(attempt), state.VerifyDecided.Set(decision), state.VerifyFailure.Set(failed),
			state.VerifyQueries.Set(nil), state.VerifyAdded.Set(nil),
		), nil
	}
}

// unjudged says how many claims could not be judged, and why the first could not.
func unjudged(verdicts []state.Verdict) string {
	n, why := 0, ""
	for _, v := range verdicts {
		if v.Error != "" {
			if n++; n == 1 {
				why = v.Error
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d claims could not be judged: %s", n, len(verdicts), why)
}
