package llm

import (
	"context"
	"fmt"
)

// DefaultLimit is the default number of concurrent calls.
const DefaultLimit = 8

// Limit returns a wrapper that runs at most n calls at the same time, for all models that it wraps
// together. Waiting calls run in the order in which they came. A waiting call returns the context's
// cause when its context ends. n < 1 means DefaultLimit. A streaming call holds its place until its
// answer is complete.
//
// The order follows from how a channel serves blocked senders: a freed place goes to the first of
// them, and a new call cannot take it, since the channel stays full until all waiting calls are
// served.
func Limit(n int) func(Model) Model {
	if n < 1 {
		n = DefaultLimit
	}
	slots := make(chan struct{}, n)
	return func(m Model) Model { return limited{m, slots} }
}

type limited struct {
	model Model
	slots chan struct{}
}

func (l limited) Generate(ctx context.Context, req Request) (Response, error) {
	if ctx.Err() == nil { // select picks at random when both are ready
		select {
		case l.slots <- struct{}{}:
			defer func() { <-l.slots }()
			return l.model.Generate(ctx, req)
		case <-ctx.Done():
		}
	}
	return Response{}, fmt.Errorf("waiting for a free call: %w", context.Cause(ctx))
}
