package main

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// assayCheckpoint is the loop with a saver of its own for every run, because a
// saver keeps all that it was given, and would grow. So the graph is compiled
// for every run, which is small beside 1,000 supersteps.
func assayCheckpoint() (run, error) {
	return func(ctx context.Context) error {
		once, err := assayLoop(&graph.CompileOptions{Checkpointer: memory.New()}, &graph.RunOptions{Thread: "t"})
		if err != nil {
			return err
		}
		return once(ctx)
	}, nil
}
