package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"example.com/assay/graph/store"
)

const (
	sqlPut = `INSERT INTO items (path, key, value, created, updated, ttl, expires, vectors)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
		ON CONFLICT (path, key) DO UPDATE SET
			value = excluded.value, updated = excluded.updated, ttl = excluded.ttl,
			expires = excluded.expires, vectors = excluded.vectors,
			created = CASE WHEN items.expires > excluded.updated THEN items.created ELSE excluded.created END`
	sqlDelete  = `DELETE FROM items WHERE path = ?1 AND key = ?2`
	sqlRefresh = `UPDATE items SET expires = max(expires, ?3 + ttl)
		WHERE path = ?1 AND key = ?2`
	sqlVectors = `UPDATE items SET vectors = ?3
		WHERE path = ?1 AND key = ?2 AND updated = ?4 AND value = ?5`
	sqlRead = `SELECT path, key, value, created, updated, ttl, expires FROM items
		WHERE path = ?1 AND key = ?2`
	sqlRange = `FROM items WHERE path >= ?1 AND path < ?2 AND expires > ?3 `
	sqlScan  = `SELECT path, key, value, created, updated, ttl, expires, CASE WHEN ?4 THEN vectors ELSE x'' END ` +
		sqlRange + `ORDER BY path, key`
	sqlPaths = `SELECT DISTINCT path ` + sqlRange + `ORDER BY path`
	sqlSweep = `DELETE FROM items WHERE expires <= ?1`
)

func (t *table) Write(ctx context.Context, now int64, changes []store.Change) error {
	tx, err := t.file.Write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer tx.Rollback()
	for _, c := range changes {
		if err := apply(ctx, tx, now, c); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

func apply(ctx context.Context, tx *sql.Tx, now int64, c store.Change) error {
	r := c.Row
	var err error
	switch c.Kind {
	case store.ChangePut:
		_, err = tx.ExecContext(ctx, sqlPut, []byte(r.Path), r.Key, string(r.Value), r.Created, r.Updated, r.TTL, r.Expires, blob(r.Vectors))
	case store.ChangeDelete:
		_, err = tx.ExecContext(ctx, sqlDelete, []byte(r.Path), r.Key)
	case store.ChangeRefresh:
		_, err = tx.ExecContext(ctx, sqlRefresh, []byte(r.Path), r.Key, now)
	case store.ChangeVectors:
		_, err = tx.ExecContext(ctx, sqlVectors, []byte(r.Path), r.Key, blob(r.Vectors), r.Updated, string(r.Value))
	}
	return err
}

// blob returns empty bytes for nil, which the driver would write as NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (t *table) Read(ctx context.Context, path, key string) (store.Row, bool, error) {
	rows, err := t.file.Read.QueryContext(ctx, sqlRead, []byte(path), key)
	if err != nil {
		return store.Row{}, false, fmt.Errorf("reading: %w", err)
	}
	defer rows.Close()
	var r store.Row
	exists := rows.Next()
	if exists {
		err = scan(rows, &r)
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		return store.Row{}, false, fmt.Errorf("reading: %w", err)
	}
	return r, exists, nil
}

// scan reads the columns of sqlRead, and more columns after them.
func scan(rows *sql.Rows, r *store.Row, more ...any) error {
	var path []byte
	columns := []any{&path, &r.Key, &r.Value, &r.Created, &r.Updated, &r.TTL, &r.Expires}
	err := rows.Scan(append(columns, more...)...)
	r.Path = string(path)
	return err
}

func (t *table) Scan(ctx context.Context, r store.Range) iter.Seq2[store.Row, error] {
	return query(ctx, t.file.Read, func(rows *sql.Rows) (row store.Row, err error) {
		err = scan(rows, &row, &row.Vectors)
		return row, err
	}, sqlScan, []byte(r.Prefix), []byte(r.End()), r.Live, r.Vectors)
}

func (t *table) Paths(ctx context.Context, r store.Range) iter.Seq2[string, error] {
	return query(ctx, t.file.Read, func(rows *sql.Rows) (string, error) {
		var path []byte
		err := rows.Scan(&path)
		return string(path), err
	}, sqlPaths, []byte(r.Prefix), []byte(r.End()), r.Live)
}

// query yields the rows of one statement, all from the moment when it begins. A row that cannot be
// read ends it with an error.
func query[T any](ctx context.Context, db *sql.DB, read func(*sql.Rows) (T, error), statement string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := db.QueryContext(ctx, statement, args...)
		if err != nil {
			yield(none, fmt.Errorf("searching: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := read(rows)
			if err != nil {
				yield(none, fmt.Errorf("searching: %w", err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, fmt.Errorf("searching: %w", err))
		}
	}
}

func (t *table) Sweep(ctx context.Context, now int64) (int, error) {
	result, err := t.file.Write.ExecContext(ctx, sqlSweep, now)
	if err != nil {
		return 0, fmt.Errorf("sweeping: %w", err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}
