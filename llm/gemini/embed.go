package gemini

import (
	"context"
	"errors"
	"fmt"
	"math"

	"google.golang.org/genai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// EmbedderOptions adjusts an Embedder. All but Server may be zero.
type EmbedderOptions struct {
	// Server says how to reach Gemini. Key is required, or on Vertex
	// Credentials.
	Server Options
	// Dimension is the length of the vectors. Default the model's own.
	Dimension int
	// MaxTexts is how many texts one call carries. Default 100, which is the
	// Gemini API's limit; on Vertex 1, which is what each of its models takes.
	MaxTexts int
	// MaxBytes is how many bytes of text one call carries; a longer text goes
	// alone. Default 300,000.
	MaxBytes int
}

// An Embedder turns texts into vectors by one model, those of documents and
// those of queries by different tasks. It is safe for concurrent use.
type Embedder struct {
	name   string
	id     string
	client *genai.Client
	opts   EmbedderOptions
}

// NewEmbedder returns the embedder of a model's name, such as
// "gemini-embedding-001". It makes no call.
func NewEmbedder(ctx context.Context, name string, opts *EmbedderOptions) (*Embedder, error) {
	o := EmbedderOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Dimension < 0 || o.Dimension > math.MaxInt32 {
		return nil, fmt.Errorf("choosing an embedder of %s: %d is no dimension", Provider, o.Dimension)
	}
	client, err := newClient(ctx, name, &o.Server)
	if err != nil {
		return nil, err
	}
	if o.MaxTexts <= 0 {
		o.MaxTexts = 100
		if o.Server.Vertex {
			o.MaxTexts = 1
		}
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 300_000
	}
	host := ""
	if o.Server.BaseURL != "" {
		host = o.Server.host()
	}
	return &Embedder{name: name, id: wire.EmbedderID(Provider, host, name, o.Dimension), client: client, opts: o}, nil
}

// ID names the space that the vectors are in: provider, the server's host
// unless it is Google's own, model and dimension, such as
// "gemini/gemini-embedding-001/768", or ".../own" for the model's own
// dimension. Vertex and the Gemini API have the same spaces. Vectors of
// different IDs must not be compared.
func (e *Embedder) ID() string { return e.id }

// Embed returns the vectors of texts that are to be found, by the task
// RETRIEVAL_DOCUMENT, in the texts' order and all of one length. With a
// Dimension they are scaled to length 1; Google scales only its own.
//
// Errors are those of ctx (its cause) and of the credentials,
// *llm.StatusError, *llm.ConnectionError and *llm.ResponseError; nothing is
// returned beside one. A text without a word is an error; one beyond the
// model's limit is cut by the server, which does not say so.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, texts, "RETRIEVAL_DOCUMENT")
}

// EmbedQuery returns the vector of a text that documents are sought with, by
// the task RETRIEVAL_QUERY. It is to be compared with those of Embed.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.embed(ctx, []string{text}, "RETRIEVAL_QUERY")
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (e *Embedder) embed(ctx context.Context, texts []string, task string) ([][]float32, error) {
	config := &genai.EmbedContentConfig{TaskType: task}
	if e.opts.Dimension > 0 {
		config.OutputDimensionality = new(int32(e.opts.Dimension))
	}
	vectors, err := wire.InBatches(ctx, texts, e.opts.MaxTexts, e.opts.MaxBytes, e.opts.Dimension, func(ctx context.Context, texts []string) ([][]float32, error) {
		return e.batch(ctx, texts, *config)
	})
	if answer, ok := errors.AsType[*wire.VectorsError](err); ok {
		return nil, &llm.ResponseError{Provider: Provider, Err: answer}
	}
	if err != nil {
		return nil, fmt.Errorf("embedding with %s model %q: %w", Provider, e.name, err)
	}
	if e.opts.Dimension > 0 {
		for _, v := range vectors {
			normalize(v)
		}
	}
	return vectors, nil
}

// batch makes one call. The library writes into config.
func (e *Embedder) batch(ctx context.Context, texts []string, config genai.EmbedContentConfig) (vectors [][]float32, err error) {
	ctx, outcome := wire.Watch(ctx)
	contents := make([]*genai.Content, len(texts))
	for i, text := range texts {
		contents[i] = genai.NewContentFromText(text, genai.RoleUser)
	}
	out, err := e.call(ctx, contents, &config)
	switch lost := outcome.Err(); {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case lost != nil:
		return nil, lost
	case err != nil:
		return nil, &llm.ResponseError{Provider: Provider, Err: errFormat}
	}
	for _, item := range out.Embeddings {
		if item == nil {
			return nil, &wire.VectorsError{Reason: "one of its vectors is null"}
		}
		vectors = append(vectors, item.Values)
	}
	return vectors, nil
}

// call turns a panic of the library into an error, as Model.call does.
func (e *Embedder) call(ctx context.Context, contents []*genai.Content, config *genai.EmbedContentConfig) (out *genai.EmbedContentResponse, err error) {
	defer func() {
		if recover() != nil {
			err = errFormat
		}
	}()
	return e.client.Models.EmbedContent(ctx, e.name, contents, config)
}

// normalize scales a vector to length 1. One of zeros stays.
func normalize(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}
