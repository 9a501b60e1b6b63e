package ranking

import (
	"testing"

	"example.com/assay/memory/retrieval"
)

func TestBackground(t *testing.T) {
	scores := make([]float64, 60)
	for i := range scores {
		scores[i] = float64(60 - i)
	}
	all := make([]int32, 60) // the best first
	for i := range all {
		all[i] = int32(i)
	}
	// Ranks 21 to 50 score 40 to 11.
	if got := background(scores, all[:backgroundTo]); got != 25.5 {
		t.Errorf("background %v, want 25.5", got)
	}
	// Without the first ten, ranks 21 to 50 score 30 to 1.
	if got := background(scores, all[10:]); got != 15.5 {
		t.Errorf("background without the best ten %v, want 15.5", got)
	}
	// Ranks that nothing takes count as zero.
	if got := background(scores, all[:22]); got != (40.0+39)/30 {
		t.Errorf("background of 22 passages %v", got)
	}
	if got := background(nil, nil); got != 0 {
		t.Errorf("background of nothing %v", got)
	}
}

func TestResultIsRounded(t *testing.T) {
	r := retrieval.Result{Confidence: 1. / 3, Similarity: 1. / 3, Strength: 1. / 3}
	round(&r)
	if r.Confidence != .333333 || r.Similarity != .333333 || r.Strength != .333333 {
		t.Errorf("%+v", r)
	}
}

// No passage without a citation may score as much as one with it.
func TestCitationOutweighs(t *testing.T) {
	if most := 1 + pairWeight + cosineWeight + linkWeight + documentWeight + graphWeight + meaningWeight; most >= citedNearly || citedNearly+most >= citedExactly {
		t.Errorf("the other signals add up to %v, citations weigh %v and %v", most, citedNearly, citedExactly)
	}
}
