// Package follow runs a pipeline's graph, sends its events to a trace and to an observer, and sums
// up times and usage by node.
//
//	final, took, err := follow.Run(ctx, pipeline.Graph(), input, &follow.Options[verify.State]{Trace: writer})
//
// It keeps nothing between runs and reads no clock: times come from the events.
package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// Options adjust Run. Nil is the zero value.
type Options[S any] struct {
	// Trace receives every event. Default: no trace.
	Trace *trace.Writer
	// Observe is called for every event, in order. Default: not called.
	Observe func(graph.Event[S])
	// End returns the last line of the trace from the run's final state and error. Default: no such
	// line.
	End func(S, error) state.End
	// Resume continues the thread that Run names; see graph.Compiled.Resume.
	// Default: the run begins with its input.
	Resume bool
	// Stream runs the graph in another process and yields its events, all events of mode Debug. A
	// nil input resumes. Default: the graph runs here.
	Stream func(ctx context.Context, in graph.Update[S], opts *graph.RunOptions) iter.Seq2[graph.Event[S], error]
	// Run is passed to the engine; its Modes are replaced.
	Run graph.RunOptions
}

// Took is the effort of a run: durations by node and in all, and model calls by node. A
// node inside another is "execute/rewrite".
type Took struct {
	Node  map[string]time.Duration
	Total time.Duration
	// Usage has the model calls of each node. Unlike the state, it includes failed nodes
	// and retried attempts. It leaves out nodes without a call, and replayed calls.
	Usage map[string]state.ModelUsage
}

// Measure adds the effort of the run to an answer's metrics.
func (t Took) Measure(m *state.RunMetrics) {
	for node, d := range t.Node {
		m.NodeMS[node] = milliseconds(d)
	}
	m.NodeUsage, m.ElapsedMS = t.Usage, milliseconds(t.Total)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Run runs a graph and follows it. The state is final or, with an error, the last committed
// one, zero without a commit.
func Run[S any](ctx context.Context, g *graph.Compiled[S], in graph.Update[S], opts *Options[S]) (S, Took, error) {
	var o Options[S]
	if opts != nil {
		o = *opts
	}
	if o.Stream == nil {
		o.Stream = g.Stream
		if o.Resume {
			o.Stream = g.StreamResume
		}
	}
	return run(ctx, in, o)
}

// App is Run for a graph whose inputs and states are JSON. A nil in means no input.
func App(ctx context.Context, app graph.App, in json.RawMessage, opts *Options[json.RawMessage]) (json.RawMessage, Took, error) {
	var o Options[json.RawMessage]
	if opts != nil {
		o = *opts
	}
	if o.Stream == nil {
		stream := app.Stream
		if o.Resume {
			stream = app.StreamResume
		}
		o.Stream = func(ctx context.Context, _ graph.Update[json.RawMessage], opts *graph.RunOptions) iter.Seq2[graph.Event[json.RawMessage], error] {
			return stream(ctx, in, opts)
		}
	}
	return run(ctx, nil, o)
}

func run[S any](ctx context.Context, in graph.Update[S], o Options[S]) (S, Took, error) {
	o.Run.Modes = graph.Debug
	took := Took{Node: map[string]time.Duration{}, Usage: map[string]state.ModelUsage{}}
	var final S
	for ev, err := range o.Stream(ctx, in, &o.Run) {
		if err != nil {
			return final, took, err
		}
		switch {
		case ev.Kind == graph.NodeUpdate:
			took.Node[path(ev)] += ev.Elapsed
		case ev.Kind == graph.NodeCustom && ev.Name == event.ModelCall && !ev.Replayed:
			var call event.Call
			if err := json.Unmarshal(ev.Data, &call); err != nil {
				return final, took, fmt.Errorf("counting the calls of node %q: %w", ev.Node, err)
			}
			took.Usage[path(ev)] = took.Usage[path(ev)].Plus(call.Usage)
		case ev.Kind == graph.RunEnd && ev.Namespace == "":
			final, took.Total = ev.State, ev.Elapsed
		}
		if o.Trace != nil {
			if o.End != nil && ev.Kind == graph.RunEnd && ev.Namespace == "" {
				end, err := json.Marshal(o.End(ev.State, stopped(ctx, ev.Err)))
				if err != nil {
					return final, took, fmt.Errorf("tracing the end: %w", err)
				}
				o.Trace.SetEnd(end)
			}
			if err := trace.Add(o.Trace, ev); err != nil {
				return final, took, err
			}
		}
		if o.Observe != nil {
			o.Observe(ev)
		}
	}
	return final, took, nil
}

// stopped is the error of a run; for a stopped run, the cause of the stop.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// path is the name of an event's node, prefixed by the names of the nodes around it.
func path[S any](ev graph.Event[S]) string {
	if ev.Namespace == "" {
		return ev.Node
	}
	return ev.Namespace + "/" + ev.Node
}
