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

// EmbedderOptions adjusts an Embedder. Nil and the zero value mean the
// defaults.
type EmbedderOptions struct {
	// Dimension is the length of the vectors. It is sent to the server, which
	// not every model allows. Default the model's own, which is not sent.
	Dimension int
	// MaxTexts is how many texts one call carries. Default 128; OpenAI allows
	// 2048, TEI 32 unless it is told otherwise.
	MaxTexts int
	// MaxBytes is how many bytes of text one call carries; a longer text goes
	// alone. Default 300,000, which cannot be more than the 300,000 tokens that
	// OpenAI allows.
	MaxBytes int
}

// An Embedder turns texts into vectors by one model of a server. It makes no
// difference between documents and queries. It is safe for concurrent use.
type Embedder struct {
	server *Server
	name   string
	opts   EmbedderOptions
}

// Embedder returns the embedder of a model's name. It makes no call.
func (s *Server) Embedder(name string, opts *EmbedderOptions) (*Embedder, error) {
	o := EmbedderOptions{}
	if opts != nil {
		o = *opts
	}
	if strings.TrimSpace(name) == "" {
		return nil, fmt.Errorf("choosing an embedder of %s: the name is empty", s.provider)
	}
	if o.Dimension < 0 {
		return nil, fmt.Errorf("choosing an embedder of %s: %d is no dimension", s.provider, o.Dimension)
	}
	if o.MaxTexts <= 0 {
		o.MaxTexts = 128
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 300_000
	}
	return &Embedder{server: s, name: name, opts: o}, nil
}

// ID names the space that the vectors are in: provider, the server's host
// unless it is OpenAI's own, model and dimension, such as
// "openai/text-embedding-3-small/512" or "openai@localhost:8080/bge-m3/own".
// Vectors of different IDs must not be compared.
func (e *Embedder) ID() string {
	return wire.EmbedderID(e.server.provider, e.server.host, e.name, e.opts.Dimension)
}

// Embed returns the texts' vectors, in their order and all of one length, as
// the server scales them. Errors are those of ctx (its cause),
// *llm.StatusError, *llm.ConnectionError and *llm.ResponseError; nothing is
// returned beside one. A text without a word is an error. What was used goes to
// llm.Book.
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
			return nil, &wire.VectorsError{Reason: fmt.Sprintf("it has no or two vectors at position %d", item.Index)}
		}
		vectors[item.Index] = item.Embedding
	}
	llm.Book(ctx, llm.Usage{InputTokens: max(0, out.Usage.PromptTokens)}.Entry())
	return vectors, nil
}
