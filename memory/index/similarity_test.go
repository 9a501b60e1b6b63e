package index

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/assay/internal/racetest"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A spread says how the confidences of some questions lie.
type spread struct {
	n, mean         float64
	accepted, empty float64 // shares at .70 or more, and below .35
}

func spreadOf(t testing.TB, x *Index, questions []string) spread {
	t.Helper()
	s := spread{n: float64(len(questions))}
	for _, q := range questions {
		c := search(t, x, retrieval.Query{Primary: q}).Confidence
		s.mean += c / s.n
		if c >= .70 {
			s.accepted += 1 / s.n
		}
		if c < .35 {
			s.empty += 1 / s.n
		}
	}
	return s
}

func (s spread) String() string {
	return fmt.Sprintf("n %4.0f, %3.0f %% at .70 or more, %3.0f %% below .35, mean %.2f", s.n, 100*s.accepted, 100*s.empty, s.mean)
}

// checkConfidence measures questions that a corpus answers and others.
func checkConfidence(t *testing.T, x *Index, answered, others []string) {
	t.Helper()
	a, o := spreadOf(t, x, answered), spreadOf(t, x, others)
	t.Logf("answered: %v", a)
	t.Logf("others: %v", o)
	if a.mean < .85 || a.accepted < .85 || a.empty > .07 {
		t.Errorf("answered questions: %v; want a mean of .85, 85 %% and at most 7 %%", a)
	}
	if o.empty < .88 || o.accepted > .06 {
		t.Errorf("other questions: %v; want 88 %% below .35 and at most 6 %% at .70", o)
	}
}

func TestConfidenceOfInventedCorpus(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	checkConfidence(t, x, bargeQuestions, strangeQuestions)
	checkConfidence(t, x, bargeQuestions, lawQuestions)
}

func TestConfidenceOfLawPrimer(t *testing.T) {
	if testing.Short() || racetest.On {
		t.Skip("indexes the sample corpus; too slow under the race detector, and the invented corpus takes the same paths")
	}
	x := open(t, build(t, lawPrimer(t)))
	checkConfidence(t, x, lawQuestions, slices.Concat(otherQuestions, unheardLaw))
	checkConfidence(t, x, lawQuestions, bargeQuestions)
	if c := search(t, x, retrieval.Query{Primary: "What are the elements of battery?"}).Confidence; c < .70 {
		t.Errorf("battery: %.2f", c)
	}
	if c := search(t, x, retrieval.Query{Primary: "What must an applicant show to qualify for asylum?"}).Confidence; c >= .35 {
		t.Errorf("asylum: %.2f", c)
	}
	if v := spreadOf(t, x, vagueLaw); v.mean < .20 || v.mean > .65 || v.accepted > .5 {
		t.Errorf("vague questions: %v; want them in the middle", v)
	} else {
		t.Logf("vague: %v", v)
	}
}

// A long question of which a passage holds half is better answered than a
// short one of which it holds half.
func TestConfidenceKnowsLength(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	var passage state.Passage
	for _, p := range kiteBarge(t) {
		if len(p.Text) > len(passage.Text) {
			passage = p
		}
	}
	held := analysis.Distinct(analysis.Terms(passage.Text, text.QueryStops))
	ask := func(n int) retrieval.Result {
		q := slices.Clone(held[:n/2])
		for i := range n / 2 {
			q = append(q, fmt.Sprintf("\x00%d", i)) // no tokenizer makes such a word
		}
		r, err := x.corpus.Search(t.Context(), ranking.Asked{Terms: q}, retrieval.Query{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	short, long := ask(2), ask(24)
	if long.Strength <= short.Strength || long.Confidence <= short.Confidence {
		t.Errorf("half of 24 words: %+v; half of 2: %+v", long.Confidence, short.Confidence)
	}
}

// Unknown words lower the similarity, the more the more there are.
func TestUnknownWordsLowerSimilarity(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	last := 2.0
	for _, q := range []string{"larch hull oak frames moss tar", "larch hull oak frames moss zyx", "larch hull oak qwv zyx", "larch qwv zyx vvk"} {
		s := search(t, x, retrieval.Query{Primary: q}).Similarity
		if s >= last {
			t.Errorf("%q: similarity %v, with fewer unknown words %v", q, s, last)
		}
		last = s
	}
}

// More evidence never lowers a confidence.
func TestConfidenceIsMonotone(t *testing.T) {
	unit := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		similarity, strength := unit.Draw(t, "a"), unit.Draw(t, "b")
		moreSimilar, stronger := min(1, similarity+unit.Draw(t, "more")), min(1, strength+unit.Draw(t, "more"))
		for _, c := range []Calibration{byWords, byMeaning} {
			if low, high := c.confidence(similarity, strength), c.confidence(moreSimilar, stronger); !(low >= 0 && low <= high && high <= 1) {
				t.Fatalf("%v: %v, and %v: %v with %+v", similarity, low, moreSimilar, high, c)
			}
			if c.confidence(0, 1) != 0 || c.confidence(1, 1) < .99 {
				t.Fatalf("%+v at the ends", c)
			}
		}
	})
}
