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
	interval, backoff, most := p.InitialInterval, p.Backoff, p.MaxInterval
	if interval <= 0 {
		interval = 500 * time.Millisecond
	}
	if backoff <= 0 {
		backoff = 2
	}
	if most <= 0 {
		most = 128 * time.Second
	}
	wait := float64(interval)
	for range attempt - 1 {
		wait *= backoff
	}
	d := time.Duration(min(wait, float64(most)))
	if p.Jitter > 0 {
		d += rand.N(p.Jitter)
	}
	return d
}

func (p RetryPolicy) attempts() int {
	if p.MaxAttempts <= 0 {
		return 3
	}
	return p.MaxAttempts
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
			return p.wait(attempt), attempt < p.attempts(), nil
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
