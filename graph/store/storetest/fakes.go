package storetest

import (
	"context"
	"strings"
	"sync"
	"time"
)

// A Clock stands still until Advance. Its Now is for Options.Now.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows a time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Words is a store.Embedder that counts words: its vectors have a dimension for each word of its
// vocabulary. A text without these words has a zero vector and scores 0.
type Words struct {
	Name       string
	Vocabulary []string
	// Fail, if set, may change the vectors or return an error instead.
	Fail func(vectors [][]float32) ([][]float32, error)

	mu    sync.Mutex
	texts []string
}

// ID returns the name.
func (w *Words) ID() string { return w.Name }

// Embed counts the words of each text.
func (w *Words) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.texts = append(w.texts, texts...)
	w.mu.Unlock()
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, len(w.Vocabulary))
		for _, word := range strings.Fields(text) {
			for j, known := range w.Vocabulary {
				if word == known {
					vectors[i][j]++
				}
			}
		}
	}
	if w.Fail != nil {
		return w.Fail(vectors)
	}
	return vectors, nil
}

// Seen returns the texts that were embedded since the last call.
func (w *Words) Seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}
