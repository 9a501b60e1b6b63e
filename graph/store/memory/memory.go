// Package memory is a store in the memory of one process, for tests and for items that may be lost.
// It writes nothing to disk.
//
//	s, err := memory.New(nil)
//
// Adding an item moves all items that sort after it, and a search blocks writers.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"example.com/assay/graph/store"
)

// New returns an empty store. Nil options mean the defaults; invalid options are a
// *store.InvalidError.
func New(opts *store.Options) (store.Store, error) {
	return store.New(NewBackend(), opts)
}

// NewBackend returns an empty backend, which several stores with different options may share; see
// store.New.
func NewBackend() store.Backend { return &table{} }

// table is a store.Backend. Its rows are sorted by path and key. A change replaces a row and never
// writes into it.
type table struct {
	mu   sync.RWMutex
	rows []*store.Row
}

func (t *table) find(path, key string) (int, bool) {
	return slices.BinarySearchFunc(t.rows, path, func(r *store.Row, path string) int {
		return cmp.Or(strings.Compare(r.Path, path), strings.Compare(r.Key, key))
	})
}

func (t *table) Write(ctx context.Context, now int64, changes []store.Change) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	// The wait for the lock may have been long. After this nothing can fail.
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range changes {
		t.apply(now, c)
	}
	return nil
}

func (t *table) apply(now int64, c store.Change) {
	i, exists := t.find(c.Row.Path, c.Row.Key)
	if !exists {
		if c.Kind == store.ChangePut {
			t.rows = slices.Insert(t.rows, i, &c.Row)
		}
		return
	}
	row := *t.rows[i]
	switch c.Kind {
	case store.ChangePut:
		created := row.Created
		live := row.Expires > c.Row.Updated
		row = c.Row
		if live {
			row.Created = created
		}
	case store.ChangeDelete:
		t.rows = slices.Delete(t.rows, i, i+1)
		return
	case store.ChangeRefresh:
		row.Expires = max(row.Expires, now+row.TTL)
	case store.ChangeVectors:
		if row.Updated == c.Row.Updated && bytes.Equal(row.Value, c.Row.Value) {
			row.Vectors = c.Row.Vectors
		}
	}
	t.rows[i] = &row
}

func (t *table) Read(_ context.Context, path, key string) (store.Row, bool, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i, exists := t.find(path, key)
	if !exists {
		return store.Row{}, false, nil
	}
	return *t.rows[i], true, nil
}

func (t *table) Scan(_ context.Context, r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		t.mu.RLock()
		defer t.mu.RUnlock()
		i, _ := t.find(r.Prefix, "")
		for ; i < len(t.rows) && strings.HasPrefix(t.rows[i].Path, r.Prefix); i++ {
			if t.rows[i].Expires > r.Live && !yield(*t.rows[i], nil) {
				return
			}
		}
	}
}

func (t *table) Paths(ctx context.Context, r store.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		for row, err := range t.Scan(ctx, r) {
			if row.Path == last {
				continue
			}
			if last = row.Path; !yield(row.Path, err) {
				return
			}
		}
	}
}

func (t *table) Sweep(_ context.Context, now int64) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.rows)
	t.rows = slices.DeleteFunc(t.rows, func(r *store.Row) bool { return r.Expires <= now })
	return before - len(t.rows), nil
}
