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
	"errors"
	"fmt"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/internal/sqlfile"
)

// Options configure a store in a file.
type Options struct {
	store.Options
	// BusyTimeout is how long a write waits for writes of other processes, in whole milliseconds.
	// Default: 10 seconds.
	BusyTimeout time.Duration
}

// Store is a store in a file. Close it after use.
type Store struct {
	store.Store
	rows *table
}

// Open opens the file, and creates it if needed. Nil options mean the defaults. A file of a newer
// version of this package, or of another program, is an error and stays unchanged.
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.BusyTimeout < 0 {
		return nil, &store.InvalidError{What: "options", Reason: fmt.Sprintf("BusyTimeout is %v", o.BusyTimeout)}
	}
	file, err := sqlfile.Open(ctx, path, FileSchema, &sqlfile.Options{Busy: o.BusyTimeout})
	if err != nil {
		return nil, fmt.Errorf("opening the store %q: %w", path, err)
	}
	rows := &table{file}
	s, err := store.New(rows, &o.Options)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Store{Store: s, rows: rows}, nil
}

// Close closes the file after waiting for running calls.
func (s *Store) Close() error { return s.rows.file.Close() }

// table is a store.Backend. All writes of the process go through one connection: they queue here,
// not at the file's lock.
type table struct{ file *sqlfile.File }

// FileSchema describes a store's file to programs that check files.
var FileSchema = sqlfile.Schema{Application: 0x41537374, Steps: []string{`
	CREATE TABLE items (
		path    BLOB NOT NULL,
		key     TEXT NOT NULL,
		value   TEXT NOT NULL,
		created INTEGER NOT NULL,
		updated INTEGER NOT NULL,
		ttl     INTEGER NOT NULL,
		expires INTEGER NOT NULL,
		vectors BLOB NOT NULL,
		PRIMARY KEY (path, key)
	) STRICT;
	CREATE INDEX items_expires ON items (expires);`,
}}
