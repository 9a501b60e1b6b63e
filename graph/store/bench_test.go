package store_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
)

// hashes is an embedder of 256 dimensions that costs nothing.
type hashes struct{}

func (hashes) ID() string { return "hashes" }

func (hashes) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 256)
		for j := range len(text) {
			vectors[i][(int(text[j])*31+j)%256]++
		}
	}
	return vectors, nil
}

// BenchmarkSearch searches 10,000 items in memory.
func BenchmarkSearch(b *testing.B) {
	s, err := memory.New(&store.Options{Embedder: hashes{}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10000 {
		value := map[string]string{"text": fmt.Sprintf("item %d is about %d and %d", i, i*7%101, i*13%97)}
		if err := store.Put(b.Context(), s, []string{"n"}, fmt.Sprintf("%05d", i), value, nil); err != nil {
			b.Fatal(err)
		}
	}
	for name, q := range map[string]store.Query{
		"first":   {},
		"filter":  {Filters: []store.Filter{store.Equal("text", "none")}},
		"meaning": {Text: "item 4711 is about 11 and 12"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
