package llm

import (
	"context"
	"fmt"
)

// DefaultLimit is how many calls Limit lets run at once by default.
const DefaultLimit = 8

// Limit returns a wrapper under which at most n calls run at once. All models
// that one returned function wraps share the n. It is fair: calls that wait go
// in the order in which they came. A call that waits gives up with the
// context's cause when the context ends. n < 1 means DefaultLimit. A call that
// streams holds its place until its answer is whole.
//
// The order is that in which a channel serves blocked senders: a place that
// is given back goes to the first of them, and no newcomer can take it, for
// the channel is full until all who wait are served.
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
