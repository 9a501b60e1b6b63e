package eventlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is the name of the log's notices, whose payload is a run. It has 63 bytes at
// most, whatever the schema.
func (l *Log) channel() string {
	sum := sha256.Sum256([]byte(l.schema))
	return "assay_events_" + hex.EncodeToString(sum[:8])
}

// join returns a channel that wakes a reader of a run, and how it leaves.
func (l *Log) join(run string) (woken <-chan struct{}, leave func()) {
	wake := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers[run] == nil {
		l.readers[run] = map[chan struct{}]bool{}
	}
	l.readers[run][wake] = true
	if !l.listens {
		ctx, stop := context.WithCancel(context.Background())
		l.listens, l.stop, l.stopped = true, stop, make(chan struct{})
		go l.listen(ctx)
	}
	return wake, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if delete(l.readers[run], wake); len(l.readers[run]) == 0 {
			delete(l.readers, run)
		}
	}
}

// listen wakes readers by the server's notices, on one connection. When that breaks it
// makes another; meanwhile readers look by themselves.
func (l *Log) listen(ctx context.Context) {
	defer close(l.stopped)
	for ctx.Err() == nil {
		_ = l.hear(ctx) // readers of a database that is gone get the error themselves
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (l *Log) hear(ctx context.Context) error {
	borrowed, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := borrowed.Hijack()                                     // so that it does not go back while it listens
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // its error says no more than that of the wait
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{l.channel()}.Sanitize()); err != nil {
		return err
	}
	for {
		notice, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		l.mu.Lock()
		for wake := range l.readers[notice.Payload] {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
		l.mu.Unlock()
	}
}
