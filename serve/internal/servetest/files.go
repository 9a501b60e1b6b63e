// Package servetest opens the files of a server, for tests. It does not use database servers.
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

// Open opens the files in a folder, and creates missing ones.
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

// Close closes the files. Close their server first.
func (f Files) Close() error { return errors.Join(f.Log.Close(), f.Rows.Close(), f.Saver.Close()) }
