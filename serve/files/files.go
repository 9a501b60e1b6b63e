// Package files keeps what a server saves in a folder: threads, records and events, in SQLite.
//
//	kept, err := files.Open(ctx, "data")
//	…
//	s, err := serve.New(ctx, serve.Options{Graphs: graphs, Checkpointer: kept.Saver, Store: kept.Rows, Log: kept.Log, Open: true})
//
// It is for a server on one machine. Several servers share PostgreSQL: see packages
// graph/checkpoint/postgres, graph/store/postgres and graph/eventlog.
package files

import (
	"context"
	"errors"
	"os"
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

// Open opens the files in a folder. It creates what is missing, for their owner alone.
func Open(ctx context.Context, folder string) (f Files, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return f, err
	}
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
