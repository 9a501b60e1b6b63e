// Package embedtest has an embedder for tests: no network, no model, the same
// vectors every time, and failures on request. TestCache is the suite of caches.
package embedtest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"example.com/assay/memory/text"
)

// Words embeds a text as the sum of one random direction per word, so that
// texts are alike as far as they share stems. It is safe for concurrent use.
type Words struct {
	Name string // in the ID; default "words"
	Dims int    // default 64
	// Bias moves all cosines towards one: c becomes Bias + (1−Bias)·c. Models differ in it, from
	// none to .8 and more. It adds a dimension.
	Bias float64
	// Before is called before every call with its number, from one, and its texts. Its error
	// becomes the call's. Optional.
	Before func(ctx context.Context, call int, texts []string) error
	// After may change the vectors of a call. Optional.
	After func(vectors [][]float32) [][]float32

	mu    sync.Mutex
	calls int
	seen  []string
}

// ID names the space.
func (w *Words) ID() string {
	name := w.Name
	if name == "" {
		name = "words"
	}
	return fmt.Sprintf("test:%s bias=%g dims=%d", name, w.Bias, w.dims())
}

func (w *Words) dims() int {
	if w.Dims > 0 {
		return w.Dims
	}
	return 64
}

// Calls returns how often Embed was called.
func (w *Words) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// Seen returns every text that Embed was given, in the order of the calls.
func (w *Words) Seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.seen...)
}

// Embed returns the vectors of texts.
func (w *Words) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	w.mu.Lock()
	w.calls++
	call := w.calls
	w.seen = append(w.seen, texts...)
	w.mu.Unlock()
	if w.Before != nil {
		if err := w.Before(ctx, call, texts); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = w.vector(s)
	}
	if w.After != nil {
		out = w.After(out)
	}
	return out, nil
}

func (w *Words) vector(s string) []float32 {
	sum := make([]float64, w.dims())
	list := text.Terms(s, text.DocStops)
	if len(list) == 0 {
		list = []string{s}
	}
	for _, term := range list {
		addDirection(sum, w.Name+" "+term)
	}
	var norm float64
	for _, v := range sum {
		norm += v * v
	}
	scale := math.Sqrt((1 - w.Bias) / norm)
	out := make([]float32, 0, len(sum)+1)
	for _, v := range sum {
		out = append(out, float32(v*scale))
	}
	if w.Bias > 0 {
		out = append(out, float32(math.Sqrt(w.Bias)))
	}
	return out
}

// addDirection adds ±1 to each coordinate, by the bits of a hash.
func addDirection(sum []float64, seed string) {
	var block [sha256.Size]byte
	for i := range sum {
		if i%256 == 0 {
			block = sha256.Sum256(binary.AppendUvarint([]byte(seed), uint64(i/256)))
		}
		bit := block[i%256/8] >> (i % 8) & 1
		sum[i] += float64(2*int(bit) - 1)
	}
}
