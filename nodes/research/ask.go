package research

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
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

// Times are what a run took: durations by node and in all, and the calls of
// models by node. A node inside another is "execute/rewrite".
type Times struct {
	Node  map[string]time.Duration
	Total time.Duration
	// Usage holds what each node asked of models, as it happened: also what a
	// node asked that failed then, or was tried again, which the state does not
	// know. A node without a call is not in it.
	Usage map[string]state.ModelUsage
}

// count adds a published call of a model to its node.
func (t *Times) count(ev graph.Event[state.Agent]) error {
	var call llm.CallEvent
	if err := json.Unmarshal(ev.Data, &call); err != nil {
		return fmt.Errorf("counting the calls of node %q: %w", ev.Node, err)
	}
	name := path(ev)
	t.Usage[name] = t.Usage[name].Plus(call.Usage)
	return nil
}

// path is the name of an event's node, with that of the node that it is in.
func path(ev graph.Event[state.Agent]) string {
	if ev.Namespace == "" {
		return ev.Node
	}
	return ev.Namespace + "/" + ev.Node
}

// Ask runs the pipeline on one question and follows it. The state is final or,
// beside an error, that of the last superstep that was committed.
func (p *Pipeline) Ask(ctx context.Context, question string, opts *AskOptions) (state.Agent, Times, error) {
	var o AskOptions
	if opts != nil {
		o = *opts
	}
	o.Run.Modes = graph.Debug
	times := Times{Node: map[string]time.Duration{}, Usage: map[string]state.ModelUsage{}}
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
		case ev.Kind == graph.NodeUpdate:
			times.Node[path(ev)] += ev.Elapsed
		case ev.Kind == graph.NodeCustom && ev.Name == llm.EventModelCall:
			if err := times.count(ev); err != nil {
				return final, times, err
			}
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
