package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// runTraced runs a pipeline's graph, and writes its trace to a file when one is
// named. Of a run that was stopped the error says what stopped it, and not which
// node met it.
func runTraced[S any](ctx context.Context, g *graph.Compiled[S], in graph.Update[S], opts follow.Options[S], traceFile string, header func() (trace.Header, error)) (final S, took follow.Took, err error) {
	if traceFile != "" {
		head, err := header()
		if err != nil {
			return final, took, err
		}
		file, err := os.Create(traceFile)
		if err != nil {
			return final, took, usagef("writing the trace: %w", err)
		}
		opts.Trace = trace.NewWriter(file, head)
		defer func() { err = also(err, file.Close()) }()
	}
	final, took, err = follow.Run(ctx, g, in, &opts)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return final, took, err
}

// measured puts what a run took into its answer's metrics.
func measured(m *state.RunMetrics, took follow.Took) {
	for node, d := range took.Node {
		m.NodeMS[node] = milliseconds(d)
	}
	m.NodeUsage, m.ElapsedMS = took.Usage, milliseconds(took.Total)
}

// traceInput is what a run was given, as a trace's header holds it.
func traceInput[T any](in T) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		return nil, fmt.Errorf("tracing the input: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
