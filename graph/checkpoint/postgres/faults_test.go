package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func step(i int) graph.Change {
	c := graph.Checkpoint{ID: fmt.Sprintf("%04d", i), Base: "0001", Step: i}
	if i > 1 {
		c.Parent = fmt.Sprintf("%04d", i-1)
	}
	return graph.Change{Add: []graph.Checkpoint{c}}
}

func TestManyMakeTheTablesAtOnce(t *testing.T) {
	schema := pgtest.Schema(t)
	pools := make([]*pgxpool.Pool, 10)
	for i := range pools {
		pools[i] = pgtest.Pool(t)
	}
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i, pool := range pools {
		wg.Go(func() {
			<-start
			s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
			if err != nil {
				t.Errorf("opener %d: %v", i, err)
				return
			}
			defer s.Close()
			if err := s.Commit(t.Context(), fmt.Sprint(i), step(1)); err != nil {
				t.Errorf("opener %d: %v", i, err)
			}
		})
	}
	close(start)
	wg.Wait()
	var n int
	if err := pools[0].QueryRow(t.Context(), "SELECT count(*) FROM "+pgx.Identifier{schema, "migrations"}.Sanitize()).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d migrations were made (%v); want 1", n, err)
	}
}

func TestLaterSchemaIsRefused(t *testing.T) {
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	open(t, pool, schema)
	if _, err := pool.Exec(t.Context(), "INSERT INTO "+pgx.Identifier{schema, "migrations"}.Sanitize()+" (version) VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
	if err == nil {
		s.Close()
		t.Fatal("tables of version 99 were accepted; want an error")
	}
	if !strings.Contains(err.Error(), "version 99") {
		t.Errorf("error = %v; want the version in it", err)
	}
}

// Who may only read and write the tables need not be able to make them.
func TestUserWhoMayNotMakeTables(t *testing.T) {
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	open(t, pool, schema)
	role := pgtest.Role(t, schema, "GRANT USAGE ON SCHEMA {s} TO {r}", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {r}")
	s := open(t, pgtest.Pool(t, pgtest.As(role)), schema)
	if err := s.Commit(t.Context(), "t", step(1)); err != nil {
		t.Error(err)
	}
}

// A cuttableConn fails at its next write when it is told to, or counts what is
// sent.
type cuttableConn struct {
	net.Conn
	wire *wire
}

type wire struct {
	cut    atomic.Bool  // the next write fails, and nothing is sent
	deaf   atomic.Bool  // the next read fails, after what was sent
	writes atomic.Int64 // how often something was sent
	got    atomic.Int64 // bytes that came
}

func (c *cuttableConn) Write(b []byte) (int, error) {
	if c.wire.cut.CompareAndSwap(true, false) {
		c.Conn.Close()
		return 0, errors.New("cut before sending")
	}
	c.wire.writes.Add(1)
	return c.Conn.Write(b)
}

func (c *cuttableConn) Read(b []byte) (int, error) {
	if c.wire.deaf.Load() && c.wire.deaf.CompareAndSwap(true, false) {
		time.Sleep(100 * time.Millisecond) // so that the server is done
		c.Conn.Close()
		return 0, errors.New("cut before the answer")
	}
	n, err := c.Conn.Read(b)
	c.wire.got.Add(int64(n))
	return n, err
}

func openCuttable(t *testing.T) (*postgres.Saver, *wire) {
	t.Helper()
	w := &wire{}
	pool := pgtest.Pool(t, func(c *pgxpool.Config) {
		c.MaxConns = 1
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &cuttableConn{conn, w}, err
		}
	})
	return open(t, pool, pgtest.Schema(t)), w
}

func TestCommitIsSentAgainIfNothingWasSent(t *testing.T) {
	s, w := openCuttable(t)
	for i := 1; i <= 3; i++ {
		if i > 1 {
			w.cut.Store(true)
		}
		if err := s.Commit(t.Context(), "t", step(i)); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
		if w.cut.Load() {
			t.Fatal("nothing was cut: the test does not test")
		}
	}
}

func TestCommitIsNotSentAgainOnceSent(t *testing.T) {
	s, w := openCuttable(t)
	for i := 1; i <= 2; i++ { // the second time the statements are prepared
		if err := s.Commit(t.Context(), "t", step(i)); err != nil {
			t.Fatal(err)
		}
	}
	w.deaf.Store(true)
	err := s.Commit(t.Context(), "t", step(3))
	if err == nil || errors.Is(err, graph.ErrStale) {
		t.Fatalf("error = %v; want that of the connection, and not that of a second try", err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) { // the server may be at it still
		lineage, _, err := s.Load(t.Context(), graph.Key{Thread: "t"})
		if err == nil && len(lineage) == 3 {
			return
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the lineage has %d checkpoints (%v); want 3: the change was made, though its answer was lost", len(lineage), err)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	s, w := openCuttable(t)
	change := func(i int) graph.Change {
		c := step(i)
		c.Records = []graph.Record{{Checkpoint: c.Add[0].ID, Task: "a", Kind: graph.RecordUpdate}, {Checkpoint: c.Add[0].ID, Task: "b", Kind: graph.RecordUpdate}}
		c.Forget = []graph.Forget{{Checkpoint: c.Add[0].ID, Kind: graph.RecordOnce}}
		return c
	}
	load := func() {
		if _, _, err := s.Load(t.Context(), graph.Key{Thread: "t"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i <= 4; i++ {
		before := w.writes.Load()
		if err := s.Commit(t.Context(), "t", change(i)); err != nil {
			t.Fatal(err)
		}
		if n := w.writes.Load() - before; i > 2 && n != 1 {
			t.Errorf("commit %d was sent in %d parts; want 1", i, n)
		}
		before = w.writes.Load()
		load()
		if n := w.writes.Load() - before; i > 2 && n != 1 {
			t.Errorf("load %d was sent in %d parts; want 1", i, n)
		}
	}
}

func TestLocksEndWithTheirConnection(t *testing.T) {
	schema, admin := pgtest.Schema(t), pgtest.Pool(t)
	a, b := open(t, pgtest.Pool(t, named(schema+" a")), schema), open(t, pgtest.Pool(t), schema)
	unlock, err := a.Lock(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Lock(t.Context(), "t"); !errors.Is(err, graph.ErrThreadBusy) {
		t.Fatalf("error = %v; want ErrThreadBusy", err)
	}
	kill(t, admin, schema+" a")
	var unlockB func()
	for range 200 { // the server takes a moment
		if unlockB, err = b.Lock(t.Context(), "t"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("after the connection of the holder was cut: %v", err)
	}
	if _, err := a.Lock(t.Context(), "t"); !errors.Is(err, graph.ErrThreadBusy) {
		t.Errorf("the same saver once more: error = %v; want ErrThreadBusy", err)
	}
	other, err := a.Lock(t.Context(), "other")
	if err != nil {
		t.Fatalf("a lock after the connection was cut: %v", err)
	}
	if _, err := b.Lock(t.Context(), "other"); !errors.Is(err, graph.ErrThreadBusy) {
		t.Errorf("error = %v; want ErrThreadBusy: the new connection holds it", err)
	}
	unlock() // of the old connection: must not free what b holds
	if _, err := a.Lock(t.Context(), "t"); !errors.Is(err, graph.ErrThreadBusy) {
		t.Errorf("error = %v; want ErrThreadBusy: the other saver holds it", err)
	}
	unlockB()
	other()
	unlock, err = a.Lock(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A saver holds one connection, however many threads it locks, and none of the
// pool's.
func TestLocksTakeOneConnection(t *testing.T) {
	schema, admin := pgtest.Schema(t), pgtest.Pool(t)
	s := open(t, pgtest.Pool(t, named(schema+" l"), func(c *pgxpool.Config) { c.MaxConns = 1 }), schema)
	for i := range 50 {
		unlock, err := s.Lock(t.Context(), fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		defer unlock()
	}
	if err := s.Commit(t.Context(), "0", step(1)); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", short(schema+" l")).Scan(&n); err != nil || n != 2 {
		t.Errorf("%d connections (%v); want the pool's and that of the locks", n, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Lock(t.Context(), "x"); err == nil {
		t.Error("Lock succeeded after Close")
	}
	if err := s.Commit(t.Context(), "0", step(2)); err != nil {
		t.Errorf("a commit after Close: %v; the pool is open", err)
	}
}

// A caller whose context ends while it locks must not take the locks of others
// with it.
func TestCancelledLockKeepsTheOthers(t *testing.T) {
	schema := pgtest.Schema(t)
	a, b := open(t, pgtest.Pool(t), schema), open(t, pgtest.Pool(t), schema)
	unlock, err := a.Lock(t.Context(), "held")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for i := range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*10*time.Microsecond)
		if unlock, err := a.Lock(ctx, fmt.Sprint(i)); err == nil {
			unlock()
		}
		cancel()
	}
	if _, err := b.Lock(t.Context(), "held"); !errors.Is(err, graph.ErrThreadBusy) {
		t.Errorf("error = %v; want ErrThreadBusy", err)
	}
}

// A list reads large values a few at a time.
func TestListInBatchesOfBytes(t *testing.T) {
	s, w := openCuttable(t)
	want := ""
	for i := range 12 {
		id := fmt.Sprintf("%02d", i)
		want = id + " " + want
		c := graph.Checkpoint{ID: id, Base: id, Data: bytes.Repeat([]byte{byte(i)}, 1<<20)}
		if err := s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{c}}); err != nil {
			t.Fatal(err)
		}
	}
	before := w.got.Load()
	for range s.List(t.Context(), graph.Query{Thread: "t"}) {
		break
	}
	if n := w.got.Load() - before; n > 6<<20 {
		t.Errorf("%d bytes came for the first of 12 MB; want few more than 4 MB", n)
	}
	seen := ""
	for c, err := range s.List(t.Context(), graph.Query{Thread: "t"}) {
		if err != nil {
			t.Fatal(err)
		}
		seen += c.ID + " "
	}
	if seen != want {
		t.Errorf("listed %s; want %s", seen, want)
	}
}

func named(name string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["application_name"] = short(name) }
}

// short is a name as Postgres keeps it.
func short(name string) string { return name[:min(len(name), 63)] }

func kill(t *testing.T, admin *pgxpool.Pool, name string) {
	t.Helper()
	var n int
	err := admin.QueryRow(t.Context(), "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1", short(name)).Scan(&n)
	if err != nil || n == 0 {
		t.Fatalf("%d connections were cut (%v); want some", n, err)
	}
}

func BenchmarkCommit(b *testing.B) {
	s := open(b, pgtest.Pool(b), pgtest.Schema(b))
	n := 0
	for b.Loop() {
		n++
		if err := s.Commit(b.Context(), "t", step(n)); err != nil {
			b.Fatal(err)
		}
	}
}
