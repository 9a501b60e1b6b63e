package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// An engine is one column of the table.
type engine struct {
	name    string
	version string // empty for what is part of this repository or of Go
	// measure repeats a workload for at least the given time and returns the
	// nanoseconds per unit. The error is an absent when the engine has no figure.
	measure func(ctx context.Context, w workload, atLeast time.Duration) (float64, error)
}

// goEngine is an engine in this process.
func goEngine(name, version string, graphs makers) engine {
	return engine{name, version, func(ctx context.Context, w workload, atLeast time.Duration) (float64, error) {
		return measure(ctx, w, graphs[w.name], atLeast)
	}}
}

// measure compiles a graph for each batch of runs and times the runs alone.
func measure(ctx context.Context, w workload, graph maker, atLeast time.Duration) (float64, error) {
	runtime.GC() // what others left behind is not to be paid for here
	var total time.Duration
	runs := 0
	for runs == 0 || total < atLeast {
		once, err := graph()
		if err != nil {
			return 0, err
		}
		start := time.Now()
		for range w.batch {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := once(ctx); err != nil {
				return 0, err
			}
		}
		total += time.Since(start)
		runs += w.batch
	}
	return float64(total.Nanoseconds()) / float64(runs) / float64(w.units), nil
}

// A cell is what one engine has shown of one workload.
type cell struct {
	// Samples are nanoseconds per unit, one a round, sorted.
	Samples []float64 `json:"samples,omitempty"`
	// Absent says why there are none.
	Absent string `json:"absent,omitempty"`
}

// compare measures each workload with each engine, round by round, so that what
// disturbs the machine disturbs all of them alike. One round more than asked is
// made: the first warms up and does not count. The cells are by workload, then
// by engine. It calls progress before each round of a workload.
func compare(ctx context.Context, rows []workload, engines []engine, rounds int, atLeast time.Duration, progress func(round int, w workload)) ([][]cell, error) {
	cells := make([][]cell, len(rows))
	for i := range cells {
		cells[i] = make([]cell, len(engines))
	}
	for round := range rounds + 1 {
		for i, w := range rows {
			progress(round, w)
			for j, e := range engines {
				at := &cells[i][j]
				if at.Absent != "" {
					continue
				}
				ns, err := e.measure(ctx, w, atLeast)
				var none absent
				switch {
				case ctx.Err() != nil:
					return nil, ctx.Err()
				case errors.As(err, &none):
					at.Absent = none.reason
				case err != nil:
					return nil, fmt.Errorf("running %q with %s: %w", w.name, e.name, err)
				case round > 0:
					at.Samples = insertSorted(at.Samples, ns)
				}
			}
		}
	}
	return cells, nil
}
