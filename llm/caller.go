package llm

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"sync/atomic"
)

// A Caller makes provider calls that are not model calls, such as embedding or reranking, under the
// same wrappers: they are limited, timed, retried and counted like model calls. It is safe for
// concurrent use.
type Caller struct {
	name    string
	model   Model
	carrier *carrier
}

// NewCaller puts calls under wrap. The name takes the place of a request's skill, such as "embed".
func NewCaller(name string, wrap func(Model) Model) *Caller {
	c := &carrier{}
	return &Caller{name, wrap(c), c}
}

// Do makes a call, and repeats it when a wrapper does. It returns the last attempt's error, as the
// wrappers return it. Tokens that the call reports to Book are counted in addition to its usage.
func (c *Caller) Do(ctx context.Context, call func(context.Context) (Usage, error)) error {
	number := strconv.FormatInt(c.carrier.last.Add(1), 10)
	c.carrier.calls.Store(number, call)
	defer c.carrier.calls.Delete(number)
	ctx, _ = detached(ctx)
	_, err := c.model.Generate(ctx, Request{Skill: c.name, Origin: Origin{Vars: json.RawMessage(number)}})
	return err
}

// carrier is the model below a Caller's wrappers. The request's input is the number of the call to
// make.
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
