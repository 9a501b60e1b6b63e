package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// RetryOptions configure Retry. Nil and the zero value mean the defaults.
type RetryOptions struct {
	// MaxRetries is how often a failed call is repeated. Default 5; a negative value means never.
	MaxRetries int
	// Base is the delay before the first retry; each later delay doubles, up to MaxWait. Default 2
	// s.
	Base time.Duration
	// JitterMax bounds the random addition to each delay. Default 5 s; a negative value means none.
	JitterMax time.Duration
	// MaxWait bounds the delay before jitter. When a server asks for a longer delay, there is no
	// retry. Default 2 min.
	MaxWait time.Duration
	// Seed makes the jitter repeatable; 0 picks a random seed.
	Seed uint64
	// OnRetry is called before every delay, concurrently for concurrent calls. Default nil.
	OnRetry func(RetryEvent)
}

// A RetryEvent is a delay before a retry.
type RetryEvent struct {
	Attempt int           // the failed attempt; the first is 1
	Wait    time.Duration // the delay until the next attempt
	Err     error         // why the attempt failed
}

// Retry returns a wrapper that repeats a failed call when that can help, by Retryable. It waits
// Base · 2ⁿ, or as long as the server asks for if that is longer, plus a jitter. The last error
// comes back wrapped, with the number of attempts. A waiting call whose context ends returns the
// cause. If a failed attempt had streamed, the next one's text begins with Again.
//
// The jitters of all calls under one returned function are the fractional parts of a sequence with
// the golden ratio as its step (Weyl's equidistributed sequence). So no two callers get the same
// jitter, and a few in a row lie far apart. Random draws guarantee neither.
func Retry(opts *RetryOptions) func(Model) Model {
	o := RetryOptions{}
	if opts != nil {
		o = *opts
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = 5
	}
	if o.Base <= 0 {
		o.Base = 2 * time.Second
	}
	if o.JitterMax == 0 {
		o.JitterMax = 5 * time.Second
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 2 * time.Minute
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	jitter := &weyl{at: rand.New(rand.NewPCG(o.Seed, 0)).Float64()}
	return func(m Model) Model { return retrying{m, o, jitter} }
}

type retrying struct {
	model  Model
	opts   RetryOptions
	jitter *weyl
}

func (r retrying) Generate(ctx context.Context, req Request) (Response, error) {
	var spent Usage
	listener := relay{to: req.OnText}
	for attempt := 1; ; attempt++ {
		req.OnText = listener.next()
		resp, err := r.model.Generate(ctx, req)
		spent = spent.Plus(resp.Usage)
		resp.Usage = spent
		if err == nil {
			listener.settle(resp.Text)
			return resp, nil
		}
		if ctx.Err() != nil || !Retryable(err) {
			return resp, err
		}
		wait, ok := r.wait(attempt, err)
		if !ok || attempt > r.opts.MaxRetries {
			return resp, fmt.Errorf("giving up at attempt %d: %w", attempt, err)
		}
		if r.opts.OnRetry != nil {
			r.opts.OnRetry(RetryEvent{Attempt: attempt, Wait: wait, Err: err})
		}
		if cause := sleep(ctx, wait); cause != nil {
			return resp, fmt.Errorf("waiting to ask again after attempt %d (%w): %w", attempt, err, cause)
		}
	}
}

// wait returns the delay after an attempt, and whether the server allows a retry.
func (r retrying) wait(attempt int, err error) (time.Duration, bool) {
	wait := r.opts.MaxWait
	if grown := float64(r.opts.Base) * math.Pow(2, float64(attempt-1)); grown < float64(wait) {
		wait = time.Duration(grown)
	}
	if e, ok := errors.AsType[*StatusError](err); ok {
		if e.RetryAfter > r.opts.MaxWait {
			return 0, false
		}
		wait = max(wait, e.RetryAfter)
	}
	if r.opts.JitterMax > 0 {
		wait += time.Duration(r.jitter.next() * float64(r.opts.JitterMax))
	}
	return wait, true
}

// sleep waits for d; it returns the cause of an ended context, or nil.
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

// weyl is the sequence of the multiples of the golden ratio, modulo 1.
type weyl struct {
	mu sync.Mutex
	at float64 // in [0, 1)
}

func (w *weyl) next() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at += math.Phi - 1
	if w.at >= 1 {
		w.at--
	}
	return w.at
}
