package analysis

import (
	"strings"
	"sync"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// maxStems bounds the words whose stems are remembered.
const maxStems = 1 << 17

// Stem is the stem of a word of a language, of bounded length.
func Stem(l text.Language, word string) string { return bounded(l.Stem(l.Word(word))) }

// A Stemmer remembers the stems of words: a corpus has few words and many occurrences of
// them. It is safe for concurrent use. The zero value remembers none.
type Stemmer struct {
	lock  sync.RWMutex
	stems map[string]string
}

// Stem is [Stem], remembered.
func (m *Stemmer) Stem(l text.Language, word string) string {
	key := word
	if l != text.English {
		key = string(l) + "\x00" + word
	}
	m.lock.RLock()
	stem, ok := m.stems[key]
	m.lock.RUnlock()
	if ok {
		return stem
	}
	stem = strings.Clone(Stem(l, word)) // not a part of the text that the word is of
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.stems == nil {
		m.stems = make(map[string]string)
	}
	if len(m.stems) < maxStems {
		m.stems[strings.Clone(key)] = stem
	}
	return stem
}

// Terms are the stems of s without the stop words of a language.
func (m *Stemmer) Terms(l text.Language, s string) []string {
	tokens := text.Tokens(s)
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if !l.Stops(l.Word(t.Text)) {
			out = append(out, m.Stem(l, t.Text))
		}
	}
	return out
}

// AppendLabels adds to the terms of a passage those of its blocks' labels, headings,
// numbers and columns that it has not, each once: what stands above the passage says
// what is in it.
func (m *Stemmer) AppendLabels(all []string, l text.Language, blocks []state.Block) []string {
	if len(blocks) == 0 {
		return all
	}
	has := make(map[string]bool, len(all))
	for _, term := range all {
		has[term] = true
	}
	read := map[string]bool{"": true}
	add := func(s string) {
		if read[s] {
			return
		}
		read[s] = true
		for _, term := range m.Terms(l, s) {
			if !has[term] {
				has[term] = true
				all = append(all, term)
			}
		}
	}
	for _, b := range blocks {
		add(b.Label)
		add(b.Under)
		add(b.Number)
		for _, c := range b.Cells {
			add(c.Header)
		}
	}
	return all
}
