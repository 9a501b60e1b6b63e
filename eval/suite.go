package eval

import (
	"context"
	"fmt"
	"sync"
)

// An Outcome is what became of one run of a case.
type Outcome struct {
	Case     Case
	Prepared *Prepared // nil when it was never ready
	Repeat   int       // from 1; 0 when each case is run once
	Run      Run
	Misses   []string // what was expected and is not so, one sentence each
	Err      error    // why the case could not be run at all
}

// Passed reports whether a case was run and misses nothing.
func (o Outcome) Passed() bool { return o.Err == nil && len(o.Misses) == 0 }

// SuiteOptions adjust RunCases. Nil is the zero value.
type SuiteOptions struct {
	// Concurrency is how many cases run at once. Default 1.
	Concurrency int
	// Repeat is how often each case is run. Default 1.
	Repeat int
	// Kept returns the item of an earlier run, which is not run again. Default none.
	Kept func(key string, repeat int) (Item, bool)
	// Done is told of each item as it comes, never concurrently, and how many of
	// how many there are. Its error stops the suite. Default nobody.
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
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := make([]Item, len(cases)*repeat)
	next := make(chan int)
	var mu sync.Mutex
	done := 0
	one := func(i int) {
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
		if o.Done != nil && ctx.Err() == nil {
			if err := o.Done(item, done, len(out)); err != nil {
				stop(err)
			}
		}
	}
	var wg sync.WaitGroup
	for range min(max(o.Concurrency, 1), len(out)) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					one(i)
				}
			}
		})
	}
	for i := range out {
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

func outcomeOf(ctx context.Context, p *Prepared, repeat int, run func(context.Context, *Prepared) (Run, error)) Outcome {
	o := Outcome{Case: p.Case, Prepared: p, Repeat: repeat}
	this := *p
	this.Repeat = repeat
	if o.Run, o.Err = run(ctx, &this); o.Err == nil {
		o.Misses = o.Run.Check(p.Case.Want)
	}
	return o
}
