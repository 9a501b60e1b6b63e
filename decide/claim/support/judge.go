package support

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Lower bounds of the statuses, as balanced probabilities.
const (
	supportedFrom    = .5
	unsupportedBelow = .2
)

// A Judgement says how far evidence supports a claim.
type Judgement struct {
	Status state.ClaimStatus
	// P is the calibrated probability that the evidence supports the whole claim, at the rate of
	// the training data. Show this one.
	P float64
	// Balanced is the probability if supported and other claims were equally frequent, so both
	// kinds of error weigh the same. It decides the status.
	Balanced float64
	Best     []int    // sentences that support the claim, the one that adds most first; at most three, no titles unless they copy it
	Missing  []string // content words of the claim without anything similar in the evidence
	Numbers  []string // numbers of the claim that are not in the evidence
	Copied   bool     // a sentence states it word for word
}

// longestJudged is the maximum number of words of a supported claim: in a longer one nearly any
// word finds a counterpart.
const longestJudged = 1024

// Judge judges one claim: a sentence, or a clause. It is supported from a balanced probability of
// ½, unsupported below .2, and partially supported in between, which also means that the evidence
// is too thin. Evidence without a word supports nothing, and a claim without a content word is
// supported only if it is copied. A text of more than 1,024 words is at most partially supported
// unless it is copied. Judge never calls a claim false.
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
	_, out.Best = c.carriers(e.quotable)
	if len(c.order) == 0 {
		out.Status = state.Unsupported
		return out
	}
	score := e.score(c)
	out.Balanced = sigmoid(score)
	out.P = e.model.weights.Calibration.P(score, e.Width())
	out.Status = status(out.Balanced)
	if out.Status == state.Supported && len(c.words) > longestJudged {
		out.Status = state.PartiallySupported
	}
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

// copiedP is the probability of a claim that a sentence states word for word.
const copiedP = .98

// copies finds a sentence that contains all words of a claim of at least two words, in a row: the
// first quotable one, or else a title or section.
func (e *Evidence) copies(c *claim) (int, bool) {
	if len(c.ids) < 2 {
		return 0, false
	}
	for _, id := range c.ids {
		if id < 0 {
			return 0, false
		}
	}
	found, ok := 0, false
	for _, at := range e.postings[c.ids[0]] {
		if ok && !e.quotable(int(at)) {
			continue
		}
		s := &e.sentences[at]
		for first := 0; first+len(c.ids) <= len(s.ids); first++ {
			if s.says(first, c) {
				found, ok = int(at), true
				if e.quotable(found) {
					return found, true
				}
				break
			}
		}
	}
	return found, ok
}

// quotable reports whether a sentence is part of a source's text, or was given without a source.
func (e *Evidence) quotable(sentence int) bool {
	return e.places == nil || e.places[sentence].Source >= 0
}

// says reports whether the claim's words are there in a row, without negation, doubt or supposition
// around them.
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

// Sentences splits a text into the sentences that are judged.
func Sentences(s string) []string {
	var out []string
	for _, span := range text.Sentences(s) {
		if t := strings.TrimSpace(s[span.Start:span.End]); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Stems returns the stems of each sentence as the judge counts them for rarity.
func Stems(sentences []string) [][]string {
	out := make([][]string, len(sentences))
	l := newLexer()
	for i, s := range sentences {
		for _, w := range l.words(s) {
			out[i] = append(out[i], w.stem)
		}
	}
	return out
}
