package eval

import (
	"context"
	"fmt"
	"sync"
)

// An Outcome is what became of one case of several.
type Outcome struct {
	Case   Case
	Run    Run
	Misses []string // what was expected and is not so, one sentence each
	Err    error    // why the case could not be run at all
}

// Passed reports whether a case was run and misses nothing.
func (o Outcome) Passed() bool { return o.Err == nil && len(o.Misses) == 0 }

// SuiteOptions adjust RunCases. Nil is the zero value.
type SuiteOptions struct {
	// Concurrency is how many cases run at once. Default 1.
	Concurrency int
	// Done is told of each outcome as it comes, never concurrently, and how
	// many of how many there are. Default nobody.
	Done func(o Outcome, done, total int)
}

// RunCases runs every case by run, which checks nothing, and returns the
// outcomes in the order of the cases. An error of run is that case's outcome.
// When ctx ends, no further case begins, and the error is its cause.
func RunCases(ctx context.Context, cases []Case, run func(context.Context, Case) (Run, error), opts *SuiteOptions) ([]Outcome, error) {
	o := SuiteOptions{}
	if opts != nil {
		o = *opts
	}
	out := make([]Outcome, len(cases))
	next := make(chan int)
	var mu sync.Mutex
	done := 0
	var wg sync.WaitGroup
	for range min(max(o.Concurrency, 1), len(cases)) {
		wg.Go(func() {
			for i := range next {
				out[i] = outcomeOf(ctx, cases[i], run)
				mu.Lock()
				done++
				if o.Done != nil {
					o.Done(out[i], done, len(cases))
				}
				mu.Unlock()
			}
		})
	}
	for i := range cases {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("running cases: %w", context.Cause(ctx))
	}
	return out, nil
}

func outcomeOf(ctx context.Context, c Case, run func(context.Context, Case) (Run, error)) Outcome {
	o := Outcome{Case: c}
	if o.Run, o.Err = run(ctx, c); o.Err == nil {
		o.Misses = o.Run.Check(c.Want)
	}
	return o
}
