package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// EmbedderOptions configure an Embedder. Nil and the zero value mean the defaults.
type EmbedderOptions struct {
	// Dimension is the length of the vectors. It is sent to the server; not every model accepts it.
	// Default: the model's own, and nothing is sent.
	Dimension int
	// MaxTexts is the number of texts per call. Default 128. OpenAI allows 2048, TEI 32 by default.
	MaxTexts int
	// MaxBytes is the number of bytes of text per call; a longer text goes alone. Default 300,000,
	// which never exceeds OpenAI's limit of 300,000 tokens.
	MaxBytes int
}

// An Embedder turns texts into vectors with one model of a server. Documents and queries get the
// same treatment. It is safe for concurrent use.
type Embedder struct {
	server *Server
	name   string
	opts   EmbedderOptions
}

// Embedder returns an embedder by the model's name. It makes no call.
func (s *Server) Embedder(name string, opts *EmbedderOptions) (*Embedder, error) {
	o := EmbedderOptions{}
	if opts != nil {
		o = *opts
	}
	if strings.TrimSpace(name) == "" {
		return nil, fmt.Errorf("choosing an embedder of %s: the name is empty", s.provider)
	}
	if o.Dimension < 0 {
		return nil, fmt.Errorf("choosing an embedder of %s: the dimension is %d: it must not be negative", s.provider, o.Dimension)
	}
	if o.MaxTexts <= 0 {
		o.MaxTexts = 128
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 300_000
	}
	return &Embedder{server: s, name: name, opts: o}, nil
}

// ID names the vector space: provider, the server's host if it is not OpenAI's own, model and
// dimension, such as "openai/text-embedding-3-small/512" or "openai@localhost:8080/bge-m3/own".
// Vectors of different IDs must not be compared.
func (e *Embedder) ID() string {
	return wire.EmbedderID(e.server.provider, e.server.host, e.name, e.opts.Dimension)
}

// Embed returns the texts' vectors, in order and all of one length, as the server scales them. It
// returns the cause of ctx, *llm.StatusError, *llm.ConnectionError or *llm.ResponseError, and then
// no vectors. A text without a word is an error. It reports its usage to llm.Book.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := wire.InBatches(ctx, texts, e.opts.MaxTexts, e.opts.MaxBytes, e.opts.Dimension, e.batch)
	if err == nil {
		return vectors, nil
	}
	if answer, ok := errors.AsType[*wire.VectorsError](err); ok {
		return nil, &llm.ResponseError{Provider: e.server.provider, Err: answer}
	}
	return nil, fmt.Errorf("embedding with %s model %q: %w", e.server.provider, e.name, err)
}

func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, outcome := wire.Watch(ctx)
	out, err := e.server.plain.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
		Input: texts, Model: openai.EmbeddingModel(e.name), Dimensions: e.opts.Dimension,
	})
	switch lost := outcome.Err(); {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case lost != nil:
		return nil, lost
	case err != nil:
		return nil, &llm.ResponseError{Provider: e.server.provider, Err: errors.New("it is not in the embeddings API's format")}
	}
	vectors := make([][]float32, len(texts))
	for _, item := range out.Data {
		if item.Index < 0 || item.Index >= len(vectors) || vectors[item.Index] != nil {
			return nil, &wire.VectorsError{Reason: fmt.Sprintf("it has two vectors for text %d, or there is no such text", item.Index)}
		}
		vectors[item.Index] = item.Embedding
	}
	llm.Book(ctx, llm.Usage{InputTokens: max(0, out.Usage.PromptTokens)}.Entry())
	return vectors, nil
}
