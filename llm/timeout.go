package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// DefaultTimeout is the default time limit of a call.
const DefaultTimeout = 60 * time.Second

// A TimeoutError reports that Timeout stopped a call. It matches context.DeadlineExceeded.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the model did not answer within %v", e.After)
}

func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Timeout returns a wrapper that stops each call after d with a *TimeoutError. d ≤ 0 means
// DefaultTimeout. It cannot stop a model that ignores its context. For a stream, d is the time
// until the answer is complete: otherwise a server that drips would never be stopped.
func Timeout(d time.Duration) func(Model) Model {
	if d <= 0 {
		d = DefaultTimeout
	}
	return func(m Model) Model { return timed{m, d} }
}

type timed struct {
	model Model
	after time.Duration
}

func (t timed) Generate(ctx context.Context, req Request) (Response, error) {
	mine := &TimeoutError{t.after}
	inner, cancel := context.WithTimeoutCause(ctx, t.after, mine)
	defer cancel()
	resp, err := t.model.Generate(inner, req)
	if err != nil && ctx.Err() == nil && context.Cause(inner) == error(mine) && !errors.Is(err, error(mine)) {
		err = mine // the model returned ctx.Err, not its cause
	}
	return resp, err
}
