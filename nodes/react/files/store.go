package files

import (
	"context"
	"errors"
	"slices"
	"sync"

	"example.com/assay/graph/store"
)

// A Store is a Backend in a namespace of a store, where all threads see the files.
type Store struct {
	sync.Mutex // for Edit
	store      store.Store
	namespace  []string
}

// InStore returns a Backend in a namespace, such as {"users", "ann", "files"}. A file's key is its path.
func InStore(s store.Store, namespace ...string) *Store {
	return &Store{store: s, namespace: slices.Clone(namespace)}
}

const mostItems = 10_000

func (s *Store) paths(ctx context.Context) ([]string, error) {
	found, err := s.store.Search(ctx, store.Query{Namespace: s.namespace, Limit: mostItems})
	var out []string
	for _, f := range found {
		if slices.Equal(f.Namespace, s.namespace) {
			out = append(out, f.Key)
		}
	}
	return out, err
}

// Walk implements Backend.
func (s *Store) Walk(ctx context.Context, folder string, fn func(Entry) error) error {
	paths, err := s.paths(ctx)
	if err != nil {
		return err
	}
	return walk(ctx, paths, folder, fn)
}

// Read implements Backend.
func (s *Store) Read(ctx context.Context, path string) (string, error) {
	f, err := store.Get[File](ctx, s.store, s.namespace, path)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	return f.text(path, err == nil)
}

// Write implements Backend.
func (s *Store) Write(ctx context.Context, path, text string) error {
	paths, err := s.paths(ctx)
	if err == nil {
		err = place(paths, path, text)
	}
	if err != nil {
		return err
	}
	return store.Put(ctx, s.store, s.namespace, path, File{text, utf8Name}, nil)
}
