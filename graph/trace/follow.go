package trace

import (
	"context"
	"time"

	"example.com/assay/graph"
)

// FollowOptions say who follows a run. Nil is the zero value.
type FollowOptions[S any] struct {
	// Writer receives every event. Default: no trace is written.
	Writer *Writer
	// Observe is called for every event, in order. Default: nobody.
	Observe func(graph.Event[S])
	// Run is passed to the engine; its Modes are replaced.
	Run graph.RunOptions
}

// Times are a run's durations, by node and in all.
type Times struct {
	Node  map[string]time.Duration // a node inside another as "execute/rewrite"
	Total time.Duration
}

// Follow runs a graph and follows it. A nil input goes on with the run that
// Run.Thread was left with. The state is final or, beside an error, that of the
// last superstep that was committed; zero when none was.
func Follow[S any](ctx context.Context, g *graph.Compiled[S], in graph.Update[S], opts *FollowOptions[S]) (S, Times, error) {
	var o FollowOptions[S]
	if opts != nil {
		o = *opts
	}
	o.Run.Modes = graph.Debug
	times := Times{Node: map[string]time.Duration{}}
	var final S
	for ev, err := range g.Stream(ctx, in, &o.Run) {
		if err != nil {
			return final, times, err
		}
		switch {
		case ev.Kind == graph.NodeUpdate && ev.Namespace == "":
			times.Node[ev.Node] += ev.Elapsed
		case ev.Kind == graph.NodeUpdate:
			times.Node[ev.Namespace+"/"+ev.Node] += ev.Elapsed
		case ev.Kind == graph.RunEnd && ev.Namespace == "":
			final, times.Total = ev.State, ev.Elapsed
		}
		if o.Writer != nil {
			if err := Add(o.Writer, ev); err != nil {
				return final, times, err
			}
		}
		if o.Observe != nil {
			o.Observe(ev)
		}
	}
	return final, times, nil
}
