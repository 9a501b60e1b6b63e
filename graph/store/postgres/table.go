package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph/store"
)

// table is a store.Backend.
type table struct {
	pool *pgxpool.Pool
	sql  statements
}

// Write sends all changes at once, and the server answers once.
func (t *table) Write(ctx context.Context, now int64, changes []store.Change) error {
	batch := &pgx.Batch{}
	for _, c := range changes {
		t.queue(batch, now, c)
	}
	err := pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error { return tx.SendBatch(ctx, batch).Close() })
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

func (t *table) queue(batch *pgx.Batch, now int64, c store.Change) {
	r := c.Row
	path := []byte(r.Path)
	switch c.Kind {
	case store.ChangePut:
		batch.Queue(t.sql.put, path, r.Key, string(r.Value), r.Created, r.Updated, r.TTL, r.Expires, bytesOf(r.Vectors))
	case store.ChangeDelete:
		batch.Queue(t.sql.delete, path, r.Key)
	case store.ChangeRefresh:
		batch.Queue(t.sql.refresh, path, r.Key, now)
	case store.ChangeVectors:
		batch.Queue(t.sql.vectors, path, r.Key, bytesOf(r.Vectors), r.Updated, string(r.Value))
	}
}

// bytesOf returns empty bytes for nil, which the driver would write as NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (t *table) Read(ctx context.Context, path, key string) (store.Row, bool, error) {
	rows, err := t.pool.Query(ctx, t.sql.read, []byte(path), key)
	if err != nil {
		return store.Row{}, false, fmt.Errorf("reading: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, readRow)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return store.Row{}, false, nil
	case err != nil:
		return store.Row{}, false, fmt.Errorf("reading: %w", err)
	}
	return r, true, nil
}

func readRow(row pgx.CollectableRow) (store.Row, error) {
	var r store.Row
	var path []byte
	var value string
	err := row.Scan(&path, &r.Key, &value, &r.Created, &r.Updated, &r.TTL, &r.Expires, &r.Vectors)
	r.Path, r.Value = string(path), []byte(value)
	return r, err
}

// Pages grow: a search with a small limit and no filter needs few rows, and a search by meaning
// needs all.
const (
	firstPage = 16
	lastPage  = 512
)

func (t *table) Scan(ctx context.Context, r store.Range) iter.Seq2[store.Row, error] {
	return pages(ctx, t.pool, readRow, t.sql.scan, func(last *store.Row, size int) []any {
		path, key := []byte{}, ""
		if last != nil {
			path, key = []byte(last.Path), last.Key
		}
		return []any{[]byte(r.Prefix), []byte(r.End()), r.Live, r.Vectors, path, key, size}
	})
}

func (t *table) Paths(ctx context.Context, r store.Range) iter.Seq2[string, error] {
	read := func(row pgx.CollectableRow) (string, error) {
		var path []byte
		err := row.Scan(&path)
		return string(path), err
	}
	return pages(ctx, t.pool, read, t.sql.paths, func(last *string, size int) []any {
		path := []byte{}
		if last != nil {
			path = []byte(*last)
		}
		return []any{[]byte(r.Prefix), []byte(r.End()), r.Live, path, size}
	})
}

// pages yields the rows of a statement, page by page: each page asks for the rows after the last
// one. All pages share a transaction, so they show one moment. A single query would have to be read
// to its end, even for ten rows out of a million.
func pages[T any](ctx context.Context, pool *pgxpool.Pool, read pgx.RowToFunc[T], statement string, args func(last *T, size int) []any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err := pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
			var last *T
			for size := firstPage; ; size = min(2*size, lastPage) {
				rows, err := tx.Query(ctx, statement, args(last, size)...)
				if err != nil {
					return err
				}
				n := 0
				for ; rows.Next(); n++ {
					row, err := read(rows)
					if err != nil {
						rows.Close()
						return err
					}
					if last = &row; !yield(row, nil) {
						stopped = true
						rows.Close()
						return nil
					}
				}
				if err := rows.Err(); err != nil {
					return err
				}
				if n < size {
					return nil
				}
			}
		})
		if err != nil && !stopped {
			var none T
			yield(none, fmt.Errorf("searching: %w", err))
		}
	}
}

func (t *table) Sweep(ctx context.Context, now int64) (int, error) {
	tag, err := t.pool.Exec(ctx, t.sql.sweep, now)
	if err != nil {
		return 0, fmt.Errorf("sweeping: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
