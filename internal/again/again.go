// Package again repeats a call that may succeed a little later: while another process has a file
// open, or a server starts. Calls of models have their own policy, package llm, which heeds what
// a provider asks for; nodes have the engine's.
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
	Total       time.Duration // after which the last error is returned; 0 leaves that to the context
}

// Do calls fn until it succeeds, or its error is not a passing one. It returns the last error,
// with the context's cause when that ended the waiting.
func Do(ctx context.Context, w Waits, fn func() error, passing func(error) bool) error {
	waits := &backoff.ExponentialBackOff{InitialInterval: w.First, RandomizationFactor: .5, Multiplier: 2, MaxInterval: w.Most}
	var last error
	_, _ = backoff.Retry(ctx, func() (struct{}, error) { // its error is the last one, or the cause
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
