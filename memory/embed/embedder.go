package embed

import (
	"context"
	"fmt"
	"math"
)

// An Embedder turns texts into vectors of one length, in the order of the
// texts. Embed is called by several goroutines at once.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// ID names the space that the vectors are in: provider, server, model and
	// number of dimensions. Vectors of different IDs are never compared.
	ID() string
}

// A QueryEmbedder is an Embedder that embeds questions in another way than
// the passages that answer them, in the same space.
type QueryEmbedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// An Error reports that an embedder failed or gave an unusable answer.
type Error struct {
	Embedder string // its ID
	Err      error
}

func (e *Error) Error() string { return fmt.Sprintf("embedding with %q: %v", e.Embedder, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// unit returns v at unit length. A vector that has no direction is an error:
// it would be equally near to everything.
func unit(v []float32) ([]float32, error) {
	var sum float64
	for i, x := range v {
		f := float64(x)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("coordinate %d of %d is %v", i+1, len(v), x)
		}
		sum += f * f
	}
	if sum == 0 {
		return nil, fmt.Errorf("all %d coordinates are zero", len(v))
	}
	out := make([]float32, len(v))
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(float64(x) * scale)
	}
	return out, nil
}
