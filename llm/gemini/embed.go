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

// EmbedderOptions configure an Embedder. Only Server is required.
type EmbedderOptions struct {
	// Server configures access to Gemini; see Options.
	Server Options
	// Dimension is the length of the vectors. Default the model's own.
	Dimension int
	// MaxTexts is the number of texts per call. Default 100, the Gemini API's limit; on Vertex 1,
	// which each of its models accepts.
	MaxTexts int
	// MaxBytes is the number of bytes of text per call; a longer text goes alone. Default 300,000.
	MaxBytes int
}

// An Embedder turns texts into vectors with one model. Documents and queries use different tasks.
// It is safe for concurrent use.
type Embedder struct {
	name   string
	id     string
	client *genai.Client
	opts   EmbedderOptions
}

// NewEmbedder returns an embedder for a model name, such as "gemini-embedding-001". It makes no
// call.
func NewEmbedder(ctx context.Context, name string, opts *EmbedderOptions) (*Embedder, error) {
	o := EmbedderOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Dimension < 0 || o.Dimension > math.MaxInt32 {
		return nil, fmt.Errorf("choosing an embedder of %s: the dimension %d is out of range", Provider, o.Dimension)
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

// ID names the vector space: provider, the server's host if it is not Google's own, model and
// dimension, such as "gemini/gemini-embedding-001/768", or ".../own" for the model's own dimension.
// Vertex and the Gemini API share their spaces. Vectors of different IDs must not be compared.
func (e *Embedder) ID() string { return e.id }

// Embed returns the vectors of documents (task RETRIEVAL_DOCUMENT), in the texts' order and all of
// one length. With a Dimension they are scaled to length 1; Google scales only vectors of the
// model's own dimension.
//
// It returns the cause of ctx, an error of the credentials, *llm.StatusError, *llm.ConnectionError
// or *llm.ResponseError, and then no vectors. A text without a word is an error. The server cuts a
// text beyond the model's limit silently.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, texts, "RETRIEVAL_DOCUMENT")
}

// EmbedQuery returns the vector of a query (task RETRIEVAL_QUERY), for comparison with vectors of
// Embed.
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

// normalize scales a vector to length 1. A zero vector stays.
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
