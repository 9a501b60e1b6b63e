package eval

import (
	"context"
	"fmt"
	"sync"

	"example.com/assay/eval/task"
)

// An Outcome is the result of one run of a case.
type Outcome struct {
	Case     Case
	Prepared *Prepared // nil when it was never ready
	Repeat   int       // from 1; 0 when each case is run once
	Run      Run
	Misses   []string // unmet expectations, one sentence each
	Err      error    // why the case could not be run at all
}

// Passed reports whether a case was run and misses nothing.
func (o Outcome) Passed() bool { return o.Err == nil && len(o.Misses) == 0 }

// SuiteOptions adjust RunCases. Nil is the zero value.
type SuiteOptions struct {
	// Concurrency is the number of cases that run at once. Default 1.
	Concurrency int
	// Repeat is the number of runs of each case. Default 1.
	Repeat int
	// Kept returns the item of an earlier run, which is then not run again. Optional.
	Kept func(key string, repeat int) (Item, bool)
	// Done receives each finished item and the progress, never concurrently. Its error
	// stops the suite. Default: not called.
	Done func(item Item, done, total int) error
}

// RunCases runs every case, by run, which checks nothing, and returns the items in
// the order of the cases, the runs of one case together. An error of run is that
// case's outcome. When ctx ends, no further case begins, and the error is its
// cause.
func RunCases(ctx context.Context, cases []*Prepared, run func(context.Context, *Prepared) (Run, error), opts *SuiteOptions) ([]Item, error) {
	var o SuiteOptions
	if opts != nil {
		o = *opts
	}
	repeat := max(o.Repeat, 1)
	out := make([]Item, len(cases)*repeat)
	var mu sync.Mutex // for done and calls of Progress
	done := 0
	err := task.Together(ctx, len(out), o.Concurrency, func(ctx context.Context, i int) error {
		p, n := cases[i/repeat], 0
		if repeat > 1 {
			n = i%repeat + 1
		}
		item, kept := Item{}, false
		if o.Kept != nil {
			item, kept = o.Kept(p.Key(), n)
		}
		if !kept {
			item = ItemOf(outcomeOf(ctx, p, n, run))
		}
		mu.Lock()
		defer mu.Unlock()
		out[i] = item
		done++
		if o.Done == nil || ctx.Err() != nil {
			return nil
		}
		return o.Done(item, done, len(out))
	})
	if err != nil {
		return nil, fmt.Errorf("running cases: %w", err)
	}
	return out, nil
}

func outcomeOf(ctx context.Context, p *Prepared, repeat int, run func(context.Context, *Prepared) (Run, error)) Outcome {
	o := Outcome{Case: p.Case, Prepared: p, Repeat: repeat}
	this := *p
	this.Repeat = repeat
	if o.Run, o.Err = run(ctx, &this); o.Err == nil {
		o.Misses = o.Run.Check(p.Case.Want)
	}
	return o
}
