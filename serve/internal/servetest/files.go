// Package servetest opens what a server keeps, for tests. It opens files only, no database
// server.
package servetest

import (
	"context"
	"errors"
	"path/filepath"

	threads "example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store/sqlite"
)

// Files are the threads, the records and the events of a server.
type Files struct {
	Saver *threads.Saver
	Rows  *sqlite.Store
	Log   *eventlog.Log
}

// Open opens the files in a folder, and makes those that are missing.
func Open(folder string) (f Files, err error) {
	ctx := context.Background()
	if f.Saver, err = threads.Open(ctx, filepath.Join(folder, "threads.db"), nil); err != nil {
		return f, err
	}
	if f.Rows, err = sqlite.Open(ctx, filepath.Join(folder, "runs.db"), nil); err != nil {
		return f, errors.Join(err, f.Saver.Close())
	}
	if f.Log, err = eventlog.OpenFile(ctx, filepath.Join(folder, "events.db")); err != nil {
		return f, errors.Join(err, f.Rows.Close(), f.Saver.Close())
	}
	return f, nil
}

// Close closes the files. Their server is closed before.
func (f Files) Close() error { return errors.Join(f.Log.Close(), f.Rows.Close(), f.Saver.Close()) }
