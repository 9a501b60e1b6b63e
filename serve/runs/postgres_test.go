//go:build !lean

package runs_test

import (
	"context"
	"testing"
	"time"

	saver "example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store/postgres"
	"example.com/assay/internal/pgtest"
	"example.com/assay/serve/runs"
)

// Two servers on one database: each cancels what the other executes, and finds its threads.
func TestServersOnPostgres(t *testing.T) {
	schema := pgtest.Schema(t)
	open := func(g runs.Graph) (*runs.Manager, func()) {
		t.Helper()
		pool := pgtest.Pool(t)
		threads, err := saver.New(t.Context(), pool, &saver.Options{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		log, err := eventlog.Open(t.Context(), pool, schema)
		if err != nil {
			t.Fatal(err)
		}
		m, err := runs.Open(t.Context(), []runs.Graph{g}, runs.Options{Checkpointer: threads, Store: rows, Log: log, Warn: func(err error) { t.Error(err) }, Quota: runs.Quota{Bytes: 1 << 30}})
		if err != nil {
			t.Fatal(err)
		}
		return m, func() {
			m.Close(context.Background())
			if err := log.Close(); err != nil {
				t.Error(err)
			}
			threads.Close()
		}
	}
	g := newGate(t)
	one, close1 := open(g.Graph)
	defer close1()
	two, close2 := open(newGate(t).Graph)
	defer close2()
	spec := as("ann")
	spec.Metadata = []byte(`{"user":"ann"}`)
	r := begin(t, one.Space("ann"), spec)
	g.next(t)
	for status, want := range map[runs.ThreadStatus]int{runs.Busy: 1, runs.Failed: 0} {
		if found, err := two.Space("ann").Find(t.Context(), runs.ThreadQuery{Status: status, Metadata: map[string]any{"user": "ann"}}); err != nil || len(found) != want {
			t.Errorf("%s: %+v, %v", status, found, err)
		}
	}
	began := time.Now()
	if err := two.Space("ann").Cancel(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if r := wait(t, two.Space("ann"), r.ID); r.Status != runs.Cancelled || time.Since(began) > 5*time.Second {
		t.Errorf("after %v: %+v", time.Since(began), r)
	}
	if found, err := two.Space("ann").Find(t.Context(), runs.ThreadQuery{Graph: "gate"}); err != nil || len(found) != 1 || found[0].Status != runs.Idle {
		t.Errorf("%+v, %v", found, err)
	}
}
