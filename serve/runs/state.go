package runs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"

	"example.com/assay/graph"
)

// A Snapshot is a thread at one of its checkpoints.
type Snapshot = graph.StateSnapshot[json.RawMessage]

// Inside returns the state and the graph inside a task of a snapshot. The snapshot is nil for a
// task without one.
func (s *Space) Inside(ctx context.Context, at *Snapshot, g Graph, task string) (*Snapshot, Graph, error) {
	for _, t := range at.Tasks {
		inner, ok := g.App.Subgraph(t.Node)
		if t.ID != task || !ok || t.Child == (graph.Key{}) {
			continue
		}
		state, err := inner.State(ctx, t.Child)
		if errors.Is(err, graph.ErrNoCheckpoint) {
			return nil, g, nil
		}
		return state, Graph{Name: inner.Name(), App: inner}, err
	}
	return nil, g, nil
}

// State returns a thread's state at a checkpoint, or the newest without one. The graph is that of
// the thread's last run. The snapshot is nil for a thread without a checkpoint.
func (s *Space) State(ctx context.Context, thread, checkpoint string) (*Snapshot, Graph, error) {
	if err := checkTexts(checkpoint); err != nil {
		return nil, Graph{}, err
	}
	g, err := s.graphOn(ctx, thread)
	if errors.Is(err, ErrNoGraph) {
		return nil, g, nil
	}
	if err != nil {
		return nil, g, err
	}
	at, err := g.App.State(ctx, graph.Key{Thread: s.saved(thread), ID: checkpoint})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		if checkpoint != "" {
			return nil, g, &NotFoundError{"checkpoint", checkpoint}
		}
		return nil, g, nil
	}
	return at, g, err
}

// History yields a thread's snapshots, newest first. A thread without a run has none.
func (s *Space) History(ctx context.Context, thread string, opts *graph.HistoryOptions) iter.Seq2[*Snapshot, error] {
	if opts == nil {
		opts = &graph.HistoryOptions{}
	}
	err := checkTexts(slices.Concat([]string{opts.Before, opts.Run, string(opts.Source)}, slices.Collect(maps.Keys(opts.Metadata)), slices.Collect(maps.Values(opts.Metadata)))...)
	var g Graph
	if err == nil {
		g, err = s.graphOn(ctx, thread)
	}
	if errors.Is(err, ErrNoGraph) {
		return func(func(*Snapshot, error) bool) {}
	}
	if err != nil {
		return func(yield func(*Snapshot, error) bool) { yield(nil, err) }
	}
	return g.App.History(ctx, s.saved(thread), opts)
}

// UpdateState edits a thread by hand, as graph.App.UpdateState does, and returns the new
// checkpoint's ID. The graph is that of the thread's last run or, before the first run, the named
// one.
func (s *Space) UpdateState(ctx context.Context, thread, named, checkpoint string, supersteps ...[]graph.AppUpdate) (string, error) {
	if err := checkTexts(checkpoint); err != nil {
		return "", err
	}
	defer s.hold(thread)()
	t, err := s.Thread(ctx, thread)
	if err != nil {
		return "", err
	}
	if t.Graph == "" {
		t.Graph = named
	}
	if t.Graph == "" {
		return "", ErrNoGraph
	}
	g, err := s.Graph(t.Graph)
	if err == nil {
		err = s.room(ctx)
	}
	if err != nil {
		return "", err
	}
	key, err := g.App.UpdateState(ctx, graph.Key{Thread: s.saved(thread), ID: checkpoint}, supersteps...)
	switch {
	case errors.Is(err, graph.ErrThreadBusy):
		return "", ErrBusy
	case errors.Is(err, graph.ErrNoCheckpoint):
		return "", &NotFoundError{"checkpoint", checkpoint}
	case errors.Is(err, graph.ErrInvalidUpdate):
		return "", &InvalidError{err}
	case err != nil:
		return "", err
	}
	wrote, err := s.weigh(ctx, graph.Query{Thread: s.saved(thread), Limit: len(supersteps)})
	if err == nil {
		t.Bytes += wrote
		err = s.refresh(ctx, &t, nil)
	}
	if err != nil {
		return "", err
	}
	return key.ID, s.keep(ctx, &t)
}

// graphOn returns the graph of a thread's last run.
func (s *Space) graphOn(ctx context.Context, thread string) (Graph, error) {
	t, err := s.Thread(ctx, thread)
	if err != nil {
		return Graph{}, err
	}
	if t.Graph == "" {
		return Graph{}, ErrNoGraph
	}
	return s.Graph(t.Graph)
}
