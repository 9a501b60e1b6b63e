package llm_test

import (
	"context"
	"errors"
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
