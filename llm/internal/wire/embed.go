package wire

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// EmbedderID names an embedder's vector space: provider, host unless it is empty, model and
// dimension, which is "own" when the model chooses it.
func EmbedderID(provider, host, model string, dimension int) string {
	if host != "" {
		provider += "@" + host
	}
	if dimension == 0 {
		return provider + "/" + model + "/own"
	}
	return fmt.Sprintf("%s/%s/%d", provider, model, dimension)
}

// A VectorsError reports that a server's vectors do not fit the texts.
type VectorsError struct{ Reason string }

func (e *VectorsError) Error() string { return e.Reason }

// InBatches embeds texts in consecutive calls of at most maxTexts texts and maxBytes bytes; a
// longer text goes alone. The vectors are in the texts' order and have one length: dimension, or
// any if that is 0. Other vectors are a *VectorsError.
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
