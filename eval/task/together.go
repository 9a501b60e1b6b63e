package task

import (
	"context"
	"sync"
)

// Together does something for each of n items, in their order, so many at once. The
// first error stops it, as the end of ctx does: nothing more is begun, what was begun
// is waited for, and the error is returned, or the cause of the end.
func Together(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(atOnce, 1), n) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil { // the select below chooses either when both are ready
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
