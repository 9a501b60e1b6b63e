// Package sqlite is a store in a file, which several processes of one machine
// may use at the same time.
//
//	s, err := sqlite.Open(ctx, "memory.db", nil)
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//
// The file is in WAL mode: readers and the writer do not wait for each other,
// writers wait for one another. A change is on disk when Apply returns. The file
// holds the store and nothing else, and must not be on a network drive.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"example.com/assay/graph/store"
)

// Options are those of a store in a file.
type Options struct {
	store.Options
	// BusyTimeout is how long a write waits for those of other processes.
	// Default: 10 seconds. It counts in milliseconds.
	BusyTimeout time.Duration
}

// Store is a store in a file. Close it after use.
type Store struct {
	store.Store
	rows *table
}

// Open opens the file, which is made if it does not exist. Nil options are the
// defaults. A file of a newer version of this package is ErrNewer, one of
// another program ErrForeign, and neither is changed.
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.BusyTimeout < 0 {
		return nil, &store.InvalidError{What: "options", Reason: fmt.Sprintf("BusyTimeout is %v", o.BusyTimeout)}
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 10 * time.Second
	}
	rows, err := openTable(ctx, path, o.BusyTimeout)
	if err != nil {
		return nil, fmt.Errorf("opening the store %q: %w", path, err)
	}
	s, err := store.New(rows, &o.Options)
	if err != nil {
		return nil, errors.Join(err, rows.close())
	}
	return &Store{Store: s, rows: rows}, nil
}

// Close ends the use of the file. It waits for what is under way.
func (s *Store) Close() error { return s.rows.close() }

// table is a store.Backend. All writes of the process go through one connection,
// so that they queue here and not in the file's lock.
type table struct {
	read, write *sql.DB
}

func openTable(ctx context.Context, path string, busy time.Duration) (*table, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// The address is a URI because a path may have a question mark.
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(absolute)}).String()
	pragmas := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "synchronous(FULL)"}}
	write, err := sql.Open("sqlite", address+"?"+pragmas.Encode()+"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	if err := migrate(ctx, write, busy); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	pragmas.Add("_pragma", "query_only(1)")
	read, err := sql.Open("sqlite", address+"?"+pragmas.Encode())
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return &table{read: read, write: write}, nil
}

func (t *table) close() error {
	return errors.Join(t.read.Close(), t.write.Close())
}
