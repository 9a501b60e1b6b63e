// Package telemetry turns the events of a run into OpenTelemetry spans: one for the run, below it
// one for each attempt at a node, and below those one for each model call and each search, by the
// semantic conventions for generative AI.
//
//	rec := telemetry.NewRecorder(ctx, tracer, nil)
//	defer rec.End()
//	for ev, err := range app.Stream(rec.Context(ctx), in, &graph.RunOptions{Modes: graph.Debug}) {
//		...
//		telemetry.Observe(rec, ev)
//	}
//
// The engine does not depend on the package: spans are made from the stream of events, with the
// events' times. Models wrapped by Watch add the exact time of each call, its kind of failure and,
// if Options.Content is set, prompt and answer. Nodes of a subgraph are below the node that
// contains it.
//
// The span of a search for a causal edge has the edge's ID, iteration and side; those of the nodes
// that decide on it, and of its loop, have its last verdict and the number of queries tried. A
// value missing in an event is missing in the span.
//
// Span names contain only names of graphs, nodes and models. Without Options.Content no attribute
// contains a prompt, answer, query, document or error text.
//
// The package does not export spans, read environment variables or keep globals: the caller
// provides the tracer and its exporter. Repeated attempts at one call are one span. It records
// neither metrics nor logs.
package telemetry
