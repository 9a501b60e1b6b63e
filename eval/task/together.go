package task

import (
	"context"
	"sync"
)

// Together calls do for each of n items, in their order, with at most atOnce calls at the same time.
// After the first error or the end of ctx it begins no further call, waits for the running ones, and
// returns the error or the cause of the end.
func Together(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(atOnce, 1), n) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil { // the select below may still send an item
					continue
				}
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}
