package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph/store"
)

func checkContexts(t *testing.T, open Open) {
	s := open(t, &store.Options{Embedder: words("w", "a")})
	apply(t, s, put("n/k", `{}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, getErr := s.Get(ctx, ns("n"), "k")
	_, searchErr := s.Search(ctx, store.Query{})
	_, textErr := s.Search(ctx, store.Query{Text: "a"})
	_, listErr := s.ListNamespaces(ctx, store.NamespaceQuery{})
	_, sweepErr := s.Sweep(ctx)
	for name, err := range map[string]error{
		"Apply": s.Apply(ctx, put("n/l", `{}`)), "Get": getErr, "Search": searchErr, "Search by text": textErr, "ListNamespaces": listErr, "Sweep": sweepErr,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context: %v", name, err)
		}
	}
	found(t, s, store.Query{}, "n/k")
}

// checkConcurrent lets goroutines write the same keys in different orders, read, list and sweep.
// Nothing may be lost.
func checkConcurrent(t *testing.T, open Open) {
	const writers, rounds = 6, 15
	s := open(t, &store.Options{Embedder: words("w", "a", "b"), RefreshOnRead: true})
	errs := make([]error, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() { errs[w] = writeAndRead(t.Context(), s, w, rounds) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for w := range writers {
		if item := get(t, s, fmt.Sprintf("own/%d", w)); string(item.Value) != fmt.Sprintf(`{"round":%d}`, rounds-1) {
			t.Errorf("the item of writer %d is %s", w, item.Value)
		}
	}
	x, y := get(t, s, "shared/x"), get(t, s, "shared/y")
	if string(x.Value) != string(y.Value) {
		t.Errorf("two items that are only put together differ: %s, %s", x.Value, y.Value)
	}
}

func writeAndRead(ctx context.Context, s store.Store, w, rounds int) error {
	for round := range rounds {
		shared := fmt.Sprintf(`{"by":"a %d %d"}`, w, round)
		ops := []store.Op{put("shared/x", shared), put("shared/y", shared), put(fmt.Sprintf("own/%d", w), fmt.Sprintf(`{"round":%d}`, round))}
		if w%2 == 1 {
			ops[0], ops[1] = ops[1], ops[0]
		}
		ops[0].TTL, ops[1].TTL = time.Hour, time.Hour
		if err := s.Apply(ctx, ops...); err != nil {
			return err
		}
		if _, err := s.Get(ctx, ns("own"), fmt.Sprint(w)); err != nil {
			return err
		}
		if _, err := s.Search(ctx, store.Query{Text: "a"}); err != nil {
			return err
		}
		if _, err := s.ListNamespaces(ctx, store.NamespaceQuery{}); err != nil {
			return err
		}
		if _, err := s.Sweep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkSnapshot searches while all items are put again and again in one batch:
// every search must see one batch only.
func checkSnapshot(t *testing.T, open Open) {
	s := open(t, nil)
	const items = 100
	batch := func(round int) []store.Op {
		ops := numbered("n%02d/k", items)
		for i := range ops {
			ops[i].Value = fmt.Appendf(nil, `{"round":%d}`, round)
		}
		return ops
	}
	apply(t, s, batch(0)...)
	done := make(chan error, 1)
	go func() {
		var err error
		for round := 1; round <= 30 && err == nil; round++ {
			err = s.Apply(t.Context(), batch(round)...)
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		results, err := s.Search(t.Context(), store.Query{Limit: items + 1})
		if err != nil {
			t.Error(err)
		}
		if len(results) != items {
			t.Errorf("a search saw %d items", len(results))
		}
		for _, r := range results {
			if string(r.Value) != string(results[0].Value) {
				t.Errorf("a search saw %s and %s", results[0].Value, r.Value)
				break
			}
		}
	}
}
