package embed

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/assay/internal/sqlfile"
)

const (
	cacheName = "vectors.db"
	// busy is how long SQLite waits before change checks whether the context has ended, because
	// SQLite's own wait cannot be cancelled.
	busy = 50 * time.Millisecond
)

// FileSchema is the schema of a cache's file.
var FileSchema = sqlfile.Schema{Application: 0x41537663, Steps: []string{`
	CREATE TABLE batches (id INTEGER PRIMARY KEY, vectors INTEGER NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
	CREATE TABLE vectors (key BLOB NOT NULL UNIQUE, batch INTEGER NOT NULL, vector BLOB NOT NULL) STRICT;
	CREATE INDEX vectors_batch ON vectors (batch);
	CREATE TABLE totals (hits INTEGER NOT NULL, misses INTEGER NOT NULL) STRICT;
	INSERT INTO totals VALUES (0, 0);`,
}}

// OpenCache opens the cache in a directory, which is created if needed. Several processes of one
// machine may use it. Commits do not wait for the disk: a power failure may lose the last vectors,
// which are then computed again. Vectors in the file format of an earlier version of this program
// are deleted and computed again when needed.
func OpenCache(dir string, opts *CacheOptions) (*Cache, error) {
	f := &cacheFile{path: filepath.Join(dir, cacheName)}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = removeEarlier(dir)
	}
	if err == nil {
		f.file, err = sqlfile.Open(context.Background(), f.path, FileSchema, &sqlfile.Options{
			Synchronous: "NORMAL", Busy: busy, Pragmas: []string{"auto_vacuum(INCREMENTAL)"},
		})
	}
	if err != nil {
		return nil, fmt.Errorf("opening the cache of vectors in %s: %w", dir, err)
	}
	return NewCache(f, opts), nil
}

// removeEarlier deletes the files of the cache's earlier form.
func removeEarlier(dir string) error {
	earlier, err := filepath.Glob(filepath.Join(dir, "[0-9]*.vec"))
	if err != nil || len(earlier) == 0 {
		return err
	}
	for _, path := range append(earlier, filepath.Join(dir, "totals"), filepath.Join(dir, "lock")) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cacheFile are CacheRows in a file.
type cacheFile struct {
	path string
	file *sqlfile.File
}

func (f *cacheFile) Close() error { return f.file.Close() }

func (f *cacheFile) Read(ctx context.Context, keys []Key) (out [][]byte, batches []int64, err error) {
	stmt, err := f.file.Read.PrepareContext(ctx, "SELECT batch, vector FROM vectors WHERE key = ?")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	out, batches = make([][]byte, len(keys)), make([]int64, len(keys))
	for i, key := range keys {
		if err := stmt.QueryRowContext(ctx, key[:]).Scan(&batches[i], &out[i]); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, nil, err
		}
	}
	return out, batches, nil
}

func (f *cacheFile) Write(ctx context.Context, keys []Key, data [][]byte, most int64) error {
	return f.change(ctx, func(tx *sql.Tx) error {
		batch, err := addBatch(ctx, tx, keys, data)
		if err != nil {
			return err
		}
		return sweep(ctx, tx, batch, most)
	})
}

// change makes a change in one transaction, once no other process writes.
func (f *cacheFile) change(ctx context.Context, make func(*sql.Tx) error) error {
	return sqlfile.WhileBusy(ctx, func() error {
		tx, err := f.file.Write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // after Commit there is nothing to undo
		if err := make(tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// addBatch writes a batch and returns its number. A vector that is there already is
// written over in its own batch: it may be damaged.
func addBatch(ctx context.Context, tx *sql.Tx, keys []Key, data [][]byte) (batch int64, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM batches").Scan(&batch); err != nil {
		return 0, err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO vectors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET vector = excluded.vector RETURNING batch")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	var count, size, in int64
	for i, key := range keys {
		if err := insert.QueryRowContext(ctx, key[:], batch, data[i]).Scan(&in); err != nil {
			return 0, err
		}
		if in == batch {
			count++
			size += int64(len(key) + len(data[i]))
		}
	}
	if count == 0 {
		return batch, nil
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO batches SELECT ?, ?, ?, coalesce(max(used), 0) + 1 FROM batches", batch, count, size)
	return batch, err
}

// sweep deletes the least recently used batches until the cache is within its bound. The batch
// numbered stays is kept.
func sweep(ctx context.Context, tx *sql.Tx, stays, most int64) error {
	var total int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(bytes), 0) FROM batches").Scan(&total); err != nil || total <= most {
		return err
	}
	for total > most {
		var id, size int64
		err := tx.QueryRowContext(ctx, "SELECT id, bytes FROM batches WHERE id <> ? ORDER BY used, id LIMIT 1", stays).Scan(&id, &size)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM vectors WHERE batch = ?1; DELETE FROM batches WHERE id = ?1", id)
		}
		if err != nil {
			return err
		}
		total -= size
	}
	_, err := tx.ExecContext(ctx, "PRAGMA incremental_vacuum") // also after the bound was lowered
	return err
}

func (f *cacheFile) Count(ctx context.Context) (out CacheStats, err error) {
	row := f.file.Read.QueryRowContext(ctx, "SELECT coalesce(sum(vectors), 0), coalesce(sum(bytes), 0), (SELECT hits FROM totals), (SELECT misses FROM totals) FROM batches")
	err = row.Scan(&out.Vectors, &out.Bytes, &out.TotalHits, &out.TotalMisses)
	return out, err
}

func (f *cacheFile) Report(ctx context.Context, used []int64, hits, misses int64) error {
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) { // deleted while it was open
		return nil
	}
	return f.change(ctx, func(tx *sql.Tx) error {
		var now int64
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(used), 0) + 1 FROM batches").Scan(&now); err != nil {
			return err
		}
		for _, batch := range used {
			if _, err := tx.ExecContext(ctx, "UPDATE batches SET used = ? WHERE id = ?", now, batch); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE totals SET hits = hits + ?, misses = misses + ?", hits, misses)
		return err
	})
}
