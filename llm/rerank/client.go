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

// A Dialect is the form of a server's requests. The first answered request shows it.
type Dialect string

const (
	// Detect means that the dialect is not known yet.
	Detect Dialect = ""
	// Documents is the form of Jina, Cohere, vLLM and llama.cpp: the texts are
	// "documents", and the answer is an object with "results".
	Documents Dialect = "documents"
	// Texts is the form of Text Embeddings Inference: the texts are "texts", and the answer is a
	// list.
	Texts Dialect = "texts"
)

const (
	provider     = "rerank"
	defaultBatch = 32
)

// Options configure a reranking server.
type Options struct {
	// BaseURL is required and ends before "/rerank": "https://api.jina.ai/v1",
	// "https://api.cohere.com/v2", "http://localhost:8080".
	BaseURL string
	// Model is the model's name. Servers with one model need none; default none.
	Model string
	// Key is sent as a bearer token, unless it is empty. A key of 8 bytes or more is a secret and
	// is cut out of everything that the server returns.
	Key string
	// Batch is the number of texts per request. Default 32, the default limit of Text Embeddings
	// Inference.
	Batch int
	// Timeout limits each request. Default llm.DefaultTimeout.
	Timeout time.Duration
	// Transport carries the requests. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// A Client asks a reranking server. It is safe for concurrent use.
type Client struct {
	url    string
	opts   Options
	server *wire.Server
	known  atomic.Value // Dialect, once it is known
}

// NewClient returns a client for a server. It makes no request. It returns an error for an invalid
// key or address.
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

// Dialect returns the server's dialect, or Detect while it is unknown.
func (c *Client) Dialect() Dialect {
	d, _ := c.known.Load().(Dialect)
	return d
}

// Rerank returns the server's score of each text, by index: probabilities on some servers, logits
// on others, always higher is better. Without texts it makes no request.
//
// It returns the cause of ctx, *llm.StatusError, *llm.ConnectionError, *llm.ResponseError or
// *llm.TimeoutError.
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

// batch makes one request. While the dialect is unknown and the server refuses the first one, it
// makes a second request in the other dialect.
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

// refusesFields reports whether an error may come from a server that expects the other dialect.
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
