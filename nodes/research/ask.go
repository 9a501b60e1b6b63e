package research

import (
	"context"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state"
)

// AskOptions say who follows a run. Nil is the zero value.
type AskOptions struct {
	// Trace receives every event. Default: none is written.
	Trace *trace.Writer
	// Observe is called for every event, in order. Default: nobody.
	Observe func(graph.Event[state.Agent])
	// Run is passed to the engine; its Modes are replaced.
	Run graph.RunOptions
	// Resume goes on with the run that Run.Thread was left with, after a failure
	// or a kill; the question is that of the thread. Times are of this part.
	Resume bool
}

// Times are a run's durations, by node and in all.
type Times struct {
	Node  map[string]time.Duration // a node inside another as "execute/rewrite"
	Total time.Duration
}

// Ask runs the pipeline on one question and follows it. The state is final or,
// beside an error, that of the last superstep that was committed.
func (p *Pipeline) Ask(ctx context.Context, question string, opts *AskOptions) (state.Agent, Times, error) {
	var o AskOptions
	if opts != nil {
		o = *opts
	}
	o.Run.Modes = graph.Debug
	times := Times{Node: map[string]time.Duration{}}
	final := state.Agent{Objective: question}
	in := Input(question)
	if o.Resume {
		in = nil
	}
	for ev, err := range p.graph.Stream(ctx, in, &o.Run) {
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
		if o.Trace != nil {
			if err := trace.Add(o.Trace, ev); err != nil {
				return final, times, err
			}
		}
		if o.Observe != nil {
			o.Observe(ev)
		}
	}
	return final, times, nil
}
