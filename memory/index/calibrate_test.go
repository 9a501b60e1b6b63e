package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
	t.Logf("%+v", x.Calibration())
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

// slowedDown is set under the race detector.
var slowedDown bool

func TestConfidenceOfLawPrimer(t *testing.T) {
	if testing.Short() || slowedDown {
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
	held := distinct(terms(passage.Text, text.QueryStops))
	ask := func(n int) retrieval.Result {
		q := slices.Clone(held[:n/2])
		for i := range n / 2 {
			q = append(q, unknown(i))
		}
		r, err := x.searchTerms(t.Context(), asked{terms: q}, retrieval.Query{}, nil)
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

func TestBackground(t *testing.T) {
	scores := make([]float64, 60)
	for i := range scores {
		scores[i] = float64(60 - i)
	}
	none := func(int32) bool { return false }
	// Ranks 21 to 50 score 40 to 11.
	if got := background(scores, best(scores, backgroundTo, none)); got != 25.5 {
		t.Errorf("background %v, want 25.5", got)
	}
	// Without the first ten, ranks 21 to 50 score 30 to 1.
	if got := background(scores, best(scores, backgroundTo, func(ord int32) bool { return ord < 10 })); got != 15.5 {
		t.Errorf("background without the best ten %v, want 15.5", got)
	}
	// Ranks that nothing takes count as zero.
	if got := background(scores, best(scores[:22], backgroundTo, none)); got != (40.0+39)/30 {
		t.Errorf("background of 22 passages %v", got)
	}
	if got := background(nil, nil); got != 0 {
		t.Errorf("background of nothing %v", got)
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

func TestFitCalibration(t *testing.T) {
	usual := fitCalibration(nil, nil)
	if c := usual.confidence(middle); math.Abs(c-.5) > 1e-12 {
		t.Errorf("without questions: %v in the middle, want .5", c)
	}
	if usual.confidence(evidence{strength: 1}) != 0 || usual.confidence(evidence{1, 1}) < .99 {
		t.Errorf("without questions: %+v", usual)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, at := range []evidence{{.4, .71}, {.52, .71}, {.52, .78}, {.6, .65}} {
		var questions []pseudo
		var found []evidence
		for i := range 200 {
			held := i%2 == 0
			shift := -.1
			if held {
				shift = .1
			}
			questions = append(questions, pseudo{held: held})
			found = append(found, evidence{at.similarity + shift + .1*rng.NormFloat64(), at.strength + shift/2 + .05*rng.NormFloat64()})
		}
		c := fitCalibration(questions, found)
		if before, after := usual.confidence(at), c.confidence(at); math.Abs(after-.5) > math.Abs(before-.5)+.05 {
			t.Errorf("classes that meet at %v: confidence there %v, without learning %v", at, after, before)
		}
		if c.Held.Questions != 100 || c.NotHeld.Questions != 100 || c.Accuracy < .8 {
			t.Errorf("classes that meet at %v: %+v", at, c)
		}
	}
	// More questions of the same sort make no surer curve: they are of one
	// corpus.
	var questions []pseudo
	var found []evidence
	for i := range 100 {
		questions = append(questions, pseudo{held: i%2 == 0})
		found = append(found, evidence{similarity: float64(i%2)*-.3 + .8*rng.Float64(), strength: .6 + .2*rng.Float64()})
	}
	once := fitCalibration(questions, found)
	twice := fitCalibration(slices.Concat(questions, questions), slices.Concat(found, found))
	if math.Abs(once.PerSimilarity-twice.PerSimilarity) > 1e-6 || math.Abs(once.Offset-twice.Offset) > 1e-6 {
		t.Errorf("once %+v, twice %+v", once, twice)
	}
	// Questions of the wrong order must not turn the curve round.
	questions = []pseudo{{held: true}, {held: false}}
	c := fitCalibration(questions, []evidence{{.1, .1}, {.9, .9}})
	if c.PerSimilarity < least[0] || c.PerStrength < least[1] {
		t.Errorf("%+v", c)
	}
}

// More evidence never lowers a confidence, whatever a curve was learnt from.
func TestConfidenceIsMonotone(t *testing.T) {
	unit := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		questions, found := make([]pseudo, n), make([]evidence, n)
		for i := range n {
			questions[i].held = rapid.Bool().Draw(t, "held")
			found[i] = evidence{unit.Draw(t, "similarity"), unit.Draw(t, "strength")}
		}
		c := fitCalibration(questions, found)
		a := evidence{unit.Draw(t, "a"), unit.Draw(t, "b")}
		b := evidence{min(1, a.similarity+unit.Draw(t, "more")), min(1, a.strength+unit.Draw(t, "more"))}
		if low, high := c.confidence(a), c.confidence(b); !(low >= 0 && low <= high && high <= 1) {
			t.Fatalf("%v: %v, %v: %v with %+v", a, low, b, high, c)
		}
	})
}

// The fitted curve is a minimum: no neighbour of it has a smaller loss.
func TestFitCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, truth := range []curve{{30, 40, 0}, {3, 4, -2}, {2, 2, 3}} {
		var data []observation
		for range 60 {
			x := curve{rng.NormFloat64() * .2, rng.NormFloat64() * .1, 1}
			data = append(data, observation{x: x, weight: 1, held: logistic(truth.dot(x)) > rng.Float64()})
		}
		k := fitCurve(data)
		for i := range k {
			for _, d := range []float64{-1e-4, 1e-4} {
				near := k
				near[i] += d
				if near.loss(data) < k.loss(data) {
					t.Errorf("data of %v: %v has a smaller loss than %v", truth, near, k)
				}
			}
		}
	}
}

func TestSolve(t *testing.T) {
	m := [3]curve{{4, 1, -1}, {1, 3, .5}, {-1, .5, 5}}
	want := curve{1, -2, 3}
	var b curve
	for i := range m {
		b[i] = m[i].dot(want)
	}
	for i, got := range solve(m, b) {
		if math.Abs(got-want[i]) > 1e-12 {
			t.Errorf("coordinate %d is %v, want %v", i, got, want[i])
		}
	}
}

func TestQuantiles(t *testing.T) {
	var found []evidence
	for i := range 100 {
		found = append(found, evidence{similarity: float64(100-i) / 100})
	}
	similarity := func(e evidence) float64 { return e.similarity }
	for _, c := range []struct {
		found []evidence
		want  Quantiles
	}{
		{nil, Quantiles{}},
		{found[:1], Quantiles{1, 1, 1, 1, 1}},
		{found, Quantiles{.05, .25, .5, .75, .95}},
	} {
		if got := quantiles(c.found, similarity); got != c.want {
			t.Errorf("%d values: %v, want %v", len(c.found), got, c.want)
		}
	}
}

// What is stored with the generation is what was learnt.
func TestCalibrationIsKept(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	c := x.Calibration()
	if c.Version != calibrationVersion || c.Held.Questions == 0 || c.NotHeld.Questions <= c.Held.Questions {
		t.Errorf("%+v", c)
	}
	if c.Held.Confidence[2] < .70 || c.NotHeld.Confidence[2] >= .35 {
		t.Errorf("medians of the confidences: %v held, %v not held", c.Held.Confidence[2], c.NotHeld.Confidence[2])
	}
	again, err := x.calibrate(t.Context(), func(int, int) error { return nil })
	if err != nil || again != c {
		t.Errorf("learnt again: %+v, %v; stored: %+v", again, err, c)
	}
}

func TestResultIsRounded(t *testing.T) {
	r := retrieval.Result{Confidence: 1. / 3, Similarity: 1. / 3, Strength: 1. / 3}
	round(&r)
	if r.Confidence != .333333 || r.Similarity != .333333 || r.Strength != .333333 {
		t.Errorf("%+v", r)
	}
}

// Without words of its document's own, an absent question loses the rarest.
func TestAbsentQuestionLosesItsRarestWords(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	rng := rand.New(rand.NewPCG(3, 4))
	samples, _, err := x.samples(t.Context(), rng)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		rarer := func(a, b word) int { return a.held - b.held }
		if !slices.IsSortedFunc(s.words, rarer) || s.words[0].held == 0 {
			t.Errorf("not sorted, or not from the corpus: %+v", s.words)
		}
		for i := range s.words {
			s.words[i].own = false
		}
		n := len(s.words)
		q := x.absent(rng, s, n)
		lost := 0
		for lost < n && q.terms[lost] == unknown(lost) {
			lost++
		}
		if q.held || q.without >= 0 || lost == 0 || lost > (n+1)/2 || !slices.Equal(q.terms[lost:], names(s.words[lost:])) {
			t.Errorf("%+v of %+v", q, s.words)
		}
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
	long := 0
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
		if len(q.terms) > brief {
			long++
		}
		if len(q.terms) < shortest || len(q.terms) > longest {
			t.Errorf("question %d has %d terms", i, len(q.terms))
		}
	}
	if slices.Min(kinds[:]) == 0 || long == 0 || len(first) > 3*pseudoSentences {
		t.Errorf("%v questions of the kinds, %d of them long", kinds, long)
	}
}
