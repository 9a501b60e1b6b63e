package graph_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	opened "example.com/assay/graph/internal/savers"
)

// The threads of a server: many runs at once, each saved in one file.
const (
	manyThreads = 1000
	threadSteps = 10
)

// BenchmarkThreads1000SQLite runs 1,000 threads at once, each for ten supersteps
// that are saved durably in one file. It reports how much longer the slowest
// thread took than the fastest.
func BenchmarkThreads1000SQLite(b *testing.B) {
	app := loopGraph(b, threadSteps)
	ctx, round := b.Context(), 0
	for b.Loop() {
		round++
		saved := app.With(openSQLite(b, filepath.Join(b.TempDir(), fmt.Sprint(round, ".db")), sqlite.Full))
		took := together(func(i int) {
			out, err := saved.Invoke(ctx, graph.Update[job]{jobCount.Set(0)}, &graph.RunOptions{Thread: fmt.Sprint(i)})
			if err != nil || out.Count != threadSteps {
				b.Error(out, err)
			}
		})
		b.ReportMetric(spread(took), "slowest/fastest")
	}
	perUnit(b, manyThreads*threadSteps, "ns/step")
}

// BenchmarkThreads1000Postgres is the same on a PostgreSQL server, which tests name.
func BenchmarkThreads1000Postgres(b *testing.B) {
	app := loopGraph(b, threadSteps).With(opened.Postgres(b))
	ctx, round := b.Context(), 0
	for b.Loop() {
		round++
		took := together(func(i int) {
			out, err := app.Invoke(ctx, graph.Update[job]{jobCount.Set(0)}, &graph.RunOptions{Thread: fmt.Sprint(round, "-", i)})
			if err != nil || out.Count != threadSteps {
				b.Error(out, err)
			}
		})
		b.ReportMetric(spread(took), "slowest/fastest")
	}
	perUnit(b, manyThreads*threadSteps, "ns/step")
}

// BenchmarkFloorThreads1000SQLite inserts the same rows. The rows of all waiting
// threads share one durable transaction.
func BenchmarkFloorThreads1000SQLite(b *testing.B) {
	rows := savedRows(b, loopGraph(b, threadSteps))
	round := 0
	for b.Loop() {
		round++
		db := floorTable(b, filepath.Join(b.TempDir(), fmt.Sprint(round, ".db")), sqlite.Full)
		for _, row := range rows { // each row of every thread, all threads in one transaction
			tx, err := db.BeginTx(context.Background(), nil)
			if err != nil {
				b.Fatal(err)
			}
			insert, err := tx.Prepare(insertRow)
			if err != nil {
				b.Fatal(err)
			}
			for range manyThreads {
				if _, err := insert.Exec(row); err != nil {
					b.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	}
	perUnit(b, manyThreads*threadSteps, "ns/step")
}

// together runs fn for every thread at once and returns how long each took.
func together(fn func(i int)) []time.Duration {
	took := make([]time.Duration, manyThreads)
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range took {
		wg.Go(func() {
			<-begin
			began := time.Now()
			fn(i)
			took[i] = time.Since(began)
		})
	}
	close(begin)
	wg.Wait()
	return took
}

func spread(took []time.Duration) float64 {
	least, most := took[0], took[0]
	for _, d := range took {
		least, most = min(least, d), max(most, d)
	}
	return float64(most) / float64(least)
}
