package llm

import "context"

// A Caller makes calls to a provider that are not questions to a model, such as
// those of an embedder or a reranker, under the same wrappers: limited, timed,
// repeated and counted as calls of a model are. It is safe for concurrent use.
type Caller struct {
	name  string
	model Model
}

// NewCaller puts calls under wrap. The name stands where a request has its
// skill, such as "embed".
func NewCaller(name string, wrap func(Model) Model) *Caller {
	return &Caller{name, wrap(carrier{})}
}

// Do makes a call, and makes it again when a wrapper does. Its error is that of
// the last attempt, with what the wrappers add. Tokens that the call books (Book)
// count in addition to those that it returns.
func (c *Caller) Do(ctx context.Context, call func(context.Context) (Usage, error)) error {
	ctx, _ = detached(ctx)
	_, err := c.model.Generate(ctx, Request{Skill: c.name, call: call})
	return err
}

// carrier is the model that makes the call of a Caller's request.
type carrier struct{}

func (carrier) Generate(ctx context.Context, req Request) (Response, error) {
	ctx, ledger := detached(ctx)
	usage, err := req.call(ctx)
	booked := ledger.read()
	return Response{Usage: usage.Plus(Usage{booked.InputTokens, booked.OutputTokens})}, err
}
