package support

// Features of one term of a claim. A term is missing to the degree that the evidence has nothing
// similar.
const (
	termIDF         = iota
	termLow         // missing, in lower case
	termLowIDF      // the same by its IDF
	termNumber      // missing, a number that is not a year
	termYear        // missing, a year
	termName        // missing, a name
	termNameIDF     // the same by its IDF
	termLowAbsent   // in lower case, without even a similar one in the evidence
	termNameAbsent  // the same for a name
	isNumber        //
	isYear          //
	isName          //
	isLight         //
	termLight       // missing and light
	termAlone       // there, but no sentence with it has much of the claim
	termOffWindow   // there, but not in the window
	termOffGreedy   // there, but not in the greedy cover
	termOffBest     // there, but not in the best sentence
	termBefore      // the term before it is missing
	termAfter       // the term after it is missing
	termBound       // it also follows a neighbour in the evidence
	termMissBefore  // both are missing
	termMissAfter   // both are missing
	termPlace       // position in the claim, 0 … 1
	claimUncovered  // share of the claim in no sentence
	claimOffWindow  // share of the claim outside the window
	claimOffGreedy  // share of the claim outside the greedy cover
	claimShort      // 1 divided by the number of terms
	termAbsentAmong // absent, times the share of the claim that is there
	termFeatureCount
)

var termNames = [termFeatureCount]string{
	termIDF: "idf", termLow: "low_miss", termLowIDF: "low_miss_idf", termNumber: "number_miss", termYear: "year_miss",
	termName: "name_miss", termNameIDF: "name_miss_idf", termLowAbsent: "low_absent", termNameAbsent: "name_absent",
	isNumber: "number", isYear: "year", isName: "name", isLight: "light", termLight: "light_miss",
	termAlone: "alone", termOffWindow: "off_window", termOffGreedy: "off_greedy", termOffBest: "off_best",
	termBefore: "before_miss", termAfter: "after_miss", termBound: "bound", termMissBefore: "miss_before", termMissAfter: "miss_after",
	termPlace: "place", claimUncovered: "claim_uncovered", claimOffWindow: "claim_off_window", claimOffGreedy: "claim_off_greedy",
	claimShort: "claim_short", termAbsentAmong: "absent_among",
}

// TermNames returns the names of a Term's features, in order.
func TermNames() []string { return append([]string(nil), termNames[:]...) }

// A Term is a content word of a claim as the evidence sees it.
type Term struct {
	Start, End int // bytes of the claim
	Features   []float64
}

// Terms measures every distinct content word of a claim, in the order of their first appearance.
// The training command learns from it.
func (e *Evidence) Terms(s string) []Term {
	c := e.read(s)
	out := make([]Term, len(c.terms))
	for i, x := range e.termFeatures(c) {
		out[i] = Term{Start: c.terms[i].start, End: c.terms[i].end, Features: x}
	}
	return out
}

func (e *Evidence) termFeatures(c *claim) [][]float64 {
	uncovered, offWindow, offGreedy := 1.0, 1-c.share(&c.window), 1-c.share(&c.greedy)
	for _, t := range c.terms {
		if t.found() && c.mass > 0 {
			uncovered -= t.idf / c.mass
		}
	}
	out := make([][]float64, len(c.terms))
	for i := range c.terms {
		x := e.termFeature(c, i)
		x[claimUncovered], x[claimOffWindow], x[claimOffGreedy] = uncovered, offWindow, offGreedy
		x[claimShort] = 1 / float64(len(c.terms))
		x[termAbsentAmong] *= 1 - uncovered
		out[i] = x
	}
	return out
}

func (e *Evidence) termFeature(c *claim, i int) []float64 {
	x := make([]float64, termFeatureCount)
	t := c.terms[i]
	missing, absent, idf := 1-t.soft, truth(!t.found()), t.idf/10
	x[termIDF], x[termAbsentAmong] = idf, absent
	switch {
	case t.number && year(t.low):
		x[isYear], x[termYear] = 1, missing
	case t.number:
		x[isNumber], x[termNumber] = 1, missing
	case t.name:
		x[isName], x[termName], x[termNameIDF], x[termNameAbsent] = 1, missing, missing*idf, absent
	default:
		x[termLow], x[termLowIDF], x[termLowAbsent] = missing, missing*idf, absent
	}
	x[isLight], x[termLight] = truth(t.light), truth(t.light)*missing
	if t.found() {
		most := 0.0
		for _, at := range e.postings[t.id] {
			most = max(most, c.shares[at])
		}
		x[termAlone] = 1 - most
		x[termOffWindow], x[termOffGreedy] = truth(!c.window.has(i)), truth(!c.greedy.has(i))
		x[termOffBest] = truth(!c.covers[c.order[0]].has(i))
	}
	if i > 0 {
		x[termBefore] = 1 - c.terms[i-1].soft
		x[termBound] += e.bound(c.terms[i-1], t) / 2
	}
	if i+1 < len(c.terms) {
		x[termAfter] = 1 - c.terms[i+1].soft
		x[termBound] += e.bound(t, c.terms[i+1]) / 2
	}
	x[termMissBefore], x[termMissAfter] = missing*x[termBefore], missing*x[termAfter]
	x[termPlace] = float64(t.at) / float64(len(c.words))
	return x
}

func (e *Evidence) bound(a, b term) float64 {
	return truth(a.found() && b.found() && e.bigrams[pack(0, a.id, b.id)])
}

// year reports whether a number is a year that texts are dated with.
func year(low string) bool {
	return len(low) == 4 && (low[:2] == "18" || low[:2] == "19" || low[:2] == "20")
}
