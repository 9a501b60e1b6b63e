package task

import (
	"context"
	"sync"
	"time"

	"example.com/assay/eval/metrics"
)

// A Figure is a metric over items: the sum of their parts over the sum of their wholes.
type Figure[T any] struct {
	Name string
	Of   func(T) (Fraction, bool) // false leaves the item out
}

// A Fraction is an item's contribution to a figure.
type Fraction struct {
	Part, Whole float64
	N           int // the number of counted things: 1, or the values of the item
}

// Yes counts an item as right or not.
func Yes(right bool) Fraction { return Mean(metrics.One(right)) }

// Mean counts an item with a value.
func Mean(value float64) Fraction { return Fraction{value, 1, 1} }

// Ratio counts a part of a whole in an item of n values.
func Ratio(part, whole, n int) Fraction { return Fraction{float64(part), float64(whole), n} }

// Figures adds figures of items to a score, and returns the count behind each. A figure without
// items is left out.
func Figures[T any](to *Score, items []T, list []Figure[T]) (map[string]int, error) {
	about := map[string]int{}
	for _, f := range list {
		var counts []Fraction
		for _, item := range items {
			if c, has := f.Of(item); has {
				counts, about[f.Name] = append(counts, c), about[f.Name]+c.N
			}
		}
		if len(counts) == 0 {
			continue
		}
		err := to.Measure(len(counts), metrics.Statistic{Name: f.Name, Of: func(drawn []int) float64 {
			part, whole := 0.0, 0.0
			for _, i := range drawn {
				part, whole = part+counts[i].Part, whole+counts[i].Whole
			}
			if whole == 0 {
				return 0
			}
			return part / whole
		}})
		if err != nil {
			return nil, err
		}
	}
	return about, nil
}

// Timed calls do for each of n items, at most atOnce at the same time, and measures the times. The
// first error ends it.
func Timed[T any](ctx context.Context, progress Progress, phase string, n, atOnce int, do func(ctx context.Context, i int) (T, error)) ([]T, Score, error) {
	items, times := make([]T, n), make([]time.Duration, n)
	var mu sync.Mutex // guards done and progress
	done := 0
	err := Together(ctx, n, atOnce, func(ctx context.Context, i int) (err error) {
		began := time.Now()
		if items[i], err = do(ctx, i); err != nil {
			return err
		}
		times[i] = time.Since(began)
		mu.Lock()
		defer mu.Unlock()
		done++
		progress.Tell(phase, done, n)
		return nil
	})
	return items, NewScore(times), err
}
