package llm

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// RateOptions bounds calls in time. Nil and the zero value bound nothing.
type RateOptions struct {
	RequestsPerMinute int // 0 for no bound
	TokensPerMinute   int // tokens read and written, together; 0 for no bound
}

// Rate returns a wrapper that spaces calls so that all models that one
// returned function wraps stay within the rates. Each rate is a token bucket:
// it holds a tenth of a minute's worth, at least one, and refills evenly.
// Calls go in the order in which they came. A call that waits gives up with
// the context's cause and gives back what it took.
//
// What a call will read and write is not known before it: it is booked with a
// quarter of its characters, images as nothing, and settled by its usage, so
// that a long answer delays the calls after it.
func Rate(opts *RateOptions) func(Model) Model {
	o := RateOptions{}
	if opts != nil {
		o = *opts
	}
	requests, tokens := newBucket(o.RequestsPerMinute), newBucket(o.TokensPerMinute)
	return func(m Model) Model { return rated{m, requests, tokens} }
}

type rated struct {
	model            Model
	requests, tokens *bucket
}

// charsPerToken is the rule of thumb for English of OpenAI's documentation.
const charsPerToken = 4

func (r rated) Generate(ctx context.Context, req Request) (Response, error) {
	if ctx.Err() != nil {
		return Response{}, fmt.Errorf("waiting for the rate limit: %w", context.Cause(ctx))
	}
	estimate := float64(inputChars(req.Messages)) / charsPerToken
	now := time.Now()
	if wait := max(r.requests.take(now, 1), r.tokens.take(now, estimate)); wait > 0 {
		if cause := sleep(ctx, wait); cause != nil {
			r.requests.give(1)
			r.tokens.give(estimate)
			return Response{}, fmt.Errorf("waiting for the rate limit: %w", cause)
		}
	}
	resp, err := r.model.Generate(ctx, req)
	if used := resp.Usage.InputTokens + resp.Usage.OutputTokens; used > 0 {
		r.tokens.give(estimate - float64(used))
	}
	return resp, err
}

// A bucket is a token bucket that may be overdrawn: who overdraws it waits
// until it would be level again. A nil one is without bound.
type bucket struct {
	capacity float64
	refill   float64 // per second

	mu    sync.Mutex
	level float64
	at    time.Time // when level was true; zero before the first call
}

func newBucket(perMinute int) *bucket {
	if perMinute <= 0 {
		return nil
	}
	capacity := max(1, float64(perMinute)/10)
	return &bucket{capacity: capacity, level: capacity, refill: float64(perMinute) / 60}
}

// take draws n and returns how long to wait until it is covered.
func (b *bucket) take(now time.Time, n float64) time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.at.IsZero() {
		b.level = min(b.capacity, b.level+max(0, now.Sub(b.at).Seconds())*b.refill)
	}
	if now.After(b.at) {
		b.at = now
	}
	// More than the bucket holds is covered once the bucket is full.
	short := min(n, b.capacity) - b.level
	b.level -= n
	if short <= 0 {
		return 0
	}
	return time.Duration(short / b.refill * float64(time.Second))
}

// give returns n, which may be negative.
func (b *bucket) give(n float64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.level = min(b.capacity, b.level+n)
}
