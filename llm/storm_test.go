package llm_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
)

// TestStorm: a server that refuses everybody's first two calls.
func TestStorm(t *testing.T) {
	for name, p := range providers {
		for _, stream := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				testStorm(t, p, stream)
			})
		}
	}
}

// refusing refuses each text's first two calls, and measures how many are in
// flight.
type refusing struct {
	inFlight, peak atomic.Int32
	mu             sync.Mutex
	turns          map[string]int
}

func (r *refusing) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	n := r.inFlight.Add(1)
	defer r.inFlight.Add(-1)
	for old := r.peak.Load(); n > old && !r.peak.CompareAndSwap(old, n); old = r.peak.Load() {
	}
	who := req.Messages[0].Text
	r.mu.Lock()
	r.turns[who]++
	turn := r.turns[who]
	r.mu.Unlock()
	time.Sleep(2 * time.Millisecond)
	switch turn {
	case 1:
		return llm.Response{}, &llm.StatusError{Status: 429}
	case 2:
		return llm.Response{}, &llm.StatusError{Status: 429, RetryAfter: time.Second}
	}
	return llm.Response{Text: "for " + who}, nil
}

func testStorm(t *testing.T, p provider, stream bool) {
	const callers = 32
	backend := &refusing{turns: map[string]int{}}
	server := llmtest.NewServer(t, p.format, backend)
	var mu sync.Mutex
	waits := map[time.Duration]int{}
	controls := llm.NewControls(&llm.ControlOptions{Retry: llm.RetryOptions{Base: 5 * time.Millisecond, JitterMax: 200 * time.Millisecond, OnRetry: func(e llm.RetryEvent) {
		mu.Lock()
		defer mu.Unlock()
		waits[e.Wait]++
		if e.Attempt == 2 && e.Wait < time.Second {
			t.Errorf("waits %v; the server asked for 1 s", e.Wait)
		}
	}}})
	m := controls.Wrap(p.connect(t, server.URL))
	if stream {
		m = streaming{m}
	}
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			who := "caller " + strconv.Itoa(i)
			resp, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: who}}})
			if err != nil || resp.Text != "for "+who {
				t.Errorf("%s: %+v, %v", who, resp, err)
			}
		})
	}
	wg.Wait()
	if got := backend.peak.Load(); got > llm.DefaultLimit || got < 2 {
		t.Errorf("%d calls in flight at the peak", got)
	}
	if len(waits) != 2*callers {
		t.Errorf("%d different waits of %d", len(waits), 2*callers)
	}
}
