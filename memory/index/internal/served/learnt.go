package served

import (
	"maps"
	"strings"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Learnt notes what passages say that a lexicon tells: their words, and what they define.
type Learnt struct {
	words map[string]bool
	forms map[definition]int // times each is written
}

func NewLearnt() *Learnt { return &Learnt{words: map[string]bool{}, forms: map[definition]int{}} }

// Learn notes the words of a passage and what it defines.
func (l *Learnt) Learn(p state.Passage) {
	for _, s := range analysis.Texts(p) {
		for _, t := range text.Tokens(s) {
			if analysis.IsPlain(t.Text) && !l.words[t.Text] {
				l.words[strings.Clone(t.Text)] = true
			}
		}
		for _, f := range text.ShortForms(s) {
			l.forms[definition{Short: strings.ToLower(f.Short), Long: strings.ToLower(strings.Join(strings.Fields(f.Long), " "))}]++
		}
	}
}

// Add notes what another learnt.
func (l *Learnt) Add(other *Learnt) {
	maps.Copy(l.words, other.words)
	for d, n := range other.forms {
		l.forms[d] += n
	}
}
