// Package again repeats a call that may succeed a little later, for example when another process
// has a file open. Model calls have their own retries in package llm, and nodes have the engine's.
package again

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Waits are the times between calls.
type Waits struct {
	// First is the first wait. Each further one doubles it, up to Most. A wait may be up to
	// half of it shorter or longer, so that processes do not meet again.
	First, Most time.Duration
	Total       time.Duration // bounds all calls together; 0: only the context ends them
}

// Do calls fn until it succeeds or passing rejects its error. It returns the last error, with the
// context's cause if the context ended the waiting.
func Do(ctx context.Context, w Waits, fn func() error, passing func(error) bool) error {
	waits := &backoff.ExponentialBackOff{InitialInterval: w.First, RandomizationFactor: .5, Multiplier: 2, MaxInterval: w.Most}
	var last error
	_, _ = backoff.Retry(ctx, func() (struct{}, error) { // it returns last, or the cause
		if last = fn(); last != nil && !passing(last) {
			return struct{}{}, backoff.Permanent(last)
		}
		return struct{}{}, last
	}, backoff.WithBackOff(waits), backoff.WithMaxElapsedTime(w.Total))
	if last != nil && ctx.Err() != nil && passing(last) {
		return fmt.Errorf("waiting to try again: %w (%w)", context.Cause(ctx), last)
	}
	return last
}
