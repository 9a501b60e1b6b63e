package store

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// An Embedder turns texts into vectors. The cosine of two vectors says how similar the texts are in
// meaning. Several goroutines may use it at once.
type Embedder interface {
	// ID names the model and every setting that changes its vectors. Vectors with different IDs are
	// never compared.
	ID() string
	// Embed returns a vector for each text, in order, all of one length. It gets at most 128 texts
	// per call.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const embedBatch = 128

// indexName names a set of comparable vectors: from one embedder, made of the same fields.
func indexName(id string, fields []string) string {
	return strings.Join(append([]string{id}, fields...), "\x00")
}

// embed calls the embedder and checks its answer: the number of vectors, their length and their
// elements.
func (e *engine) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(embedBatch, len(texts))]
		texts = texts[len(batch):]
		got, err := e.opts.Embedder.Embed(ctx, batch)
		if err == nil {
			err = e.checkVectors(got, len(batch))
		}
		if err != nil {
			return nil, fmt.Errorf("embedding by %q: %w", e.opts.Embedder.ID(), err)
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

func (e *engine) checkVectors(vectors [][]float32, want int) error {
	if len(vectors) != want {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), want)
	}
	dimensions := len(vectors[0])
	for i, v := range vectors {
		if len(v) == 0 || len(v) != dimensions {
			return fmt.Errorf("vector %d has %d dimensions, not %d", i+1, len(v), dimensions)
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("vector %d has an element %v", i+1, x)
			}
		}
	}
	// Two first calls may race with different lengths: the one that stored its length later fails.
	if !e.dimensions.CompareAndSwap(0, int64(dimensions)) && int(e.dimensions.Load()) != dimensions {
		return fmt.Errorf("vectors have %d dimensions, not %d", dimensions, e.dimensions.Load())
	}
	return nil
}

// embedRows fills in the vectors of rows, each by its fields, if the store has an embedder.
func (e *engine) embedRows(ctx context.Context, rows []*Row, fields [][][]string) error {
	if e.opts.Embedder == nil {
		return nil
	}
	var texts []string
	counts := make([]int, len(rows))
	for i, row := range rows {
		more, err := textsOf(row, fields[i])
		if err != nil {
			return err
		}
		texts, counts[i] = append(texts, more...), len(more)
	}
	vectors, err := e.embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, row := range rows {
		row.Vectors = encodeVectors(e.index, vectors[:counts[i]])
		vectors = vectors[counts[i]:]
	}
	return nil
}

// textsOf returns the texts of a row that are embedded: of its fields, or all with nil. Empty texts are
// left out.
func textsOf(row *Row, fields [][]string) ([]string, error) {
	object, err := parse(row.Value)
	if err != nil {
		return nil, fmt.Errorf("reading the value of %s: %w", itemName(namespaceOf(row.Path), row.Key), err)
	}
	if fields == nil {
		if t := text(object); t != "" {
			return []string{t}, nil
		}
		return nil, nil
	}
	var out []string
	for _, path := range fields {
		part, _ := field(object, path)
		if t := text(part); t != "" {
			out = append(out, t)
		}
	}
	return out, nil
}
