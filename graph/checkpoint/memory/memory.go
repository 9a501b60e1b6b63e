// Package memory keeps threads in memory, for tests and for runs whose threads need not outlive the
// process.
//
//	saver := memory.New()
//	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
//
// It writes nothing to disk, and nothing expires: a thread stays until a change removes its
// checkpoints.
package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
)

// A Saver is a graph.Checkpointer. It keeps the Data and Metadata of its arguments without copying
// them. Changes of different threads do not wait for each other.
type Saver struct {
	mu      sync.RWMutex // guards both maps; never held while waiting for a thread's lock
	threads map[string]*thread
	locked  map[string]bool
}

var _ graph.Checkpointer = (*Saver)(nil)

// New returns an empty saver.
func New() *Saver {
	return &Saver{threads: map[string]*thread{}, locked: map[string]bool{}}
}

// Lock implements graph.Checkpointer.
func (s *Saver) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := begin(ctx, names.Check(name)); err != nil {
		return nil, fmt.Errorf("locking thread %q: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locked[name] {
		return nil, fmt.Errorf("locking thread %q: %w", name, graph.ErrThreadBusy)
	}
	s.locked[name] = true
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.locked, name)
	}), nil
}

// Commit implements graph.Checkpointer.
func (s *Saver) Commit(ctx context.Context, name string, change graph.Change) error {
	if err := begin(ctx, names.CheckChange(name, change)); err != nil {
		return fmt.Errorf("changing thread %q: %w", name, err)
	}
	t := s.hold(name)
	defer t.mu.Unlock()
	err := t.commit(&change)
	if (err != nil || len(change.Add) == 0) && t.empty() {
		t.gone = true
		s.mu.Lock()
		delete(s.threads, name)
		s.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("changing thread %q: %w", name, err)
	}
	return nil
}

// Load implements graph.Checkpointer.
func (s *Saver) Load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	if err := begin(ctx, names.Check(key.Thread, key.Namespace, key.ID)); err != nil {
		return nil, nil, fmt.Errorf("loading %v: %w", key, err)
	}
	lineage, records, err := s.find(key.Thread).load(key.Namespace, key.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("loading %v: %w", key, err)
	}
	return lineage, records, nil
}

// hold returns a thread with its lock held for writing, and creates the thread if needed.
func (s *Saver) hold(name string) *thread {
	for {
		t := s.find(name)
		if t == nil {
			s.mu.Lock()
			if t = s.threads[name]; t == nil {
				t = &thread{spaces: map[string]*space{}}
				s.threads[name] = t
			}
			s.mu.Unlock()
		}
		t.mu.Lock()
		if !t.gone {
			return t
		}
		t.mu.Unlock()
	}
}

// find returns a thread, or nil if it does not exist.
func (s *Saver) find(name string) *thread {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.threads[name]
}

// all returns the names of all threads, sorted, and the threads in the same order.
func (s *Saver) all() ([]string, []*thread) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := slices.Sorted(maps.Keys(s.threads))
	threads := make([]*thread, len(ids))
	for i, id := range ids {
		threads[i] = s.threads[id]
	}
	return ids, threads
}

// begin returns the error of an ended context, or else bad.
func begin(ctx context.Context, bad error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return bad
}
