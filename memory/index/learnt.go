package index

import (
	"maps"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A learnt notes what passages say that a lexicon tells: their words, and what they define.
type learnt struct {
	words map[string]bool
	forms map[definition]int // times each is written
}

func newLearnt() *learnt { return &learnt{words: map[string]bool{}, forms: map[definition]int{}} }

// learn notes the words of a passage and what it defines.
func (l *learnt) learn(p state.Passage) {
	for _, s := range texts(p) {
		for _, t := range text.Tokens(s) {
			if isPlain(t.Text) && !l.words[t.Text] {
				l.words[strings.Clone(t.Text)] = true
			}
		}
		for _, f := range text.ShortForms(s) {
			l.forms[definition{Short: strings.ToLower(f.Short), Long: strings.ToLower(strings.Join(strings.Fields(f.Long), " "))}]++
		}
	}
}

// add notes what another learnt.
func (l *learnt) add(other *learnt) {
	maps.Copy(l.words, other.words)
	for d, n := range other.forms {
		l.forms[d] += n
	}
}
