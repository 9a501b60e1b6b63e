package llm

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"sync/atomic"
)

// A Caller makes calls to a provider that are not questions to a model, such as
// those of an embedder or a reranker, under the same wrappers: limited, timed,
// repeated and counted as calls of a model are. It is safe for concurrent use.
type Caller struct {
	name    string
	model   Model
	carrier *carrier
}

// NewCaller puts calls under wrap. The name stands where a request has its
// skill, such as "embed".
func NewCaller(name string, wrap func(Model) Model) *Caller {
	c := &carrier{}
	return &Caller{name, wrap(c), c}
}

// Do makes a call, and makes it again when a wrapper does. Its error is that of
// the last attempt, with what the wrappers add. Tokens that the call books (Book)
// count in addition to those that it returns.
func (c *Caller) Do(ctx context.Context, call func(context.Context) (Usage, error)) error {
	number := strconv.FormatInt(c.carrier.last.Add(1), 10)
	c.carrier.calls.Store(number, call)
	defer c.carrier.calls.Delete(number)
	ctx, _ = detached(ctx)
	_, err := c.model.Generate(ctx, Request{Skill: c.name, Origin: Origin{Vars: json.RawMessage(number)}})
	return err
}

// carrier is the model below a Caller's wrappers. It makes the call whose number
// is the input of the request.
type carrier struct {
	last  atomic.Int64
	calls sync.Map // string → func(context.Context) (Usage, error)
}

func (c *carrier) Generate(ctx context.Context, req Request) (Response, error) {
	call, _ := c.calls.Load(string(req.Vars))
	ctx, ledger := detached(ctx)
	usage, err := call.(func(context.Context) (Usage, error))(ctx)
	booked := ledger.read()
	return Response{Usage: usage.Plus(Usage{booked.InputTokens, booked.OutputTokens})}, err
}
