package verify

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// PartialWeight is the weight of a partially supported claim in the confidence; a supported one has
// 1.
const PartialWeight = 0.5

const (
	unsupportedCosts = 0.1 // each
	allSupportedAdds = 0.1
)

// mostInDoubt is the highest confidence in a response with a claim that is unsupported, or
// supported with a doubt.
const mostInDoubt = highFrom - 0.01

// Score is the confidence in a response with these verdicts. It is at most Share, and at most the
// mean confidence in its claims: a judge that is right in three of four such cases gives no higher
// certainty. It is below the high level unless every claim is supported without a doubt.
func Score(verdicts []state.Verdict) float64 {
	if len(verdicts) == 0 {
		return 0
	}
	sum, most := 0.0, 1.0
	for _, v := range verdicts {
		if v.Status != state.Supported || len(v.Doubts) > 0 {
			most = mostInDoubt
		}
		if v.Status != state.Unsupported {
			sum += v.Confidence
		}
	}
	return min(Share(verdicts), sum/float64(len(verdicts)), most)
}

// Share is the share of a response's claims that are supported, partially supported ones counting
// half; less 0.1 for each unsupported one; plus 0.1 if none is; within 0 and 1. Without claims it
// is 0.
func Share(verdicts []state.Verdict) float64 {
	if len(verdicts) == 0 {
		return 0
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
	share := supported/float64(len(verdicts)) - unsupportedCosts*float64(unsupported)
	if unsupported == 0 {
		share += allSupportedAdds
	}
	return min(max(share, 0), 1)
}

// A Level is a confidence as a word.
type Level string

const (
	High      Level = "high"      // from 0.9
	Medium    Level = "medium"    // from 0.7
	Low       Level = "low"       // from 0.5
	VeryLow   Level = "very_low"  // below
	Unchecked Level = "unchecked" // there is no claim to check
)

const highFrom = 0.9

// LevelOf returns the level of a confidence.
func LevelOf(confidence float64) Level {
	switch {
	case confidence >= highFrom:
		return High
	case confidence >= 0.7:
		return Medium
	case confidence >= 0.5:
		return Low
	}
	return VeryLow
}

// scoreAttempt records the current response as an attempt, and decides whether to write a
// correction: if too little of it is supported and attempts are left. Claims that could not be
// judged end it, since a correction could not be judged either. The first correction is written
// from the passages found for the claims, if they were searched for.
func scoreAttempt(threshold float64, maxAttempts int) graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		verdicts, changed := slices.Clone(s.Verdicts), false
		if len(verdicts) == 0 && len(s.Evidence) == 0 {
			changed = len(s.Claims) > 0
			for _, c := range s.Claims {
				verdicts = append(verdicts, state.Verdict{Claim: c, Status: state.Unsupported, Reason: "there is no evidence"})
			}
		}
		for i, v := range verdicts {
			verdicts[i] = unsearched(s, v)
			changed = changed || verdicts[i].Error != v.Error
		}
		attempt := Attempt{
			N: len(s.Attempts), Response: s.Response, Confidence: Score(verdicts), Verdicts: verdicts, Queries: s.Queries, Added: s.Added,
			Grounded: len(verdicts) > 0 && len(lacking(verdicts)) == 0,
		}
		decision := decideFinish
		if Share(verdicts) < threshold && unjudged(verdicts) == "" && len(s.Attempts) < maxAttempts && len(verdicts) > 0 {
			decision = decideCorrect
			if len(s.Searches) > 0 && len(s.Attempts) == 0 {
				decision = decideWrite // no correction has used its passages yet
			}
		}
		update := graph.Update[State]{
			attemptsChannel.Add(attempt), decisionChannel.Set(decision),
			queriesChannel.Set(nil), addedChannel.Set(nil),
		}
		if changed {
			update = append(update, verdictsChannel.Overwrite(verdicts))
		}
		losses := lost(s, verdicts)
		if n, v := stoodIn(verdicts); n > 0 {
			what := fmt.Sprintf("the verdict of the chosen judge on %d of %d claims", n, len(verdicts))
			losses = append(losses, state.Loss{Missing: what, Cause: v.Cause, Error: v.StandIn})
			update = append(update, warningsChannel.Add(what+" is missing, and another judge stood in: "+v.StandIn))
		}
		if len(losses) > 0 {
			update = append(update, lossesChannel.Add(losses...))
		}
		return update, nil
	}
}

// unsearched turns the verdict on an unsupported claim whose search failed into one that could not
// be judged.
func unsearched(s State, v state.Verdict) state.Verdict {
	at := searched(s, v.Spoken())
	if v.Status == state.Supported || v.Error != "" || at < 0 || s.Searches[at].Error == "" {
		return v
	}
	v.Status, v.For, v.Error, v.Cause = state.Unsupported, nil, s.Searches[at].Error, s.Searches[at].Cause
	v.Reason = "the corpus could not be searched for it"
	return v
}

// lost returns the losses for missing verdicts. For a correction the loss is the correction. A
// failed search is already recorded.
func lost(s State, verdicts []state.Verdict) []state.Loss {
	var losses []state.Loss
	for _, v := range verdicts {
		switch at := searched(s, v.Spoken()); {
		case v.Error == "" || at >= 0 && s.Searches[at].Error == v.Error:
			continue
		case len(s.Attempts) > 0:
			return []state.Loss{{Missing: theCorrection, Cause: v.Cause, Error: v.Error}}
		}
		losses = append(losses, state.Loss{Missing: fmt.Sprintf("the verdict on “%s”", v.Text), Cause: v.Cause, Error: v.Error})
	}
	return losses
}

// stoodIn counts the verdicts that another judge gave instead of the chosen one, and returns the
// first.
func stoodIn(verdicts []state.Verdict) (n int, first state.Verdict) {
	for _, v := range verdicts {
		if v.StandIn != "" {
			if n++; n == 1 {
				first = v
			}
		}
	}
	return n, first
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
