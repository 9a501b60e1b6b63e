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
	// Buckets hold the rates. Nil holds them in this process.
	Buckets Buckets
}

// Buckets are token buckets by name. A bucket fills evenly up to its capacity. It may be
// overdrawn: who overdraws it waits until it would be level again.
type Buckets interface {
	// Draw fills each bucket for the time that went by, takes an amount from it, and
	// returns what it then holds, by index. A bucket that did not exist was full. A
	// negative amount is given back, and no bucket holds more than its capacity. Names
	// are sorted, each once.
	Draw(ctx context.Context, draws []Draw) (levels []float64, err error)
}

// A Draw is what is taken from one bucket.
type Draw struct {
	Bucket   string
	Capacity float64
	Refill   float64 // a second
	Amount   float64
}

// Rate returns a wrapper that spaces calls so that all models that one
// returned function wraps stay within the rates, and with Buckets that several
// processes share, the models of all of them. Each rate is a token bucket:
// it holds a tenth of a minute's worth, at least one, and refills evenly.
// Calls go in the order in which they came. A call that waits gives up with
// the context's cause and gives back what it took. When the buckets cannot be
// drawn from, no call is made: a *BucketsError, which is Retryable.
//
// What a call will read and write is not known before it: it is booked with a
// quarter of its characters, images as nothing, and settled by its usage, so
// that a long answer delays the calls after it.
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

	// settling bounds how long giving back may take.
	settling = 10 * time.Second
)

// A rate is what the models of one Rate share.
type rate struct {
	buckets Buckets
	bounds  []Draw // without amounts

	mu   sync.Mutex
	owed map[string]float64 // what could not be settled, for the next draw
}

type rated struct {
	model Model
	*rate
}

// charsPerToken is the rule of thumb for English of OpenAI's documentation.
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
		// More than the bucket holds is covered once the bucket is full.
		if short := min(d.Amount, d.Capacity) - (levels[i] + d.Amount); short > 0 {
			wait = max(wait, time.Duration(short/d.Refill*float64(time.Second)))
		}
	}
	return wait, nil
}

// draw draws, together with what was owed.
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

// settle draws what turned out later, even after the context's end. What cannot be drawn
// now is drawn with the next call.
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

// draws are the draws of amounts from the buckets that are bounded.
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
	at    time.Time // when level was true
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
