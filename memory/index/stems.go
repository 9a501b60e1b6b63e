package index

import "example.com/assay/memory/text"

// maxStems bounds the words whose stems are remembered.
const maxStems = 1 << 17

// stem is [text.Stem] of a word, remembered: reading a hundred passages for
// every question would stem the same words over and over.
func (x *Index) stem(word string) string {
	x.stemLock.RLock()
	stem, ok := x.stems[word]
	x.stemLock.RUnlock()
	if ok {
		return stem
	}
	stem = text.Stem(word)
	if len(stem) > maxTerm {
		stem = stem[:maxTerm]
	}
	x.stemLock.Lock()
	if len(x.stems) < maxStems {
		x.stems[word] = stem
	}
	x.stemLock.Unlock()
	return stem
}
