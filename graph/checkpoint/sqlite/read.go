package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
	"example.com/assay/internal/sqlfile"
)

const columns = `c.namespace, c.id, c.parent, c.base, c.source, c.step, c.time, c.run, c.graph, c.fingerprint, c.version, c.metadata, c.data`

const (
	// A parent must be older, or the walk would not end: after Replace it may be newer.
	selectLineage = `WITH RECURSIVE walk(id, parent, base) AS (
			SELECT id, parent, base FROM checkpoints WHERE thread = ?1 AND namespace = ?2 AND id = CASE ?3
				WHEN '' THEN (SELECT max(id) FROM checkpoints WHERE thread = ?1 AND namespace = ?2) ELSE ?3 END
			UNION ALL
			SELECT c.id, c.parent, walk.base FROM walk JOIN checkpoints c
			ON c.thread = ?1 AND c.namespace = ?2 AND c.id = walk.parent WHERE walk.id <> walk.base AND c.id < walk.id)
		SELECT ` + columns + ` FROM walk JOIN checkpoints c ON c.thread = ?1 AND c.namespace = ?2 AND c.id = walk.id`
	selectRecords = `SELECT namespace, checkpoint, task, kind, key, data FROM records
		WHERE thread = ? AND namespace = ? AND checkpoint = ? ORDER BY task, kind, key`
	selectAllRecords = `SELECT namespace, checkpoint, task, kind, key, data FROM records
		WHERE thread = ? ORDER BY namespace, checkpoint, task, kind, key`
	selectList = `SELECT ` + columns + ` FROM checkpoints c WHERE thread = ?1 AND namespace = ?2 AND id < ?3
		AND (?4 = '' OR parent = ?4) AND (?5 = '' OR source = ?5) AND (?6 = '' OR run = ?6)
		AND (?7 = '' OR instr(metadata, ?7) > 0) ORDER BY id DESC LIMIT ?8`
	selectSpace   = `SELECT min(namespace) FROM checkpoints WHERE thread = ? AND namespace >= ?`
	selectThreads = `SELECT thread, count(*), max(time) FROM checkpoints WHERE thread >= ? GROUP BY thread ORDER BY thread LIMIT ?`
)

// A batch is the part of a list that one query reads: up to this many rows, or this many bytes of
// Data.
const (
	batchRows  = 200
	batchBytes = 4 << 20
)

// A reader has the statements for all connections that read.
type reader struct {
	lineage, records, all, list, space, threads *sql.Stmt
}

func (r *reader) prepare(ctx context.Context, db *sql.DB) error {
	for _, s := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&r.lineage, selectLineage}, {&r.records, selectRecords}, {&r.all, selectAllRecords}, {&r.list, selectList},
		{&r.space, selectSpace}, {&r.threads, selectThreads},
	} {
		var err error
		if *s.into, err = db.PrepareContext(ctx, s.query); err != nil {
			return err
		}
	}
	return nil
}

// Load implements graph.Checkpointer.
func (s *Saver) Load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	lineage, records, err := s.load(ctx, key)
	if err != nil {
		return nil, nil, fmt.Errorf("loading %v: %w", key, because(ctx, err))
	}
	return lineage, records, nil
}

func (s *Saver) load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	if err := names.Check(key.Thread, key.Namespace, key.ID); err != nil {
		return nil, nil, err
	}
	tx, err := s.file.Read.BeginTx(ctx, nil) // both queries see the same commits
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = tx.Rollback() }() // it only reads
	rows, err := tx.StmtContext(ctx, s.reader.lineage).QueryContext(ctx, key.Thread, key.Namespace, key.ID)
	lineage, err := collect(rows, err, scanCheckpoint)
	if err != nil {
		return nil, nil, err
	}
	if len(lineage) == 0 {
		return nil, nil, graph.ErrNoCheckpoint
	}
	slices.SortFunc(lineage, func(a, b graph.Checkpoint) int { return strings.Compare(a.ID, b.ID) })
	if lineage, err = graph.Lineage(lineage, lineage[len(lineage)-1].ID); err != nil {
		return nil, nil, err
	}
	rows, err = tx.StmtContext(ctx, s.reader.records).QueryContext(ctx, key.Thread, key.Namespace, lineage[len(lineage)-1].ID)
	records, err := collect(rows, err, scanRecord)
	return lineage, records, err
}

// Records implements graph.RecordReader.
func (s *Saver) Records(ctx context.Context, thread string) (records []graph.Record, err error) {
	if err = names.Check(thread); err == nil {
		var rows *sql.Rows
		rows, err = s.reader.all.QueryContext(ctx, thread)
		records, err = collect(rows, err, scanRecord)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the records of thread %q: %w", thread, because(ctx, err))
	}
	return records, nil
}

// List implements graph.Checkpointer. It reads in batches. Other commits may happen between
// batches, and while the caller handles a checkpoint.
func (s *Saver) List(ctx context.Context, query graph.Query) iter.Seq2[graph.Checkpoint, error] {
	return func(yield func(graph.Checkpoint, error) bool) {
		if err := s.list(ctx, query, func(c graph.Checkpoint) bool { return yield(c, nil) }); err != nil {
			yield(graph.Checkpoint{}, fmt.Errorf("listing checkpoints of thread %q: %w", query.Thread, because(ctx, err)))
		}
	}
}

// list yields the selected checkpoints until yield returns false.
func (s *Saver) list(ctx context.Context, query graph.Query, yield func(graph.Checkpoint) bool) error {
	if err := names.CheckQuery(query); err != nil {
		return err
	}
	if !query.All {
		return s.listSpace(ctx, query, yield)
	}
	left, more := query.Limit, true
	for from := ""; more; {
		var ns sql.NullString
		if err := s.reader.space.QueryRowContext(ctx, query.Thread, from).Scan(&ns); err != nil || !ns.Valid {
			return err
		}
		query.Namespace, query.Limit = ns.String, left
		err := s.listSpace(ctx, query, func(c graph.Checkpoint) bool {
			left--
			more = yield(c) && left != 0
			return more
		})
		if err != nil {
			return err
		}
		from = after(ns.String)
	}
	return nil
}

// listSpace lists one namespace until yield returns false.
func (s *Saver) listSpace(ctx context.Context, query graph.Query, yield func(graph.Checkpoint) bool) error {
	var before any = []byte{1} // a blob sorts after all texts
	if query.Before != "" {
		before = query.Before
	}
	limit := batchRows
	if query.Limit > 0 {
		limit = min(limit, query.Limit)
	}
	hint := metadataHint(query.Metadata)
	for left := query.Limit; ; {
		rows, err := s.reader.list.QueryContext(ctx, query.Thread, query.Namespace, before,
			query.Parent, string(query.Source), query.Run, hint, limit)
		size := 0
		batch, err := collect(rows, err, func(rows *sql.Rows) (c graph.Checkpoint, more bool, err error) {
			c, _, err = scanCheckpoint(rows)
			size += len(c.Data)
			return c, size < batchBytes, err
		})
		if err != nil {
			return err
		}
		for _, c := range batch {
			if !query.Matches(c) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			left--
			if !yield(c) || left == 0 {
				return nil
			}
		}
		if len(batch) < limit && size < batchBytes {
			return nil
		}
		before = batch[len(batch)-1].ID
	}
}

// metadataHint returns a text that the column contains if it has one of the pairs. Query.Matches
// then decides.
func metadataHint(metadata map[string]string) string {
	longest := ""
	for k, v := range metadata {
		text, err := json.Marshal(map[string]string{k: v})
		if err != nil {
			return ""
		}
		if hint := string(text[1 : len(text)-1]); len(hint) > len(longest) || len(hint) == len(longest) && hint < longest {
			longest = hint
		}
	}
	return longest
}

// Threads implements graph.Checkpointer. It reads in batches, like List.
func (s *Saver) Threads(ctx context.Context) iter.Seq2[graph.Thread, error] {
	return func(yield func(graph.Thread, error) bool) {
		for from := ""; ; {
			rows, err := s.reader.threads.QueryContext(ctx, from, batchRows)
			batch, err := collect(rows, err, scanThread)
			if err != nil {
				yield(graph.Thread{}, fmt.Errorf("listing threads: %w", because(ctx, err)))
				return
			}
			for _, th := range batch {
				if !yield(th, nil) {
					return
				}
			}
			if len(batch) < batchRows {
				return
			}
			from = after(batch[len(batch)-1].ID)
		}
	}
}

// after returns the next possible name: no name has a zero byte.
func after(name string) string { return name + "\x01" }

// because returns the context's error if it has ended, since that stopped the call; else err.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// collect reads rows until the last, or until scan returns false.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, bool, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, more, err := scan(rows)
		if err != nil {
			return nil, err
		}
		if out = append(out, v); !more {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return out, rows.Close()
}

func scanCheckpoint(rows *sql.Rows) (c graph.Checkpoint, more bool, err error) {
	var micros int64
	var metadata string
	err = rows.Scan(&c.Namespace, &c.ID, &c.Parent, &c.Base, &c.Source, &c.Step, &micros, &c.Run,
		&c.Graph, &c.Fingerprint, &c.Version, &metadata, &c.Data)
	c.Time = time.UnixMicro(micros).UTC()
	if err == nil && metadata != "" {
		err = json.Unmarshal([]byte(metadata), &c.Metadata)
	}
	return c, true, err
}

func scanRecord(rows *sql.Rows) (r graph.Record, more bool, err error) {
	return r, true, rows.Scan(&r.Namespace, &r.Checkpoint, &r.Task, &r.Kind, &r.Key, &r.Data)
}

func scanThread(rows *sql.Rows) (th graph.Thread, more bool, err error) {
	var micros int64
	err = rows.Scan(&th.ID, &th.Checkpoints, &micros)
	th.Updated = time.UnixMicro(micros).UTC()
	return th, true, err
}

// Names lists the threads of a file without opening it for saving. It does not create a database,
// take a lock that others wait for, or write into the file.
func Names(ctx context.Context, path string) (threads []string, err error) {
	db, err := sqlfile.Look(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `WITH RECURSIVE names(thread) AS (
			SELECT min(thread) FROM checkpoints
			UNION ALL
			SELECT (SELECT min(thread) FROM checkpoints WHERE thread > names.thread) FROM names WHERE thread IS NOT NULL)
		SELECT thread FROM names WHERE thread IS NOT NULL`)
	return collect(rows, err, func(r *sql.Rows) (name string, more bool, err error) {
		err = r.Scan(&name)
		return name, true, err
	})
}
