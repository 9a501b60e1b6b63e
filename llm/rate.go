package llm

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// RateOptions bound calls per time. Nil and the zero value have no bounds.
type RateOptions struct {
	RequestsPerMinute int // 0 for no bound
	TokensPerMinute   int // tokens read and written, together; 0 for no bound
	// Buckets holds the rates. Nil holds them in this process.
	Buckets Buckets
}

// Buckets are token buckets by name. A bucket fills evenly up to its capacity. It may be overdrawn:
// the caller then waits until it would reach 0 again.
type Buckets interface {
	// Draw fills each bucket for the elapsed time, takes an amount from it, and returns its new
	// level, by index. A new bucket starts full. A negative amount is given back; no bucket exceeds
	// its capacity. Names are sorted and unique.
	Draw(ctx context.Context, draws []Draw) (levels []float64, err error)
}

// A Draw is an amount to take from one bucket.
type Draw struct {
	Bucket   string
	Capacity float64
	Refill   float64 // per second
	Amount   float64
}

// Rate returns a wrapper that delays calls so that all wrapped models together stay within the
// rates. With shared Buckets, the models of several processes do. Each rate is a token bucket that
// holds a tenth of a minute's amount, at least one, and refills evenly. Calls run in the order in
// which they came. A waiting call whose context ends returns the cause and gives back its draw. If
// the buckets fail, no call is made: a *BucketsError, which is Retryable.
//
// A call's tokens are unknown before it. It first draws a quarter of its characters, with images as
// 0, and then the difference to its usage. So a long answer delays later calls.
func Rate(opts *RateOptions) func(Model) Model {
	o := RateOptions{}
	if opts != nil {
		o = *opts
	}
	r := &rate{buckets: o.Buckets}
	if r.buckets == nil {
		r.buckets = &ownBuckets{}
	}
	for _, b := range []struct {
		name      string
		perMinute int
	}{{bucketRequests, o.RequestsPerMinute}, {bucketTokens, o.TokensPerMinute}} {
		if b.perMinute > 0 {
			r.bounds = append(r.bounds, Draw{Bucket: b.name, Capacity: max(1, float64(b.perMinute)/10), Refill: float64(b.perMinute) / 60})
		}
	}
	if r.bounds == nil {
		return func(m Model) Model { return m }
	}
	return func(m Model) Model { return rated{m, r} }
}

const (
	bucketRequests = "requests"
	bucketTokens   = "tokens"

	// settling bounds the time for giving back.
	settling = 10 * time.Second
)

// A rate is the state that the models of one Rate share.
type rate struct {
	buckets Buckets
	bounds  []Draw // without amounts

	mu   sync.Mutex
	owed map[string]float64 // amounts that could not be settled, added to the next draw
}

type rated struct {
	model Model
	*rate
}

// charsPerToken is the rule of thumb for English in OpenAI's documentation.
const charsPerToken = 4

func (r rated) Generate(ctx context.Context, req Request) (Response, error) {
	if ctx.Err() != nil {
		return Response{}, fmt.Errorf("waiting for the rate limit: %w", context.Cause(ctx))
	}
	estimate := float64(inputChars(req.Messages)) / charsPerToken
	wait, err := r.take(ctx, map[string]float64{bucketRequests: 1, bucketTokens: estimate})
	if err != nil && ctx.Err() != nil {
		return Response{}, fmt.Errorf("waiting for the rate limit: %w", context.Cause(ctx))
	}
	if err != nil {
		return Response{}, &BucketsError{err}
	}
	if wait > 0 {
		if cause := sleep(ctx, wait); cause != nil {
			r.settle(ctx, map[string]float64{bucketRequests: -1, bucketTokens: -estimate})
			return Response{}, fmt.Errorf("waiting for the rate limit: %w", cause)
		}
	}
	resp, err := r.model.Generate(ctx, req)
	if used := resp.Usage.InputTokens + resp.Usage.OutputTokens; used > 0 {
		r.settle(ctx, map[string]float64{bucketTokens: float64(used) - estimate})
	}
	return resp, err
}

// take draws amounts and returns how long to wait until they are covered.
func (r *rate) take(ctx context.Context, amounts map[string]float64) (time.Duration, error) {
	draws := r.draws(amounts)
	levels, err := r.draw(ctx, draws)
	if err != nil {
		return 0, err
	}
	var wait time.Duration
	for i, d := range draws {
		// An amount above the bucket's capacity counts as covered when the bucket is full.
		if short := min(d.Amount, d.Capacity) - (levels[i] + d.Amount); short > 0 {
			wait = max(wait, time.Duration(short/d.Refill*float64(time.Second)))
		}
	}
	return wait, nil
}

// draw draws amounts together with what is owed.
func (r *rate) draw(ctx context.Context, draws []Draw) ([]float64, error) {
	r.mu.Lock()
	owed := r.owed
	r.owed = nil
	r.mu.Unlock()
	with := make([]Draw, len(draws))
	for i, d := range draws {
		d.Amount += owed[d.Bucket]
		with[i] = d
	}
	levels, err := r.buckets.Draw(ctx, with)
	if err != nil {
		r.owe(owed)
	}
	return levels, err
}

// settle draws the difference to a call's usage, even after the context's end. A failed draw is
// added to the next call's.
func (r *rate) settle(ctx context.Context, amounts map[string]float64) {
	draws := r.draws(amounts)
	if len(draws) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if _, err := r.buckets.Draw(ctx, draws); err != nil {
		r.owe(amounts)
	}
}

func (r *rate) owe(amounts map[string]float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owed == nil {
		r.owed = map[string]float64{}
	}
	for bucket, amount := range amounts {
		r.owed[bucket] += amount
	}
}

// draws returns the draws of amounts from the bounded buckets.
func (r *rate) draws(amounts map[string]float64) []Draw {
	var out []Draw
	for _, d := range r.bounds {
		if amount, ok := amounts[d.Bucket]; ok {
			d.Amount = amount
			out = append(out, d)
		}
	}
	return out
}

// ownBuckets are the buckets of one process.
type ownBuckets struct {
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	level float64
	at    time.Time // the time of level
}

func (o *ownBuckets) Draw(_ context.Context, draws []Draw) ([]float64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	levels := make([]float64, len(draws))
	for i, d := range draws {
		b := o.buckets[d.Bucket]
		if b == nil {
			if o.buckets == nil {
				o.buckets = map[string]*bucket{}
			}
			b = &bucket{level: d.Capacity, at: now}
			o.buckets[d.Bucket] = b
		}
		b.level = min(d.Capacity, b.level+max(0, now.Sub(b.at).Seconds())*d.Refill)
		b.level = min(d.Capacity, b.level-d.Amount)
		if now.After(b.at) {
			b.at = now
		}
		levels[i] = b.level
	}
	return levels, nil
}
