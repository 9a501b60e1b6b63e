package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
)

// locks are the locks of threads. The lock of a thread is a locked byte of a file, far behind its
// end, at an offset made from the thread's name. Two threads with the same offset, one pair in
// 2^62, only exclude each other. The system frees the bytes when a process ends. Saver.Lock lists
// the systems without such locks.
type locks struct {
	mu   sync.Mutex
	file *os.File // nil after close
	held map[int64]bool
}

func openLocks(path string) (*locks, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &locks{file: f, held: map[int64]bool{}}, nil
}

func (l *locks) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.file
	l.file = nil
	return f.Close()
}

func (l *locks) lock(thread string) (unlock func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil, errors.New("the saver is closed")
	}
	at := offset(thread)
	if l.held[at] {
		return nil, graph.ErrThreadBusy
	}
	if err := lockByte(l.file, at); err != nil {
		return nil, err
	}
	l.held[at] = true
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, at)
		if l.file != nil {
			unlockByte(l.file, at)
		}
	}), nil
}

func offset(thread string) int64 {
	sum := sha256.Sum256([]byte(thread))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 2)
}

// Lock implements graph.Checkpointer. On Linux and Windows it excludes all others. On macOS and the
// BSDs it excludes other processes and users of this Saver. There, two savers of one process on one
// file may both lock a thread, and the first to close frees the locks of both. On other systems it
// excludes only users of this Saver.
func (s *Saver) Lock(ctx context.Context, thread string) (unlock func(), err error) {
	if err = ctx.Err(); err == nil {
		err = names.Check(thread)
	}
	if err == nil {
		unlock, err = s.locks.lock(thread)
	}
	if err != nil {
		return nil, fmt.Errorf("locking thread %q: %w", thread, err)
	}
	return unlock, nil
}
