package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/assay/graph"
	"github.com/jackc/pgx/v5/pgconn"
)

// A groups joins changes that wait for a connection: all that have come meanwhile are sent together,
// as one transaction.
type groups struct {
	mu    sync.Mutex
	queue []*waiting
	busy  int // goroutines that send
	most  int // of them: the other connections are for loads
}

// mostChanges bounds a group, and with it how long a change waits for others.
const mostChanges = 256

// A waiting change is queued, and then in a group.
type waiting struct {
	parts []part
	lock  int64 // the advisory lock of its thread
	group *group
	done  chan error // holds one error
}

// A group ends early when nobody waits for it any more.
type group struct {
	cancel context.CancelFunc
	left   atomic.Int32 // callers that wait
}

// join commits a change, together with others. When its context ends before the change was sent, the
// change is not made.
func (s *Saver) join(ctx context.Context, lock int64, parts []part) error {
	g, own := &s.groups, &waiting{parts: parts, lock: lock, done: make(chan error, 1)}
	g.mu.Lock()
	g.queue = append(g.queue, own)
	begins := g.busy < g.most
	if begins {
		g.busy++
	}
	g.mu.Unlock()
	if begins {
		go s.drain(context.WithoutCancel(ctx))
	}
	select {
	case err := <-own.done:
		return err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := slices.Index(g.queue, own); at >= 0 {
		g.queue = slices.Delete(g.queue, at, at+1)
	} else if own.group.left.Add(-1) == 0 {
		own.group.cancel()
	}
	return ctx.Err()
}

// drain sends what is queued, until nothing is.
func (s *Saver) drain(ctx context.Context) {
	g := &s.groups
	for {
		g.mu.Lock()
		n := min(len(g.queue), mostChanges)
		if n == 0 {
			g.busy--
			g.mu.Unlock()
			return
		}
		changes := slices.Clone(g.queue[:n])
		g.queue = slices.Delete(g.queue, 0, n)
		sending, cancel := context.WithCancel(ctx)
		of := &group{cancel: cancel}
		of.left.Store(int32(n))
		for _, c := range changes {
			c.group = of
		}
		g.mu.Unlock()
		s.sendAll(sending, changes)
		cancel()
	}
}

// sendAll sends changes together. When the server refuses one, all are sent again, each alone.
func (s *Saver) sendAll(ctx context.Context, changes []*waiting) {
	if len(changes) > 1 {
		// Transactions that take locks in one order do not wait for each other in a circle.
		slices.SortStableFunc(changes, func(a, b *waiting) int { return cmp.Compare(a.lock, b.lock) })
		var all []part
		for _, c := range changes {
			all = append(all, c.parts...)
		}
		err := s.send(ctx, all)
		refused := errors.Is(err, graph.ErrStale) || errors.As(err, new(*pgconn.PgError)) || pgconn.SafeToRetry(err)
		if err == nil || !refused {
			for _, c := range changes {
				c.done <- err
			}
			return
		}
	}
	for _, c := range changes {
		c.done <- s.sendAlone(ctx, c.parts)
	}
}

// sendAlone sends a change again when a connection proves broken before it was sent.
func (s *Saver) sendAlone(ctx context.Context, parts []part) error {
	for i := 1; ; i++ {
		err := s.send(ctx, parts)
		if err == nil || i == attempts || !pgconn.SafeToRetry(err) {
			return err
		}
	}
}
