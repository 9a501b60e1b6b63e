package classify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

const (
	defaultBatch = 32
	// atOnce bounds the concurrent requests of one Score. The Caller's limit also applies.
	atOnce = 8
)

// Options describe a server.
type Options struct {
	// URL is required. Its end says which protocol the server speaks: /predict, /classify, /v1 or
	// /v1/chat/completions.
	URL string
	// Model is the model's name. It is required for /v1, and optional for a server with one model.
	Model string
	// Key is sent as a bearer token, unless it is empty. A key of 8 bytes or more is a secret and
	// is cut out of everything that the server returns.
	Key string
	// Labels gives the meaning of the model's labels, in addition to the usual names. Default none.
	Labels Labels
	// Batch is the number of texts per request. Default 32, the default limit of Text Embeddings
	// Inference. A request to /v1 always has one.
	Batch int
	// Caller makes each request, under its limits. Default: one attempt, limited only by its
	// context.
	Caller *llm.Caller
	// Transport carries the requests. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// A Client asks a server with a classifier. It is safe for concurrent use.
type Client struct {
	task   Task
	opts   Options
	wire   dialect
	url    string
	server *wire.Server

	noLogprobs atomic.Bool // the /v1 server refuses requests for log-probabilities
	mu         sync.Mutex
	served     string // the model, as the server names it
}

// NewClient returns a client for a server. It makes no request. It returns an error for an invalid
// address, key or label.
func NewClient(task Task, opts *Options) (*Client, error) {
	if opts == nil {
		return nil, fmt.Errorf("setting up the %s: no options are given; it needs an address", task.name())
	}
	o := *opts
	c := &Client{task: task, url: strings.TrimRight(o.URL, "/")}
	var ok bool
	if c.wire, c.url, ok = dialectOf(c.url); !ok {
		return nil, fmt.Errorf("setting up the %s: the address must end in /predict (Text Embeddings Inference), /classify (vLLM, SGLang) or /v1 (OpenAI-compatible)", task.name())
	}
	err := errors.Join(wire.CheckKey(o.Key), wire.CheckBaseURL(c.url), o.Labels.check(task))
	switch {
	case err != nil:
		return nil, fmt.Errorf("setting up the %s: %w", task.name(), err)
	case c.wire == chat && task != Support:
		return nil, fmt.Errorf("setting up the %s: a server of /v1 is asked about claims alone; give an address that ends in /predict or /classify", task.name())
	case c.wire == chat && o.Model == "":
		return nil, fmt.Errorf("setting up the %s: a server of /v1 needs the name of a model, such as bespoke-minicheck", task.name())
	}
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	if c.wire == chat {
		o.Batch = 1
	}
	c.opts = o
	c.server = wire.NewServer(task.name(), o.Key, o.Transport)
	return c, nil
}

// An Input is a text to classify. Claim is the claim that the text may support; other tasks leave
// it empty.
type Input struct{ Text, Claim string }

// A Score is the classification of a text.
type Score struct {
	P       float64 // 0..1 that the text supports the claim, or is a prompt injection
	Against float64 // 0..1 that it contradicts the claim; 0 if the model has no such class
}

// Score classifies texts. It returns their scores, by index, and the tokens that the server
// counted. Without texts it makes no request.
//
// It returns the cause of ctx, an error of the Caller, *llm.StatusError, *llm.ConnectionError,
// *llm.ResponseError or *LabelError.
func (c *Client) Score(ctx context.Context, inputs []Input) ([]Score, llm.Usage, error) {
	scores := make([]Score, len(inputs))
	used := make([]llm.Usage, len(inputs)) // of each request, at the index of its first text
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for from := 0; from < len(inputs); from += c.opts.Batch {
		to := min(from+c.opts.Batch, len(inputs))
		group.Go(func() error {
			part, usage, err := c.batch(inner, inputs[from:to])
			copy(scores[from:to], part)
			used[from] = usage
			return err
		})
	}
	err := group.Wait()
	var usage llm.Usage
	for _, u := range used {
		usage = usage.Plus(u)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, usage, context.Cause(ctx)
	case err != nil:
		return nil, usage, err
	}
	return scores, usage, nil
}

// batch makes one request, and repeats it if the Caller does.
func (c *Client) batch(ctx context.Context, inputs []Input) (scores []Score, usage llm.Usage, err error) {
	once := func(ctx context.Context) (llm.Usage, error) {
		var spent llm.Usage
		scores, spent, err = c.ask(ctx, inputs)
		usage = usage.Plus(spent)
		return spent, err
	}
	if c.opts.Caller != nil {
		err = c.opts.Caller.Do(ctx, once)
	} else {
		_, err = once(ctx)
	}
	return scores, usage, err
}

// ask makes one request. If a /v1 server refuses to return probabilities, later requests do not ask
// for them.
func (c *Client) ask(ctx context.Context, inputs []Input) ([]Score, llm.Usage, error) {
	plain := c.noLogprobs.Load()
	body, err := c.server.Post(ctx, c.url, c.request(inputs, plain))
	if status, ok := errors.AsType[*llm.StatusError](err); ok && c.wire == chat && !plain &&
		(status.Status == http.StatusBadRequest || status.Status == http.StatusUnprocessableEntity) {
		var second error
		if body, second = c.server.Post(ctx, c.url, c.request(inputs, true)); second == nil {
			c.noLogprobs.Store(true)
			err = nil
		}
	}
	if err != nil {
		return nil, llm.Usage{}, err
	}
	got, err := c.decode(body, len(inputs))
	if _, unknown := errors.AsType[*LabelError](err); err != nil && !unknown {
		err = &llm.ResponseError{Provider: c.task.name(), Err: err}
	}
	if err == nil && got.model != "" {
		c.mu.Lock()
		c.served = got.model
		c.mu.Unlock()
	}
	return got.scores, got.usage, err
}

// Name is the model's name before any request: the name in the options, or else the protocol's
// name. It holds no address.
func (c *Client) Name() string {
	if c.opts.Model != "" {
		return c.opts.Model
	}
	return string(c.wire)
}

// Served is the model's name as the server reports it: in its answers so far or, for Text
// Embeddings Inference, on request. Without such a name it is Name.
func (c *Client) Served(ctx context.Context) string {
	c.mu.Lock()
	served := c.served
	c.mu.Unlock()
	if served != "" || c.wire != predict {
		return orName(served, c.Name())
	}
	var info struct {
		Model string `json:"model_id"`
	}
	if body, err := c.server.Get(ctx, strings.TrimSuffix(c.url, "/predict")+"/info"); err != nil || json.Unmarshal(body, &info) != nil {
		return c.Name() // a compatible server may lack /info
	}
	return orName(info.Model, c.Name())
}

// orName returns a server's name for a model, or name if that is a path or an address.
func orName(served, name string) string {
	if served == "" || strings.HasPrefix(served, "/") || strings.Contains(served, "://") {
		return name
	}
	return llm.Cut(served, 100)
}
