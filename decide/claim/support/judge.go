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
	Best     []int    // sentences that carry the claim, the one that adds most first; at most three, no titles unless they copy it
	Missing  []string // content words as the claim has them, of which nothing similar is in the evidence
	Numbers  []string // numbers of the claim that are not in the evidence
	Copied   bool     // a sentence says it word for word
}

// longestJudged is how many words a claim may have and be supported: in a longer
// one nearly any word finds a counterpart.
const longestJudged = 1024

// Judge judges one claim: a sentence, or a clause of one. Status is supported
// from a balanced probability of ½, unsupported below .2, and partially
// supported between, which also says that the evidence is too thin to tell.
// Evidence without a word supports nothing, and a claim without a content word
// is supported only where it is copied. A text of more than 1,024 words is at
// most partially supported unless it is copied. It never says that a claim is false.
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

// copiedP is the probability of a claim that a sentence says word for word.
const copiedP = .98

// copies finds a sentence that holds all words of a claim of at least two, in a
// row: the first that can be quoted, or else a title or section.
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

// quotable reports whether a sentence is one of a source's text, or one that
// was given by itself.
func (e *Evidence) quotable(sentence int) bool {
	return e.places == nil || e.places[sentence].Source >= 0
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

// Stems are those of each sentence, as the judge reads them: what rarity is
// counted on.
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
