package support

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Where a status begins, in balanced probability.
const (
	supportedFrom    = .5
	unsupportedBelow = .2
)

// A Judgement is how far evidence carries a claim.
type Judgement struct {
	Status state.ClaimStatus
	// P is the calibrated probability that the evidence supports the whole
	// claim, as often as claims of that kind are supported in the data that the
	// model was trained on. It is what to show.
	P float64
	// Balanced is the probability if supported and other claims were equally
	// many: it makes both kinds of error alike, and decides the status.
	Balanced float64
	Best     []int    // sentences that carry the claim, the one that adds most first; at most three
	Missing  []string // content words as the claim has them, of which nothing similar is in the evidence
	Numbers  []string // numbers of the claim that are not in the evidence
	Copied   bool     // a sentence says it word for word
}

// Judge judges one claim: a sentence, or a clause of one. Status is supported
// from a balanced probability of ½, unsupported below .2, and partially
// supported between, which also says that the evidence is too thin to tell.
// Evidence without a word supports nothing, and a claim without a content word
// is supported only where it is copied. It never says that a claim is false.
func (e *Evidence) Judge(s string) Judgement {
	c := e.read(s)
	var out Judgement
	if at, ok := e.copies(c); ok {
		return Judgement{Status: state.Supported, P: copiedP, Balanced: copiedP, Best: []int{at}, Copied: true}
	}
	for _, t := range c.terms {
		switch {
		case t.found():
		case t.number:
			out.Numbers = append(out.Numbers, s[t.start:t.end])
		case t.soft == 0 && !t.light:
			out.Missing = append(out.Missing, s[t.start:t.end])
		}
	}
	out.Best = c.picked
	if len(c.order) == 0 {
		out.Status = state.Unsupported
		return out
	}
	score, _ := e.score(c)
	out.Balanced = sigmoid(score)
	out.P = e.model.weights.Calibration.P(score, e.Width())
	out.Status = status(out.Balanced)
	return out
}

func status(balanced float64) state.ClaimStatus {
	switch {
	case balanced >= supportedFrom:
		return state.Supported
	case balanced < unsupportedBelow:
		return state.Unsupported
	}
	return state.PartiallySupported
}

// copiedP is the probability of a claim that a sentence says word for word.
const copiedP = .98

// copies finds the first sentence that holds all words of a claim of at least
// three, in a row, and negates nothing outside of them.
func (e *Evidence) copies(c *claim) (int, bool) {
	if len(c.ids) < 3 {
		return 0, false
	}
	for _, id := range c.ids {
		if id < 0 {
			return 0, false
		}
	}
	for _, at := range e.postings[c.ids[0]] {
		s := &e.sentences[at]
		for first := 0; first+len(c.ids) <= len(s.ids); first++ {
			if s.says(first, c) {
				return int(at), true
			}
		}
	}
	return 0, false
}

// says reports whether the claim's words stand there in a row, and nothing
// around them negates, doubts or supposes.
func (s *sentence) says(first int, c *claim) bool {
	for i := range c.words {
		if s.words[first+i].low != c.words[i].low {
			return false
		}
	}
	for i, w := range s.words {
		if (i < first || i >= first+len(c.words)) && (w.negates || w.hedges || supposes[w.low]) {
			return false
		}
	}
	return true
}

// Sentences splits a text into the sentences that a response is judged by.
func Sentences(s string) []string {
	var out []string
	for _, span := range text.Sentences(s) {
		if t := strings.TrimSpace(s[span.Start:span.End]); t != "" {
			out = append(out, t)
		}
	}
	return out
}
