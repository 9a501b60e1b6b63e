package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// RetryPolicy says which errors of a node are worth another attempt, and when.
type RetryPolicy struct {
	// MaxAttempts counts the first one. Default 3.
	MaxAttempts int
	// InitialInterval is the wait after the first failure. Default 500 ms.
	InitialInterval time.Duration
	// Backoff multiplies the wait after each failure. Default 2.
	Backoff float64
	// MaxInterval bounds the wait before jitter. Default 128 s.
	MaxInterval time.Duration
	// Jitter adds a random time below it to every wait. Default none.
	Jitter time.Duration
	// RetryOn selects errors. Default: all but cancellation, an invalid update,
	// a missing checkpointer and a panic, which would only happen again.
	RetryOn func(error) bool
}

func (p RetryPolicy) matches(err error) bool {
	if p.RetryOn != nil {
		return p.RetryOn(err)
	}
	var panicked *PanicError
	return !errors.Is(err, context.Canceled) && !errors.Is(err, ErrInvalidUpdate) && !errors.Is(err, ErrNoCheckpointer) && !errors.As(err, &panicked)
}

// wait is the pause after the failure of an attempt, 1 for the first.
func (p RetryPolicy) wait(attempt int) time.Duration {
	wait, backoff := float64(positive(p.InitialInterval, 500*time.Millisecond)), positive(p.Backoff, 2)
	for range attempt - 1 {
		wait *= backoff
	}
	d := time.Duration(min(wait, float64(positive(p.MaxInterval, 128*time.Second))))
	if p.Jitter > 0 {
		d += rand.N(p.Jitter)
	}
	return d
}

// positive is v, or the default when v is not positive.
func positive[T int | float64 | time.Duration](v, byDefault T) T {
	if v <= 0 {
		return byDefault
	}
	return v
}

// retryWait returns how long to wait before another attempt, or false when the
// error is final. The fault is a policy's that panics.
func retryWait(policies []RetryPolicy, err error, attempt int) (wait time.Duration, again bool, fault error) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Errorf("asking RetryOn: %w", caught(v))
		}
	}()
	for _, p := range policies {
		if p.matches(err) {
			return p.wait(attempt), attempt < positive(p.MaxAttempts, 3), nil
		}
	}
	return 0, false, nil
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
