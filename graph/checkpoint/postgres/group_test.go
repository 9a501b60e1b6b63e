package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Changes that wait for a connection are one transaction. When one of them is stale, it fails alone;
// one whose context ends before it is sent is not made.
func TestChangesShareATransaction(t *testing.T) {
	pool := pgtest.Pool(t, func(c *pgxpool.Config) { c.MaxConns = 3 }) // one sends, two are for the test
	s, err := New(t.Context(), pool, &Options{Schema: pgtest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commit := func(ctx context.Context, thread, parent string) chan error {
		s.groups.mu.Lock()
		before := len(s.groups.queue)
		s.groups.mu.Unlock()
		done := make(chan error, 1)
		go func() {
			done <- s.Commit(ctx, thread, graph.Change{Add: []graph.Checkpoint{{ID: "1", Parent: parent, Base: "1", Source: graph.SourceInput}}})
		}()
		for waits := true; waits; time.Sleep(time.Millisecond) {
			s.groups.mu.Lock()
			waits = len(s.groups.queue) == before // until it is queued
			if thread == "held" {
				waits = len(s.groups.queue) > 0 || s.groups.busy == 0 // until it is sent
			}
			s.groups.mu.Unlock()
		}
		return done
	}
	// begin holds the lock of a thread that is changed, so that later changes wait.
	begin := func() (release func()) {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), lockThread, advisory("commit", s.schema, "held")); err != nil {
			t.Fatal(err)
		}
		held := commit(t.Context(), "held", "")
		return func() {
			if err := errors.Join(tx.Rollback(t.Context()), <-held); err != nil && !errors.Is(err, graph.ErrStale) {
				t.Fatal(err)
			}
		}
	}
	rows := func(column string) (n int) {
		table := pgx.Identifier{s.schema, "checkpoints"}.Sanitize()
		if err := pool.QueryRow(t.Context(), fmt.Sprintf("SELECT count(DISTINCT %s) FROM %s", column, table)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for round := range 2 {
		release := begin()
		var good []chan error
		for i := range 20 {
			good = append(good, commit(t.Context(), fmt.Sprint(round, "-", i), ""))
		}
		stale := make(chan error, 1)
		if stale <- graph.ErrStale; round == 1 {
			stale = commit(t.Context(), "stale", "0")
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := commit(ctx, "gone", "")
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("a change that was not sent: %v", err)
		}
		release()
		for i, done := range good {
			if err := <-done; err != nil {
				t.Errorf("round %d, change %d: %v", round, i, err)
			}
		}
		if err := <-stale; !errors.Is(err, graph.ErrStale) {
			t.Errorf("the stale one: %v", err)
		}
		if got, want := rows("thread"), 21+20*round; got != want {
			t.Errorf("round %d: %d threads, want %d", round, got, want)
		}
		if got, want := rows("xmin::text"), 2+20*round; got != want { // in the second round each is sent again
			t.Errorf("round %d: %d transactions, want %d", round, got, want)
		}
	}
	if _, _, err := s.Load(t.Context(), graph.Key{Thread: "gone"}); !errors.Is(err, graph.ErrNoCheckpoint) {
		t.Errorf("the one that was not sent: %v", err)
	}
}
