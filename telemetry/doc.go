// Package telemetry turns what happens in a run into spans of OpenTelemetry:
// one for the run, below it one for each attempt at a node, and below those one
// for each call of a model and each search, by the semantic conventions for
// generative AI.
//
//	rec := telemetry.NewRecorder(ctx, tracer, nil)
//	defer rec.End()
//	for ev, err := range app.Stream(rec.Context(ctx), in, &graph.RunOptions{Modes: graph.Debug}) {
//		...
//		telemetry.Observe(rec, ev)
//	}
//
// The engine knows nothing of it: spans are made from the stream of events,
// with the times that stand there. Models that Watch wraps add the exact time of
// each call, its kind of failure and, when Options say so, what was asked and
// answered. Nodes inside a subgraph are below the node that holds it.
//
// The span of a search for a causal edge has the edge's id, iteration and side; those
// of the nodes that rule on it, and of its loop, have its last verdict and how many
// queries were tried. A figure that a search does not give is in no span.
//
// Span names hold names of graphs, nodes and models only. Without
// Options.Content no prompt, answer, query, document or text of an error is in
// any attribute.
//
// It exports nothing, reads no variables and keeps no globals: the tracer, and
// where its spans go, are the caller's. Repeated attempts at one call are one
// span. It records neither metrics nor logs.
package telemetry
