package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
)

// load returns a checkpoint's lineage and records. A nil thread has no checkpoints.
func (t *thread) load(namespace, id string) ([]graph.Checkpoint, []graph.Record, error) {
	if t == nil {
		return nil, nil, graph.ErrNoCheckpoint
	}
	checkpoints, at, records := t.look(namespace, id)
	if at < 0 {
		return nil, nil, graph.ErrNoCheckpoint
	}
	out, err := lineage(checkpoints, at)
	if err != nil {
		return nil, nil, err
	}
	return out, records, nil
}

// Records implements graph.RecordReader.
func (s *Saver) Records(ctx context.Context, thread string) ([]graph.Record, error) {
	if err := begin(ctx, names.Check(thread)); err != nil {
		return nil, fmt.Errorf("reading the records of thread %q: %w", thread, err)
	}
	t := s.find(thread)
	if t == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []graph.Record
	for _, ns := range slices.Sorted(maps.Keys(t.spaces)) {
		for _, id := range slices.Sorted(maps.Keys(t.spaces[ns].records)) {
			out = append(out, t.spaces[ns].records[id]...)
		}
	}
	return out, nil
}

// look returns the checkpoints of a namespace, the position of the wanted one, and its records. The
// position is negative if the checkpoint does not exist.
func (t *thread) look(namespace, id string) (checkpoints []*row, at int, records []graph.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.spaces[namespace]
	if s == nil || len(s.checkpoints) == 0 {
		return nil, -1, nil
	}
	at = len(s.checkpoints) - 1
	if id != "" {
		var ok bool
		if at, ok = s.find(id); !ok {
			return nil, -1, nil
		}
	}
	return s.checkpoints, at, slices.Clone(s.records[s.checkpoints[at].id])
}

// List implements graph.Checkpointer. It yields the checkpoints that existed when the loop began.
func (s *Saver) List(ctx context.Context, query graph.Query) iter.Seq2[graph.Checkpoint, error] {
	return func(yield func(graph.Checkpoint, error) bool) {
		fail := func(err error) {
			yield(graph.Checkpoint{}, fmt.Errorf("listing checkpoints of thread %q: %w", query.Thread, err))
		}
		if err := begin(ctx, names.CheckQuery(query)); err != nil {
			fail(err)
			return
		}
		yielded := 0
		for _, list := range s.find(query.Thread).lists(query) {
			for _, r := range slices.Backward(list) {
				c := r.checkpoint()
				if !query.Matches(c) {
					continue
				}
				if err := ctx.Err(); err != nil {
					fail(err)
					return
				}
				if !yield(c, nil) {
					return
				}
				if yielded++; yielded == query.Limit {
					return
				}
			}
		}
	}
}

// lists returns the checkpoints of each namespace that the query selects, sorted by the namespaces'
// names.
func (t *thread) lists(query graph.Query) [][]*row {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	spaces := []string{query.Namespace}
	if query.All {
		spaces = slices.Sorted(maps.Keys(t.spaces))
	}
	var out [][]*row
	for _, ns := range spaces {
		if s := t.spaces[ns]; s != nil {
			out = append(out, s.checkpoints)
		}
	}
	return out
}

// Threads implements graph.Checkpointer. It yields the threads that existed when the
// loop began, each in its state when the loop reaches it.
func (s *Saver) Threads(ctx context.Context) iter.Seq2[graph.Thread, error] {
	return func(yield func(graph.Thread, error) bool) {
		ids, threads := s.all()
		for i, t := range threads {
			if err := ctx.Err(); err != nil {
				yield(graph.Thread{}, fmt.Errorf("listing threads: %w", err))
				return
			}
			if about := t.about(ids[i]); about.Checkpoints > 0 && !yield(about, nil) {
				return
			}
		}
	}
}

func (t *thread) about(id string) graph.Thread {
	out := graph.Thread{ID: id}
	for _, list := range t.lists(graph.Query{All: true}) {
		out.Checkpoints += len(list)
		for _, c := range list {
			if at := time.UnixMicro(c.micros).UTC(); at.After(out.Updated) {
				out.Updated = at
			}
		}
	}
	return out
}
