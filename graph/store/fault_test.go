package store_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
	"example.com/assay/graph/store/storetest"
)

var errFault = errors.New("fault")

// faulty is a backend that fails in one of its steps: a call, or a row of a
// scan.
type faulty struct {
	store.Backend
	left int // steps before the one that fails
}

func (f *faulty) fault() error {
	if f.left--; f.left == -1 {
		return errFault
	}
	return nil
}

func (f *faulty) Write(ctx context.Context, now int64, changes []store.Change) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.Backend.Write(ctx, now, changes)
}

func (f *faulty) Read(ctx context.Context, path, key string) (store.Row, bool, error) {
	if err := f.fault(); err != nil {
		return store.Row{}, false, err
	}
	return f.Backend.Read(ctx, path, key)
}

func (f *faulty) Scan(ctx context.Context, r store.Range) iter.Seq2[store.Row, error] {
	return faultyRows(f, f.Backend.Scan(ctx, r))
}

func (f *faulty) Paths(ctx context.Context, r store.Range) iter.Seq2[string, error] {
	return faultyRows(f, f.Backend.Paths(ctx, r))
}

func (f *faulty) Sweep(ctx context.Context, now int64) (int, error) {
	if err := f.fault(); err != nil {
		return 0, err
	}
	return f.Backend.Sweep(ctx, now)
}

func faultyRows[T any](f *faulty, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if err == nil {
				err = f.fault()
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// TestFaults lets the backend fail in each of its steps, for each call of a
// store. The call must say so, and the next one must work.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		steps int
		call  func(ctx context.Context, s store.Store) error
	}{
		"apply": {1, func(ctx context.Context, s store.Store) error {
			return store.Put(ctx, s, []string{"n"}, "k", struct{}{}, nil)
		}},
		"get": {2, func(ctx context.Context, s store.Store) error { // reads, refreshes
			_, err := store.Get[struct{}](ctx, s, []string{"n"}, "1")
			return err
		}},
		"search": {4, func(ctx context.Context, s store.Store) error { // three rows, refreshes
			_, err := s.Search(ctx, store.Query{})
			return err
		}},
		"search by meaning": {5, func(ctx context.Context, s store.Store) error { // three rows, vectors, refreshes
			_, err := s.Search(ctx, store.Query{Text: "tea"})
			return err
		}},
		"list": {1, func(ctx context.Context, s store.Store) error {
			_, err := s.ListNamespaces(ctx, store.NamespaceQuery{})
			return err
		}},
		"sweep": {1, func(ctx context.Context, s store.Store) error { _, err := s.Sweep(ctx); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range c.steps + 1 {
				rows := memory.NewBackend()
				plain, err := store.New(rows, &store.Options{TTL: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				for _, key := range []string{"1", "2", "3"} {
					if err := store.Put(t.Context(), plain, []string{"n"}, key, map[string]string{"t": "tea"}, nil); err != nil {
						t.Fatal(err)
					}
				}
				embedder := &storetest.Words{Name: "w", Vocabulary: []string{"tea"}}
				s, err := store.New(&faulty{rows, n}, &store.Options{RefreshOnRead: true, Embedder: embedder})
				if err != nil {
					t.Fatal(err)
				}
				err = c.call(t.Context(), s)
				if n < c.steps && !errors.Is(err, errFault) {
					t.Errorf("a fault in step %d gives error %v", n+1, err)
				}
				if n == c.steps {
					if err != nil {
						t.Errorf("without a fault: %v", err)
					}
					continue
				}
				if err := c.call(t.Context(), s); err != nil {
					t.Errorf("after a fault in step %d: %v", n+1, err)
				}
			}
		})
	}
}
