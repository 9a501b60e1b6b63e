package verify

import (
	"slices"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A found is a conflict with the sentence that it was found in.
type found struct {
	state.Conflict
	quote state.Quote // zero when the evidence has no words for it
}

// compare sets what a claim says, word by word, against the sentences of its
// evidence that give no orders: what they contradict, and what they leave open.
func (j *Judge) compare(c state.Claim, evidence []state.Evidence) (conflicts []found, doubts []state.Doubt) {
	var sentences []string
	var quotes []state.Quote
	for _, e := range evidence {
		orders := j.inspect.In(e.Passage)
		for _, s := range text.Sentences(e.Passage.Text) {
			if slices.ContainsFunc(orders, func(o retrieval.Order) bool { return o.Start < s.End && s.Start < o.End }) {
				continue
			}
			sentences = append(sentences, e.Passage.Text[s.Start:s.End])
			quotes = append(quotes, state.QuoteIn(e.Passage, s.Start, s.End-s.Start))
		}
	}
	checked := j.facts.Prepare(sentences).Check(c.Spoken())
	for _, f := range checked.Conflicts {
		one := found{Conflict: f.Conflict}
		if f.Sentence >= 0 {
			one.quote = quotes[f.Sentence]
		}
		conflicts = append(conflicts, one)
	}
	for _, d := range checked.Doubts {
		doubts = append(doubts, d.Doubt)
	}
	return conflicts, doubts
}
