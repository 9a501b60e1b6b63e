package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// RetryPolicy says which errors are retried and after which delay.
type RetryPolicy struct {
	// MaxAttempts includes the first attempt. Default 3.
	MaxAttempts int
	// InitialInterval is the delay after the first failure. Default 500 ms.
	InitialInterval time.Duration
	// Backoff multiplies the delay after each failure. Default 2.
	Backoff float64
	// MaxInterval bounds the delay before jitter. Default 128 s.
	MaxInterval time.Duration
	// Jitter adds a random time below it to each delay. Default none.
	Jitter time.Duration
	// RetryOn selects errors. Default: all except cancellation, an invalid
	// update, a missing checkpointer and a panic, which would recur.
	RetryOn func(error) bool
}

func (p RetryPolicy) matches(err error) bool {
	if p.RetryOn != nil {
		return p.RetryOn(err)
	}
	var panicked *PanicError
	return !errors.Is(err, context.Canceled) && !errors.Is(err, ErrInvalidUpdate) && !errors.Is(err, ErrNoCheckpointer) && !errors.As(err, &panicked)
}

// wait returns the delay after a failed attempt, 1 for the first.
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

// retryWait returns the delay before the next attempt, or false when the error
// is final. Fault is the panic of a policy.
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
