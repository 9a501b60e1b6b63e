package llm

import (
	"context"
	"sync"
)

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

// Spend tells the Caller whose call ctx is what was used for it, where the call
// returns something else. Without a Caller nobody is told.
func Spend(ctx context.Context, u Usage) {
	if t, ok := ctx.Value(spending{}).(*spent); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.usage = t.usage.Plus(u)
	}
}

type spending struct{}

type spent struct {
	mu    sync.Mutex
	usage Usage
}

// Do makes a call, and makes it again when a wrapper does. Its error is that of
// the last attempt, with what the wrappers add.
func (c *Caller) Do(ctx context.Context, call func(context.Context) (Usage, error)) error {
	_, err := c.model.Generate(context.WithValue(ctx, carried{}, call), Request{Skill: c.name})
	return err
}

type carried struct{}

// carrier is the model that makes the call that its context carries.
type carrier struct{}

func (carrier) Generate(ctx context.Context, _ Request) (Response, error) {
	call := ctx.Value(carried{}).(func(context.Context) (Usage, error))
	told := &spent{}
	usage, err := call(context.WithValue(ctx, spending{}, told))
	told.mu.Lock()
	defer told.mu.Unlock()
	return Response{Usage: usage.Plus(told.usage)}, err
}
