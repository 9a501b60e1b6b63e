package index

import (
	"sync"

	"example.com/assay/memory/text"
)

// maxStems bounds the words whose stems are remembered.
const maxStems = 1 << 17

// A stemCache remembers the stems of words that were read. It is safe for concurrent use.
type stemCache struct {
	lock  sync.RWMutex
	stems map[string]string
}

// stem is [text.Stem] of a word, remembered: reading a hundred passages for
// every question would stem the same words over and over.
func (x *Index) stem(word string) string {
	c := x.stems
	c.lock.RLock()
	stem, ok := c.stems[word]
	c.lock.RUnlock()
	if ok {
		return stem
	}
	stem = text.Stem(word)
	if len(stem) > maxTerm {
		stem = stem[:maxTerm]
	}
	c.lock.Lock()
	if len(c.stems) < maxStems {
		c.stems[word] = stem
	}
	c.lock.Unlock()
	return stem
}
