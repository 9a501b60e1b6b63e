// Package task is the common part of all measurements on judged data. A Task describes itself, takes
// options, and measures. A Report holds the figures with 95 % intervals, for people and for programs.
//
//	options := task.NewOptions("causal")
//	measure := causal.Task().New(options)
//	err := options.Parse([]string{"--format", "pairs", "--data", "pairs.jsonl"})
//	report, err := measure(ctx, nil)
//	fmt.Print(report.Text())
//
// Each task is in the file task.go of the package that measures it. This package knows no task, reads
// no data and prints nothing.
package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example.com/assay/eval/metrics"
)

// A Task is one measurement, and one verb of the command.
type Task struct {
	Name                 string // as it is typed
	Args                 string // the arguments after the name, for the help
	Short, Long, Example string

	// New registers the task's options with their defaults, and returns the function that measures
	// with them once they are parsed and checked.
	New func(*Options) Measure
}

// A Measure reads data, measures, and reports. If the data are missing, it may return a
// *SkippedError.
type Measure func(ctx context.Context, progress Progress) (*Report, error)

// A SkippedError reports missing data: nothing was measured, and nothing has failed.
type SkippedError struct{ Dir, Source string }

func (e *SkippedError) Error() string {
	return fmt.Sprintf("there is no folder %s. %s; it is not part of this program", e.Dir, e.Source)
}

// Present returns a *SkippedError if a folder of data does not exist.
func Present(dir, source string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return &SkippedError{dir, source}
	}
	return nil
}

// A Progress is called from time to time with the progress of a phase. Nil is allowed.
type Progress func(phase string, done, total int)

// Of returns the progress function of one phase; nil for a nil Progress.
func (p Progress) Of(phase string) func(done, total int) {
	if p == nil {
		return nil
	}
	return func(done, total int) { p(phase, done, total) }
}

// Tell reports the progress of a phase.
func (p Progress) Tell(phase string, done, total int) {
	if p != nil {
		p(phase, done, total)
	}
}

// Reading is the phase in which data are read.
const Reading = "reading"

// A Score holds the metrics and times of a measurement.
type Score struct {
	Metrics  []metrics.Metric
	P50, P95 time.Duration // percentiles of the time of an item
}

// Timed calls do for each of n items, one after the other, and measures the times. It returns the
// first error of do, or the cause of a cancellation, with the item's name.
func (p Progress) Timed(ctx context.Context, phase string, n int, name func(i int) string, do func(i int) error) (Score, error) {
	times := make([]time.Duration, n)
	for i := range n {
		began := time.Now()
		err := context.Cause(ctx)
		if err == nil {
			err = do(i)
		}
		if err != nil {
			return Score{}, fmt.Errorf("evaluating %s: %w", name(i), err)
		}
		times[i] = time.Since(began)
		p.Tell(phase, i+1, n)
	}
	return NewScore(times), nil
}

// NewScore returns a score with these times and no metrics.
func NewScore(times []time.Duration) Score {
	return Score{P50: metrics.Percentile(times, .5), P95: metrics.Percentile(times, .95)}
}

// Measure adds metrics of n items.
func (s *Score) Measure(n int, list ...metrics.Statistic) error {
	got, err := metrics.Measure(n, list...)
	s.Metrics = append(s.Metrics, got...)
	return err
}

// First returns the first n items, or all of them if n is 0 or greater than their number.
func First[T any](items []T, n int) []T {
	if n > 0 && n < len(items) {
		return items[:n:n]
	}
	return items
}
