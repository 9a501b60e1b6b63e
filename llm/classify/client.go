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
	// atOnce bounds the requests of one Score; the limit of calls of the Caller
	// bounds them too.
	atOnce = 8
)

// Options says where a server is.
type Options struct {
	// URL ends in /predict, /classify, /v1 or /v1/chat/completions, which says
	// what the server speaks. Needed.
	URL string
	// Model is the model's name. /v1 needs one; a server of one model needs none.
	Model string
	// Key is sent as a bearer token; empty sends none. A key of 8 bytes or more
	// is a secret and is cut out of all that the server says.
	Key string
	// Labels says what the model's labels mean, beside the usual names. Default
	// none.
	Labels Labels
	// Batch is how many texts a request holds. Default 32, which is what Text
	// Embeddings Inference takes as it comes. A request to /v1 holds one.
	Batch int
	// Caller makes each request, under its limits. Default: the request is made
	// once, as long as its context allows.
	Caller *llm.Caller
	// Transport carries the requests. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// A Client asks a server of a classifier. It is safe for concurrent use.
type Client struct {
	task   Task
	opts   Options
	wire   dialect
	url    string
	server *wire.Server

	noLogprobs atomic.Bool // the server of /v1 refuses a request for them
	mu         sync.Mutex
	served     string // the model, as the server names it
}

// NewClient returns the client of a server. It makes no request. Errors are
// those of an address, a key or labels that cannot be used.
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

// An Input is a text to classify. Claim is what the text may support, and empty
// for the other tasks.
type Input struct{ Text, Claim string }

// A Score says how a text was classified.
type Score struct {
	P       float64 // 0..1 that the text supports the claim, or gives orders
	Against float64 // 0..1 that it contradicts the claim; 0 of a model that does not tell
}

// Score classifies texts and returns their scores, by index, and the tokens that
// the server counted. Without texts no request is made.
//
// Errors are those of ctx (its cause) and of the Caller, *llm.StatusError,
// *llm.ConnectionError, *llm.ResponseError and *LabelError.
func (c *Client) Score(ctx context.Context, inputs []Input) ([]Score, llm.Usage, error) {
	scores := make([]Score, len(inputs))
	used := make([]llm.Usage, len(inputs)) // of a request, where its first text is
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

// batch makes one request, as often as the Caller wants it.
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

// ask makes one request. A server of /v1 that refuses to tell probabilities is
// asked without them from then on.
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

// Name is what the model is called before anything was asked: as in the
// options, else by the server's wire. It holds no address.
func (c *Client) Name() string {
	if c.opts.Model != "" {
		return c.opts.Model
	}
	return string(c.wire)
}

// Served is the model as the server names it: in its answers so far or, of Text
// Embeddings Inference, when it is asked for that alone. Where it tells none, it
// is Name.
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
		return c.Name() // servers that speak like it need not have /info
	}
	return orName(info.Model, c.Name())
}

// orName is a server's own name of a model, unless it is a path or an address.
func orName(served, name string) string {
	if served == "" || strings.HasPrefix(served, "/") || strings.Contains(served, "://") {
		return name
	}
	return llm.Cut(served, 100)
}
