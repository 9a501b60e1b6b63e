package rerank

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// A Dialect is the form of a server's requests. It is found out by the first request that a
// server answers.
type Dialect string

const (
	// Detect is not known yet.
	Detect Dialect = ""
	// Documents is the form of Jina, Cohere, vLLM and llama.cpp: the texts are
	// "documents", and the answer is an object with "results".
	Documents Dialect = "documents"
	// Texts is that of Text Embeddings Inference: the texts are "texts", and the
	// answer is a list.
	Texts Dialect = "texts"
)

const (
	provider     = "rerank"
	defaultBatch = 32
)

// Options says where a reranking server is.
type Options struct {
	// BaseURL ends before "/rerank": "https://api.jina.ai/v1",
	// "https://api.cohere.com/v2", "http://localhost:8080". Needed.
	BaseURL string
	// Model is the model's name. Servers of one model need none; default none.
	Model string
	// Key is sent as a bearer token; empty sends none. A key of 8 bytes or more
	// is a secret and is cut out of all that the server says.
	Key string
	// Batch is how many texts a request holds. Default 32, which is what Text
	// Embeddings Inference takes as it comes.
	Batch int
	// Timeout is for each request. Default llm.DefaultTimeout.
	Timeout time.Duration
	// Transport carries the requests. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// A Client asks a reranking server. It is safe for concurrent use.
type Client struct {
	url    string
	opts   Options
	server *wire.Server
	known  atomic.Value // Dialect, once it is found
}

// NewClient returns the client of a server. It makes no request. Errors are
// those of a key or an address that cannot be used.
func NewClient(opts *Options) (*Client, error) {
	if opts == nil {
		return nil, errors.New("setting up the reranker: no options are given; it needs a base URL")
	}
	o := *opts
	o.BaseURL = strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/rerank")
	if err := errors.Join(wire.CheckKey(o.Key), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up the reranker: %w", err)
	}
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	if o.Timeout <= 0 {
		o.Timeout = llm.DefaultTimeout
	}
	return &Client{url: o.BaseURL + "/rerank", opts: o, server: wire.NewServer(provider, o.Key, o.Transport)}, nil
}

// ID names server and model.
func (c *Client) ID() string {
	if c.opts.Model == "" {
		return c.opts.BaseURL
	}
	return c.opts.Model + " at " + c.opts.BaseURL
}

// Dialect returns the server's dialect as far as it is known.
func (c *Client) Dialect() Dialect {
	d, _ := c.known.Load().(Dialect)
	return d
}

// Rerank returns the server's score of each text, by index, as the server
// gives them: probabilities of some, logits of others, the higher the better.
// Without texts no request is made.
//
// Errors are those of ctx (its cause), *llm.StatusError, *llm.ConnectionError,
// *llm.ResponseError and *llm.TimeoutError.
func (c *Client) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	scores := make([]float64, 0, len(texts))
	for from := 0; from < len(texts); from += c.opts.Batch {
		part, err := c.batch(ctx, query, texts[from:min(from+c.opts.Batch, len(texts))])
		if err != nil {
			return nil, err
		}
		scores = append(scores, part...)
	}
	return scores, nil
}

// batch makes one request, and while the dialect is unknown a second one in
// the other dialect when the server refuses the first.
func (c *Client) batch(ctx context.Context, query string, texts []string) ([]float64, error) {
	if known := c.Dialect(); known != Detect {
		return c.post(ctx, known, query, texts)
	}
	scores, err := c.post(ctx, Documents, query, texts)
	found := Documents
	if refusesFields(err) {
		var second error
		if scores, second = c.post(ctx, Texts, query, texts); second == nil || !refusesFields(second) {
			err, found = second, Texts
		}
	}
	if err == nil {
		c.known.Store(found)
	}
	return scores, err
}

// refusesFields reports whether an error can be that of a server which misses
// a field of the other dialect.
func refusesFields(err error) bool {
	e, ok := errors.AsType[*llm.StatusError](err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

func (c *Client) post(ctx context.Context, d Dialect, query string, texts []string) ([]float64, error) {
	late := &llm.TimeoutError{After: c.opts.Timeout}
	inner, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout, late)
	defer cancel()
	body, err := c.server.Post(inner, c.url, request(d, c.opts.Model, query, texts))
	if err != nil {
		return nil, err
	}
	scores, err := decode(body, len(texts))
	if err != nil {
		return nil, &llm.ResponseError{Provider: provider, Err: err}
	}
	return scores, nil
}
