package llm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/llm"
)

func TestRateOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &failing{}
		wrap := llm.Rate(&llm.RateOptions{RequestsPerMinute: 30})
		models := []llm.Model{wrap(m), wrap(m)} // they share the rate
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 63 {
			wg.Go(func() {
				if _, err := models[i%2].Generate(t.Context(), llm.Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// 3 at once, then one every 2 s.
		if got := time.Since(start).Round(time.Millisecond); got != 120*time.Second {
			t.Errorf("63 calls at 30 a minute took %v", got)
		}
		slices.SortFunc(m.asked, time.Time.Compare)
		for i := 3; i < len(m.asked); i++ {
			if d := m.asked[i].Sub(m.asked[i-1]).Round(time.Millisecond); d != 2*time.Second {
				t.Errorf("call %d came %v after the one before", i+1, d)
			}
		}
		time.Sleep(time.Hour) // unused time is not saved up beyond the bucket
		start = time.Now()
		for range 5 {
			if _, err := models[0].Generate(t.Context(), llm.Request{}); err != nil {
				t.Error(err)
			}
		}
		if got := time.Since(start).Round(time.Millisecond); got != 4*time.Second {
			t.Errorf("5 calls after a pause took %v; want 4 s", got)
		}
	})
}

func TestRateOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &failing{usage: llm.Usage{InputTokens: 100, OutputTokens: 500}}
		ask := llm.Rate(&llm.RateOptions{TokensPerMinute: 600})(m)
		req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("é", 400)}}} // 100 tokens
		for range 4 {
			if _, err := ask.Generate(t.Context(), req); err != nil {
				t.Error(err)
			}
		}
		// The first call overdraws 60 by 540; each later one waits until its
		// 60 of the bucket are there again: 600 tokens at 10 a second.
		for i, d := range m.waits() {
			if d.Round(time.Millisecond) != time.Minute {
				t.Errorf("wait %d was %v; want a minute", i+1, d)
			}
		}
	})
}

func TestRateGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &failing{}
		ask := llm.Rate(&llm.RateOptions{RequestsPerMinute: 6})(m)
		if _, err := ask.Generate(t.Context(), llm.Request{}); err != nil {
			t.Fatal(err)
		}
		why := errors.New("the user left")
		for range 5 {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
			if _, err := ask.Generate(ctx, llm.Request{}); !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
			cancel()
			if _, err := ask.Generate(ctx, llm.Request{}); !errors.Is(err, context.Canceled) && !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
		}
		if _, err := ask.Generate(t.Context(), llm.Request{}); err != nil {
			t.Fatal(err)
		}
		if got := m.waits()[0].Round(time.Millisecond); got != 10*time.Second {
			t.Errorf("the second call came after %v; want 10 s: who left gave nothing back", got)
		}
	})
}

func TestNoRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &failing{}
		ask := llm.Rate(nil)(m)
		for range 1000 {
			if _, err := ask.Generate(t.Context(), llm.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if d := m.asked[999].Sub(m.asked[0]); d != 0 {
			t.Errorf("1000 calls took %v", d)
		}
	})
}

// TestControls holds the order of composition: waiting retries hold no slot,
// the timeout is that of an attempt, and the budget counts a call once.
func TestControls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controls := llm.NewControls(&llm.ControlOptions{
			Concurrency: 1, Timeout: 3 * time.Second, Retry: llm.RetryOptions{Base: time.Second, JitterMax: -1}, Budget: llm.BudgetOptions{MaxCalls: 3},
		})
		stuck := controls.Wrap(llm.Model(firstDeaf{new(atomic.Int32)}))
		busy := controls.Wrap(&failing{errs: []error{status(503), status(503), status(503)}}) // 1 + 2 + 4 s
		quick := controls.Wrap(&failing{})
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := busy.Generate(t.Context(), llm.Request{}); err != nil {
				t.Error(err)
			}
			if got := time.Since(start); got != 7*time.Second {
				t.Errorf("three retries took %v", got)
			}
		})
		wg.Go(func() {
			time.Sleep(time.Millisecond)
			if _, err := quick.Generate(t.Context(), llm.Request{}); err != nil || time.Since(start) > time.Millisecond {
				t.Errorf("a waiting retry held the only slot for %v: %v", time.Since(start), err)
			}
		})
		wg.Wait()
		start = time.Now()
		if _, err := stuck.Generate(t.Context(), llm.Request{}); err != nil || time.Since(start) != 4*time.Second {
			t.Errorf("a call that hangs once took %v: %v", time.Since(start), err)
		}
		if calls := ofRun(controls.Budget()).Calls; calls != 3 {
			t.Errorf("%d calls were counted; want 3", calls)
		}
		start = time.Now()
		if _, err := quick.Generate(t.Context(), llm.Request{}); err == nil || time.Since(start) != 0 {
			t.Errorf("a call beyond the budget: %v after %v", err, time.Since(start))
		}
	})
}

// firstDeaf hangs at its first call.
type firstDeaf struct{ calls *atomic.Int32 }

func (m firstDeaf) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if m.calls.Add(1) == 1 {
		return deaf{}.Generate(ctx, req)
	}
	return llm.Response{Text: "ok"}, nil
}

// lent are buckets that fail at some draws. They hold no rate: who draws never waits.
type lent struct {
	draws int
	fails map[int]error // by the number of the draw
	drawn map[string]float64
}

func (l *lent) Draw(_ context.Context, draws []llm.Draw) ([]float64, error) {
	l.draws++
	if err := l.fails[l.draws]; err != nil {
		return nil, err
	}
	levels := make([]float64, len(draws))
	for i, d := range draws {
		l.drawn[d.Bucket] += d.Amount
		levels[i] = d.Capacity
	}
	return levels, nil
}

// Buckets of others that cannot be reached let no call through, and lose nothing of what a
// call turned out to read and write.
func TestRateOfSharedBuckets(t *testing.T) {
	gone := errors.New("the server is gone")
	// A call draws twice. The second fails before it, the third in settling.
	shared := &lent{drawn: map[string]float64{}, fails: map[int]error{3: gone, 5: gone}}
	m := &failing{usage: llm.Usage{InputTokens: 100, OutputTokens: 500}}
	ask := llm.Rate(&llm.RateOptions{RequestsPerMinute: 60, TokensPerMinute: 600, Buckets: shared})(m)
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("x", 40)}}} // 10 tokens
	for i, want := range []error{nil, gone, nil, nil} {
		if _, err := ask.Generate(t.Context(), req); !errors.Is(err, want) {
			t.Errorf("call %d: %v; want %v", i+1, err, want)
		}
	}
	if !llm.Retryable(&llm.BucketsError{Err: gone}) {
		t.Error("a call that was not made for want of its buckets is not made again")
	}
	if len(m.asked) != 3 || shared.drawn["requests"] != 3 || shared.drawn["tokens"] != 1800 {
		t.Errorf("%d calls of 600 tokens drew %v", len(m.asked), shared.drawn)
	}
}
