package metrics

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Each value was worked out by hand.
func TestByHand(t *testing.T) {
	judged := Judgments{"a": 1, "b": 2, "c": 0, "d": 1}
	ranked := []string{"c", "b", "x", "a"}
	l := math.Log2
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		// gains 3 at rank 2 and 1 at rank 4; best order 3, 1, 1
		{"nDCG@4", NDCG(ranked, judged, 4), (3/l(3) + 1/l(5)) / (3 + 1/l(3) + 1/l(4))},
		{"nDCG@2", NDCG(ranked, judged, 2), (3 / l(3)) / (3 + 1/l(3))},
		{"nDCG@1", NDCG(ranked, judged, 1), 0},
		{"nDCG of the best order", NDCG([]string{"b", "d", "a"}, judged, 10), 1},
		{"R@1", Recall(ranked, judged, 1), 0},
		{"R@2", Recall(ranked, judged, 2), 1. / 3},
		{"R@10", Recall(ranked, judged, 10), 2. / 3},
		{"AP@4", AveragePrecision(ranked, judged, 4), (1./2 + 2./4) / 3},
		{"AP@1 with 3 relevant", AveragePrecision([]string{"a"}, judged, 1), 1. / 3},
		{"RR@4", ReciprocalRank(ranked, judged, 4), .5},
		{"RR@1", ReciprocalRank(ranked, judged, 1), 0},
		{"hit@1", Hit(ranked, judged, 1), 0},
		{"hit@2", Hit(ranked, judged, 2), 1},
		{"hit@0", Hit(ranked, judged, 0), 0},
		{"k below 0", Recall(ranked, judged, -1), 0},
		{"nothing ranked", NDCG(nil, judged, 10), 0},
		{"nothing relevant", NDCG(ranked, Judgments{"c": 0, "x": -1}, 10) + Recall(ranked, nil, 10) + AveragePrecision(ranked, nil, 10), 0},
		{"a grade beyond reason", NDCG([]string{"z"}, Judgments{"z": math.MaxInt}, 1), 1},
	} {
		if !near(tt.got, tt.want) {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestSpansByHand(t *testing.T) {
	gold := []Span{{"d", 10, 20}, {"d", 15, 25}, {"e", 0, 5}, {"e", 9, 9}} // 15 + 5 characters
	ranked := []Span{{"d", 0, 12}, {"x", 0, 100}, {"d", 18, 30}, {"e", 5, 9}}
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"recall@1", CharRecall(ranked, gold, 1), 2. / 20},
		{"recall@3", CharRecall(ranked, gold, 3), 9. / 20},
		{"recall@10", CharRecall(ranked, gold, 10), 9. / 20},
		{"precision@1", CharPrecision(ranked, gold, 1), 2. / 12},
		{"precision@3", CharPrecision(ranked, gold, 3), 9. / 124},
		{"the same passage twice", CharPrecision([]Span{{"d", 10, 20}, {"d", 10, 20}}, gold, 2), 1},
		{"no gold", CharRecall(ranked, nil, 3), 0},
		{"nothing ranked", CharPrecision(nil, gold, 3), 0},
	} {
		if !near(tt.got, tt.want) {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	if gold[0] != (Span{"d", 10, 20}) || ranked[1].Doc != "x" {
		t.Error("the arguments were changed")
	}
}

// The second implementations are as slow and plain as the definitions.

func slowDCG(ranked []string, judged Judgments, k int) float64 {
	sum := 0.0
	for rank := 1; rank <= k && rank <= len(ranked); rank++ {
		gain := math.Pow(2, float64(max(0, judged[ranked[rank-1]]))) - 1
		sum += gain / (math.Log(float64(rank+1)) / math.Log(2))
	}
	return sum
}

// slowNDCG tries every order of the judged ids for the best.
func slowNDCG(ranked []string, judged Judgments, k int) float64 {
	var ids []string
	for id := range judged {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	best := 0.0
	permutations(ids, func(order []string) { best = max(best, slowDCG(order, judged, k)) })
	if best == 0 {
		return 0
	}
	return slowDCG(ranked, judged, k) / best
}

func permutations(ids []string, visit func([]string)) {
	var place func(done, left []string)
	place = func(done, left []string) {
		if len(left) == 0 {
			visit(done)
		}
		for i := range left {
			place(append(slices.Clone(done), left[i]), slices.Concat(left[:i], left[i+1:]))
		}
	}
	place(nil, ids)
}

// slowPrecision is the share of relevant ids among the first n places.
func slowPrecision(ranked []string, judged Judgments, n int) float64 {
	found := 0
	for i := 0; i < n; i++ {
		if judged[ranked[i]] > 0 {
			found++
		}
	}
	return float64(found) / float64(n)
}

func slowRelevant(judged Judgments) (ids []string) {
	for id, grade := range judged {
		if grade > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// The metrics of a relevant id's place, which is 0 when it was not found.
func slowByPlace(ranked []string, judged Judgments, k int) (recall, ap, rr, hit float64) {
	relevant := slowRelevant(judged)
	for _, id := range relevant {
		place := slices.Index(ranked, id) + 1
		if place == 0 || place > k {
			continue
		}
		hit = 1
		recall += 1 / float64(len(relevant))
		ap += slowPrecision(ranked, judged, place) / float64(len(relevant))
		rr = max(rr, 1/float64(place))
	}
	return recall, ap, rr, hit
}

func TestAgainstSlow(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	rapid.Check(t, func(t *rapid.T) {
		judged := Judgments(rapid.MapOfN(rapid.SampledFrom(ids[:6]), rapid.IntRange(-1, 4), 0, 5).Draw(t, "judged"))
		ranked := rapid.Permutation(ids).Draw(t, "ranked")[:rapid.IntRange(0, 8).Draw(t, "length")]
		k := rapid.IntRange(1, 10).Draw(t, "k")
		recall, ap, rr, hit := slowByPlace(ranked, judged, k)
		for _, tt := range []struct {
			name      string
			got, want float64
		}{
			{"nDCG", NDCG(ranked, judged, k), slowNDCG(ranked, judged, k)},
			{"R", Recall(ranked, judged, k), recall},
			{"AP", AveragePrecision(ranked, judged, k), ap},
			{"RR", ReciprocalRank(ranked, judged, k), rr},
			{"hit", Hit(ranked, judged, k), hit},
		} {
			if !near(tt.got, tt.want) || tt.got < 0 || tt.got > 1+1e-9 {
				t.Errorf("%s@%d of %q with %v is %v, slowly %v", tt.name, k, ranked, judged, tt.got, tt.want)
			}
		}
	})
}

func drawSpans(t *rapid.T, name string) []Span {
	out := make([]Span, rapid.IntRange(0, 6).Draw(t, name))
	for i := range out {
		start := rapid.IntRange(0, 30).Draw(t, "start")
		out[i] = Span{rapid.SampledFrom([]string{"d", "e"}).Draw(t, "doc"), start, start + rapid.IntRange(-2, 12).Draw(t, "length")}
	}
	return out
}

// slowChars lists the characters of spans one by one.
func slowChars(spans []Span) map[string]bool {
	set := map[string]bool{}
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			set[fmt.Sprintf("%s %d", s.Doc, i)] = true
		}
	}
	return set
}

func TestSpansAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranked, gold := drawSpans(t, "ranked"), drawSpans(t, "gold")
		k := rapid.IntRange(0, 7).Draw(t, "k")
		have, want := slowChars(ranked[:min(k, len(ranked))]), slowChars(gold)
		both := 0
		for c := range have {
			if want[c] {
				both++
			}
		}
		if got, slow := CharRecall(ranked, gold, k), float64(both)/float64(max(1, len(want))); !near(got, slow) {
			t.Errorf("recall %v, slowly %v", got, slow)
		}
		if got, slow := CharPrecision(ranked, gold, k), float64(both)/float64(max(1, len(have))); !near(got, slow) {
			t.Errorf("precision %v, slowly %v", got, slow)
		}
	})
}

func TestPercentile(t *testing.T) {
	times := []time.Duration{40, 10, 30, 20}
	for share, want := range map[float64]time.Duration{0: 10, .25: 10, .5: 20, .51: 30, .95: 40, 1: 40, 2: 40} {
		if got := Percentile(times, share); got != want {
			t.Errorf("at %v: %d, want %d", share, got, want)
		}
	}
	if Percentile(nil, .5) != 0 || times[0] != 40 {
		t.Error("an empty list, or a list that was sorted")
	}
}
