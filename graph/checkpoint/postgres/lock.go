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

// patience is how long the server may take for one lock. The caller's context must not end the
// query: that would close the connection and free all other locks.
const patience = 10 * time.Second

// locks are the locks of threads: advisory locks of one session, which end with the process. A
// session can take a lock twice, so a map holds the locks taken.
type locks struct {
	pool *pgxpool.Pool // has the settings for connecting
	turn chan struct{} // holds a token while the fields below are free

	conn   *pgx.Conn // nil before the first lock
	held   map[int64]bool
	closed bool
}

func newLocks(pool *pgxpool.Pool) locks {
	l := locks{pool: pool, turn: make(chan struct{}, 1), held: map[int64]bool{}}
	l.turn <- struct{}{}
	return l
}

// Lock implements graph.Checkpointer. One connection outside the pool holds all locks of a saver.
// If it breaks, the locks are lost, and the next Lock connects again. Until then users of the same
// saver still exclude each other, but only Commit protects a thread against other savers.
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
		// The connection broke while it was idle. A lost session holds no locks, so asking again is
		// safe.
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

// unlock frees a lock of the session that holds it. If that fails, it closes the connection, which
// frees the lock once the server notices.
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

// try runs a query that returns a boolean, even after the context has ended.
func try(ctx context.Context, conn *pgx.Conn, sql string, at int64) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err = conn.QueryRow(ctx, sql, at).Scan(&ok)
	return ok, err
}

// connect connects with the pool's settings.
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

// close frees all locks before it closes the session: a server may notice the end of a session
// late.
func (l *locks) close() error {
	<-l.turn
	defer func() { l.turn <- struct{}{} }()
	l.closed = true
	if l.conn == nil || l.conn.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, _ = l.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()") // an error does not matter: the locks end with the session
	return l.conn.Close(ctx)
}
