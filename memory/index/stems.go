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

// stem is [text.Stem] of a word, remembered.
func (x *Index) stem(word string) string { return x.stemIn(text.English, word) }

// stemIn is the stem of a word in a language, remembered: reading a hundred passages for
// every question would stem the same words over and over.
func (x *Index) stemIn(l text.Language, word string) string {
	c, key := x.stems, word
	if l != text.English {
		key = string(l) + "\x00" + word
	}
	c.lock.RLock()
	stem, ok := c.stems[key]
	c.lock.RUnlock()
	if ok {
		return stem
	}
	stem = bounded(l.Stem(l.Word(word)))
	c.lock.Lock()
	if len(c.stems) < maxStems {
		c.stems[key] = stem
	}
	c.lock.Unlock()
	return stem
}
