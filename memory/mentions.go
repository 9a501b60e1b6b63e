package memory

import "context"

// Mentions reports whether a passage of the corpus has a word, in any inflection. A word
// that cannot be looked up counts as mentioned.
func (c *Corpus) Mentions(word string) bool {
	held, err := c.index.Mentions(context.Background(), word)
	return held || err != nil
}
