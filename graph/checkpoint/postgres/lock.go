package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// patience is how long the server may take over one lock. The caller's context
// does not say, because stopping a query closes its connection, with the locks
// of all others.
const patience = 10 * time.Second

// locks are the locks of threads: advisory locks of one session, which ends with
// the process. A session may take a lock twice, so a map holds the taken ones.
type locks struct {
	pool *pgxpool.Pool // says how to connect
	turn chan struct{} // holds a token while nobody uses what follows

	conn   *pgx.Conn // nil before the first lock
	held   map[int64]bool
	closed bool
}

func newLocks(pool *pgxpool.Pool) locks {
	l := locks{pool: pool, turn: make(chan struct{}, 1), held: map[int64]bool{}}
	l.turn <- struct{}{}
	return l
}

// Lock implements graph.Checkpointer. One connection outside the pool holds all
// locks of a saver. If it breaks they are gone, and the next Lock connects anew.
// Until then users of the same saver still exclude each other, but only Commit
// keeps other savers' runs from a thread.
func (s *Saver) Lock(ctx context.Context, thread string) (unlock func(), err error) {
	if err = ctx.Err(); err == nil {
		err = names.Check(thread)
	}
	if err == nil {
		unlock, err = s.locks.lock(ctx, advisory("run", s.schema, thread))
	}
	if err != nil {
		return nil, fmt.Errorf("locking thread %q: %w", thread, err)
	}
	return unlock, nil
}

func (l *locks) lock(ctx context.Context, at int64) (unlock func(), err error) {
	select {
	case <-l.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { l.turn <- struct{}{} }()
	if l.closed {
		return nil, errors.New("the saver is closed")
	}
	if l.held[at] {
		return nil, graph.ErrThreadBusy
	}
	fresh := l.conn == nil || l.conn.IsClosed()
	if fresh {
		if err := l.connect(ctx); err != nil {
			return nil, err
		}
	}
	ok, err := try(ctx, l.conn, "SELECT pg_try_advisory_lock($1)", at)
	if err != nil && !fresh && l.conn.IsClosed() {
		// It broke while it was idle. A session that is gone holds nothing, so
		// that asking again does no harm.
		if err := l.connect(ctx); err != nil {
			return nil, err
		}
		ok, err = try(ctx, l.conn, "SELECT pg_try_advisory_lock($1)", at)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, graph.ErrThreadBusy
	}
	l.held[at] = true
	conn := l.conn
	return sync.OnceFunc(func() { l.unlock(ctx, conn, at) }), nil
}

// unlock frees a lock of the session that has it. If it cannot tell the
// server, the connection is closed, and the server finds that out.
func (l *locks) unlock(ctx context.Context, conn *pgx.Conn, at int64) {
	<-l.turn
	defer func() { l.turn <- struct{}{} }()
	delete(l.held, at)
	if conn.IsClosed() {
		return
	}
	if _, err := try(ctx, conn, "SELECT pg_advisory_unlock($1)", at); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // it is broken anyway
	}
}

// try asks for a yes or no, whether the context has ended or not.
func try(ctx context.Context, conn *pgx.Conn, sql string, at int64) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err = conn.QueryRow(ctx, sql, at).Scan(&ok)
	return ok, err
}

// connect connects as the pool does.
func (l *locks) connect(ctx context.Context) error {
	config := l.pool.Config()
	if config.BeforeConnect != nil {
		if err := config.BeforeConnect(ctx, config.ConnConfig); err != nil {
			return err
		}
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return err
	}
	l.conn = conn
	return nil
}

// close lets go of all locks before it closes the session: a server finds out
// that a session has ended only after a while.
func (l *locks) close() error {
	<-l.turn
	defer func() { l.turn <- struct{}{} }()
	l.closed = true
	if l.conn == nil || l.conn.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, _ = l.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()") // if not, they end with the session
	return l.conn.Close(ctx)
}
