package wire

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// EmbedderID is the name of an embedder's space: provider, host unless it is
// empty, model and dimension, which is "own" when the model chooses it.
func EmbedderID(provider, host, model string, dimension int) string {
	if host != "" {
		provider += "@" + host
	}
	if dimension == 0 {
		return provider + "/" + model + "/own"
	}
	return fmt.Sprintf("%s/%s/%d", provider, model, dimension)
}

// A VectorsError says that a server answered with vectors that cannot be
// those of the texts.
type VectorsError struct{ Reason string }

func (e *VectorsError) Error() string { return e.Reason }

// InBatches embeds texts by calls that carry so many texts and so many bytes
// at most, one after the other; a text that is longer goes alone. The vectors
// are in the texts' order and of one length, which is dimension unless that
// is 0; else the error is a *VectorsError.
func InBatches(ctx context.Context, texts []string, maxTexts, maxBytes, dimension int, embed func(context.Context, []string) ([][]float32, error)) ([][]float32, error) {
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("text %d is empty", i+1)
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		end, size := start+1, len(texts[start])
		for end < len(texts) && end-start < maxTexts && size+len(texts[end]) <= maxBytes {
			size += len(texts[end])
			end++
		}
		batch, err := embed(ctx, texts[start:end])
		if err != nil {
			return nil, err
		}
		if len(batch) != end-start {
			return nil, &VectorsError{fmt.Sprintf("it has %d vectors for %d texts", len(batch), end-start)}
		}
		vectors = append(vectors, batch...)
		start = end
	}
	for i, vector := range vectors {
		if dimension == 0 {
			dimension = len(vector)
		}
		if len(vector) == 0 || len(vector) != dimension {
			return nil, &VectorsError{fmt.Sprintf("vector %d has %d dimensions of %d", i+1, len(vector), dimension)}
		}
		for _, x := range vector {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, &VectorsError{fmt.Sprintf("vector %d is not finite", i+1)}
			}
		}
	}
	return vectors, nil
}
