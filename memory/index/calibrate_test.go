package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkConfidence measures questions that a corpus answers and others.
func checkConfidence(t *testing.T, x *Index, answered, others []string) {
	t.Helper()
	var sum, high, low float64
	for _, q := range answered {
		c := search(t, x, Query{Primary: q}).Confidence
		sum += c / float64(len(answered))
		if c >= .70 {
			high += 1 / float64(len(answered))
		} else {
			t.Logf("answered, but confidence %.2f: %s", c, q)
		}
	}
	for _, q := range others {
		if c := search(t, x, Query{Primary: q}).Confidence; c < .35 {
			low += 1 / float64(len(others))
		} else {
			t.Logf("not answered, but confidence %.2f: %s", c, q)
		}
	}
	t.Logf("answered: mean %.2f, %.0f %% at .70 or more; others: %.0f %% below .35; calibration %+v", sum, 100*high, 100*low, x.calibration)
	if sum < .70 || high < .80 {
		t.Errorf("answered questions: mean %.2f, %.2f of them at .70 or more; want .70 and .80", sum, high)
	}
	if low < .80 {
		t.Errorf("other questions: %.2f below .35; want .80", low)
	}
}

func TestConfidenceOfInventedCorpus(t *testing.T) {
	checkConfidence(t, open(t, build(t, kiteBarge(t))), bargeQuestions, strangeQuestions)
}

// slowedDown is set under the race detector.
var slowedDown bool

func TestConfidenceOfLawPrimer(t *testing.T) {
	if testing.Short() || slowedDown {
		t.Skip("indexes the sample corpus; too slow under the race detector, and the invented corpus takes the same paths")
	}
	x := open(t, build(t, lawPrimer(t)))
	checkConfidence(t, x, lawQuestions, otherQuestions)
	if c := search(t, x, Query{Primary: "What are the elements of battery?"}).Confidence; c < .70 {
		t.Errorf("battery: %.2f", c)
	}
	if c := search(t, x, Query{Primary: "What must an applicant show to qualify for asylum?"}).Confidence; c >= .35 {
		t.Errorf("asylum: %.2f", c)
	}
}

// Unknown words lower the similarity, the more the more there are.
func TestUnknownWordsLowerSimilarity(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	last := 2.0
	for _, q := range []string{"larch hull oak frames moss tar", "larch hull oak frames moss zyx", "larch hull oak qwv zyx", "larch qwv zyx vvk"} {
		s := search(t, x, Query{Primary: q}).Similarity
		if s >= last {
			t.Errorf("%q: similarity %v, with fewer unknown words %v", q, s, last)
		}
		last = s
	}
}

func TestFitCalibration(t *testing.T) {
	usual := fitCalibration(nil, nil)
	if usual.confidence(priorMiddle) != .5 || usual.confidence(0) != 0 || usual.confidence(1) < .99 {
		t.Errorf("without questions: %+v", usual)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, middle := range []float64{.3, .5, .7} {
		var questions []pseudo
		var similarities []float64
		for i := range 200 {
			held := i%2 == 0
			at := middle - .15
			if held {
				at = middle + .15
			}
			questions = append(questions, pseudo{held: held})
			similarities = append(similarities, at+.1*rng.NormFloat64())
		}
		c := fitCalibration(questions, similarities)
		if p := c.confidence(middle); p < .3 || p > .7 {
			t.Errorf("classes that meet at %v: confidence there %v, %+v", middle, p, c)
		}
		for s := .01; s < 1; s += .01 {
			if c.confidence(s) < c.confidence(s-.01) {
				t.Errorf("not monotone at %v: %+v", s, c)
			}
		}
	}
	// Questions of the wrong order must not turn the curve round.
	c := fitCalibration([]pseudo{{held: true}, {held: false}}, []float64{.1, .9})
	if c.Slope < minSlope {
		t.Errorf("slope %v", c.Slope)
	}
}

func TestPseudoQuestions(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	first, err := x.pseudoQuestions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := x.pseudoQuestions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kinds [3]int
	for i, q := range first {
		if !slices.Equal(q.terms, again[i].terms) {
			t.Fatalf("question %d differs the second time: %v, %v", i, q, again[i])
		}
		switch {
		case q.held:
			kinds[0]++
		case q.without >= 0:
			kinds[1]++
		default:
			kinds[2]++
		}
		if len(q.terms) < shortest || len(q.terms) > longest {
			t.Errorf("question %d has %d terms", i, len(q.terms))
		}
	}
	if slices.Min(kinds[:]) == 0 || len(first) > 4*pseudoSentences {
		t.Errorf("%v questions of the kinds", kinds)
	}
}
