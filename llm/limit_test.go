package llm_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/llm"
)

// slow counts how many calls run at once.
type slow struct{ running, most *atomic.Int32 }

func (m slow) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	n := m.running.Add(1)
	defer m.running.Add(-1)
	for {
		old := m.most.Load()
		if n <= old || m.most.CompareAndSwap(old, n) {
			break
		}
	}
	select {
	case <-time.After(time.Second):
		return llm.Response{Text: "ok"}, nil
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

func TestLimitIsShared(t *testing.T) {
	for n, want := range map[int]int32{1: 1, 3: 3, 0: llm.DefaultLimit, -1: llm.DefaultLimit} {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int32
			limit := llm.Limit(n)
			models := []llm.Model{limit(slow{&running, &most}), limit(slow{&running, &most})}
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() {
					if _, err := models[i%2].Generate(t.Context(), llm.Request{}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if got := most.Load(); got != want {
				t.Errorf("Limit(%d): %d calls at once; want %d", n, got, want)
			}
		})
	}
}

// Calls that wait are served in the order in which they came, also those that
// come while others are served, and beside some that leave the queue.
func TestLimitIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int
		var mu sync.Mutex
		m := llm.Limit(1)(noting{func(who string) {
			mu.Lock()
			defer mu.Unlock()
			n, err := strconv.Atoi(who)
			if err != nil {
				t.Error(err)
			}
			order = append(order, n)
		}})
		var wg sync.WaitGroup
		ask := func(ctx context.Context, n int) {
			wg.Go(func() {
				_, err := m.Generate(ctx, llm.Request{Skill: strconv.Itoa(n)})
				if (err != nil) != (n%7 == 6) {
					t.Errorf("call %d: %v", n, err)
				}
			})
			synctest.Wait() // it is served, or has its place in the queue
		}
		impatient, leave := context.WithCancel(t.Context())
		for n := range 40 {
			ctx := t.Context()
			if n%7 == 6 {
				ctx = impatient
			}
			ask(ctx, n)
		}
		leave()
		for n := 42; n < 60; n++ {
			if n%7 == 6 {
				continue
			}
			time.Sleep(300 * time.Millisecond)
			ask(t.Context(), n)
		}
		wg.Wait()
		if !slices.IsSorted(order) || len(order) != 51 {
			t.Errorf("%d calls were served in the order %v", len(order), order)
		}
	})
}

// noting takes a second for a call.
type noting struct{ note func(skill string) }

func (m noting) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	m.note(req.Skill)
	time.Sleep(time.Second)
	return llm.Response{Text: "ok"}, nil
}

func TestLimitGivesUpWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		m := llm.Limit(1)(slow{&running, &most})
		done := make(chan error)
		go func() {
			_, err := m.Generate(t.Context(), llm.Request{})
			done <- err
		}()
		synctest.Wait()
		why := errors.New("the user left")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, why)
		defer cancel()
		if _, err := m.Generate(ctx, llm.Request{}); !errors.Is(err, why) {
			t.Errorf("error %v; want the context's cause", err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		for range 20 { // a slot is free, but the context has ended
			if _, err := m.Generate(ctx, llm.Request{}); !errors.Is(err, why) || !strings.Contains(err.Error(), "waiting") {
				t.Errorf("error %v; want the context's cause", err)
			}
		}
		if _, err := m.Generate(t.Context(), llm.Request{}); err != nil {
			t.Errorf("a slot was lost: %v", err)
		}
	})
}

// A server that lets two calls a second through and answers the others 429:
// with the defaults of Controls all 32 callers get their answer, at most 8
// calls are in flight, and no two waits are equal.
func TestStormWithDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, refused atomic.Int32
		var mu sync.Mutex
		var asked []time.Time
		server := &gate{running: &running, most: &most, free: func() error {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			asked = slices.DeleteFunc(asked, func(at time.Time) bool { return now.Sub(at) >= time.Second })
			if len(asked) >= 2 {
				refused.Add(1)
				return &llm.StatusError{Provider: "p", Status: 429, RetryAfter: time.Second}
			}
			asked = append(asked, now)
			return nil
		}}
		waits := map[time.Duration]bool{}
		m := llm.NewControls(&llm.ControlOptions{Retry: llm.RetryOptions{Seed: 1, OnRetry: func(e llm.RetryEvent) {
			mu.Lock()
			defer mu.Unlock()
			if waits[e.Wait] {
				t.Errorf("two calls wait %v", e.Wait)
			}
			waits[e.Wait] = true
		}}}).Wrap(server)
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				if _, err := m.Generate(t.Context(), llm.Request{}); err != nil {
					t.Errorf("caller %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if most.Load() > llm.DefaultLimit || refused.Load() < 32 || len(waits) != int(refused.Load()) {
			t.Errorf("%d in flight at the peak, %d refused, %d waits", most.Load(), refused.Load(), len(waits))
		}
	})
}

// gate answers after a tenth of a second, or at once with an error.
type gate struct {
	running, most *atomic.Int32
	free          func() error
}

func (m *gate) Generate(context.Context, llm.Request) (llm.Response, error) {
	n := m.running.Add(1)
	defer m.running.Add(-1)
	for old := m.most.Load(); n > old && !m.most.CompareAndSwap(old, n); old = m.most.Load() {
	}
	time.Sleep(100 * time.Millisecond)
	if err := m.free(); err != nil {
		return llm.Response{}, err
	}
	return llm.Response{Text: "ok"}, nil
}
