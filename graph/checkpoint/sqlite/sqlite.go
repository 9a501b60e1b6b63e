// Package sqlite keeps threads in one file. Any number of processes on one machine may use it at
// the same time. The library is SQLite translated to Go, so it needs no C compiler.
//
//	saver, err := sqlite.Open(ctx, "runs.db", nil)
//	if err != nil {
//		return err
//	}
//	defer saver.Close()
//	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
//
// SQLite adds PATH-wal and PATH-shm next to the file, and this package PATH-locks, which holds only
// the locks of threads. The file must be on a local disk, since processes share SQLite's log in
// memory.
//
// Some thousands of threads may run at once: with 20,000, a third of the time goes to their locks.
//
// The file does not shrink when threads are removed; later threads reuse the space. For threads in
// memory only, see graph/checkpoint/memory.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/assay/graph"
	"example.com/assay/internal/sqlfile"
)

// Synchronous says when a commit is on disk.
type Synchronous string

const (
	// Full waits for the disk at each commit: no reported commit is ever lost.
	Full Synchronous = "FULL"
	// Normal does not wait. When the machine loses power, the last commits may be lost, but the
	// file stays intact. When only the process dies, no commit is lost.
	Normal Synchronous = "NORMAL"
)

// Options configure a saver.
type Options struct {
	// Synchronous says when a commit is on disk. Default: Full.
	Synchronous Synchronous
	// BusyTimeout is how long a call waits for the commit of another process
	// before it fails. Default: 10 seconds.
	BusyTimeout time.Duration
}

// A Saver is a graph.Checkpointer over an SQLite file. A Commit that has begun does not stop when
// its context ends, so its result is always known.
type Saver struct {
	path   string
	file   *sqlfile.File
	turn   chan struct{} // holds a token while nobody writes
	mu     sync.Mutex
	queue  []*waiting // changes that wait for their turn
	writer writer     // used by the holder of the token
	reader reader
	locks  *locks
	close  func() error
}

var _ graph.Checkpointer = (*Saver)(nil)

// Open opens a file, and creates it if needed. It returns an error for a file that is not an SQLite
// database, belongs to another program, or was written by a later version of this package.
func Open(ctx context.Context, path string, opts *Options) (*Saver, error) {
	s, err := open(ctx, path, opts)
	if err != nil {
		return nil, fmt.Errorf("opening the checkpoints in %s: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, opts *Options) (*Saver, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Synchronous != "" && o.Synchronous != Full && o.Synchronous != Normal {
		return nil, fmt.Errorf("synchronous %q is neither %s nor %s", o.Synchronous, Full, Normal)
	}
	if path == "" || strings.HasPrefix(path, ":memory:") || strings.HasPrefix(path, "file:") {
		return nil, errors.New("the path of a file is wanted; for threads in memory see graph/checkpoint/memory")
	}
	abs, err := realPath(path)
	if err != nil {
		return nil, err
	}
	s := &Saver{path: abs, turn: make(chan struct{}, 1)}
	s.close = sync.OnceValue(s.release)
	if err := s.connect(ctx, o); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.turn <- struct{}{}
	return s, nil
}

// connect opens the connections. After an error, release closes them.
func (s *Saver) connect(ctx context.Context, o Options) error {
	var err error
	if s.file, err = sqlfile.Open(ctx, s.path, FileSchema, &sqlfile.Options{Synchronous: string(o.Synchronous), Busy: o.BusyTimeout}); err != nil {
		return err
	}
	conn, err := s.file.Write.Conn(ctx)
	if err != nil {
		return err
	}
	if err := s.writer.prepare(ctx, conn); err != nil {
		return err
	}
	if err := s.reader.prepare(ctx, s.file.Read); err != nil {
		return err
	}
	s.locks, err = openLocks(s.path + "-locks")
	return err
}

// Close frees all locks and closes the file. It waits for the commit under way; later calls fail.
func (s *Saver) Close() error { return s.close() }

func (s *Saver) release() error {
	if s.locks != nil { // Open succeeded: wait for the commit under way
		<-s.turn
	}
	errs := []error{s.writer.close()}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	if s.locks != nil {
		errs = append(errs, s.locks.close())
		close(s.turn)
	}
	return errors.Join(errs...)
}

// realPath follows links, as SQLite does, so a file has the same locks under all its names.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if !errors.Is(err, os.ErrNotExist) {
		return real, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	return filepath.Join(dir, filepath.Base(abs)), err
}

// FileSchema describes a file of checkpoints to programs that check files.
var FileSchema = sqlfile.Schema{Application: 0x41737361, Steps: []string{
	`CREATE TABLE checkpoints (
		thread TEXT NOT NULL, namespace TEXT NOT NULL, id TEXT NOT NULL,
		parent TEXT NOT NULL, base TEXT NOT NULL, source TEXT NOT NULL,
		step INTEGER NOT NULL, time INTEGER NOT NULL, -- microseconds since 1970
		run TEXT NOT NULL, graph TEXT NOT NULL, fingerprint TEXT NOT NULL, version INTEGER NOT NULL,
		metadata TEXT NOT NULL, -- a JSON object with sorted keys, or nothing
		data BLOB,
		PRIMARY KEY (thread, namespace, id));
	CREATE TABLE records (
		thread TEXT NOT NULL, namespace TEXT NOT NULL, checkpoint TEXT NOT NULL,
		task TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, data BLOB,
		PRIMARY KEY (thread, namespace, checkpoint, task, kind, key));`,
}}
