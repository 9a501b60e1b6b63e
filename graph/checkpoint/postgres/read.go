package postgres

import (
	"context"
	"fmt"
	"iter"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
	"github.com/jackc/pgx/v5"
)

// A batch is the part of a list that one query reads: up to this many rows, or this many bytes of
// Data.
const (
	batchRows  = 200
	batchBytes = 4 << 20
)

// Load implements graph.Checkpointer.
func (s *Saver) Load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	lineage, records, err := s.load(ctx, key)
	if err != nil {
		return nil, nil, fmt.Errorf("loading %v: %w", key, because(ctx, err))
	}
	return lineage, records, nil
}

func (s *Saver) load(ctx context.Context, k graph.Key) (lineage []graph.Checkpoint, records []graph.Record, err error) {
	if err := names.Check(k.Thread, k.Namespace, k.ID); err != nil {
		return nil, nil, err
	}
	batch := &pgx.Batch{}
	batch.Queue(beginLoad)
	batch.Queue(s.sql.lineage, key(k.Thread), key(k.Namespace), k.ID).Query(func(rows pgx.Rows) error {
		lineage, err = pgx.CollectRows(rows, scanCheckpoint)
		return err
	})
	batch.Queue(s.sql.records, key(k.Thread), key(k.Namespace), k.ID).Query(func(rows pgx.Rows) error {
		records, err = pgx.CollectRows(rows, scanRecord)
		return err
	})
	batch.Queue(endLoad)
	if err := s.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, nil, err
	}
	if len(lineage) == 0 {
		return nil, nil, graph.ErrNoCheckpoint
	}
	lineage, err = graph.Lineage(lineage, lineage[len(lineage)-1].ID)
	return lineage, records, err
}

// Records implements graph.RecordReader.
func (s *Saver) Records(ctx context.Context, thread string) (records []graph.Record, err error) {
	if err = names.Check(thread); err == nil {
		var rows pgx.Rows
		if rows, err = s.pool.Query(ctx, s.sql.allRecords, key(thread)); err == nil {
			records, err = pgx.CollectRows(rows, scanRecord)
		}
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
	spaces := []string{query.Namespace}
	if query.All {
		rows, err := s.pool.Query(ctx, s.sql.spaces, key(query.Thread))
		if err != nil {
			return err
		}
		if spaces, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
	}
	left, more := query.Limit, true
	for _, ns := range spaces {
		query.Namespace, query.Limit = ns, left
		err := s.listSpace(ctx, query, func(c graph.Checkpoint) bool {
			left--
			more = yield(c) && left != 0
			return more
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// listSpace lists one namespace until yield returns false.
func (s *Saver) listSpace(ctx context.Context, query graph.Query, yield func(graph.Checkpoint) bool) error {
	metadata, err := metadataText(query.Metadata)
	if err != nil {
		return err
	}
	limit := int64(batchRows)
	if query.Limit > 0 {
		limit = min(limit, int64(query.Limit))
	}
	args := []any{key(query.Thread), key(query.Namespace), query.Parent, string(query.Source), query.Run, metadata, limit, int64(batchBytes)}
	before := query.Before
	for {
		sql, args := s.sql.list, args
		if before != "" {
			sql, args = s.sql.listBefore, append(args[:len(args):len(args)], before)
		}
		rows, err := s.pool.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		batch, err := pgx.CollectRows(rows, scanCheckpoint)
		if err != nil {
			return err
		}
		size := 0
		for _, c := range batch {
			if err := ctx.Err(); err != nil {
				return err
			}
			size += len(c.Data)
			if !yield(c) {
				return nil
			}
		}
		if len(batch) < int(limit) && size < batchBytes {
			return nil
		}
		before = batch[len(batch)-1].ID
	}
}

// Threads implements graph.Checkpointer. It reads in batches, like List.
func (s *Saver) Threads(ctx context.Context) iter.Seq2[graph.Thread, error] {
	return func(yield func(graph.Thread, error) bool) {
		for from := ""; ; {
			rows, err := s.pool.Query(ctx, s.sql.threads, from, int64(batchRows))
			var batch []graph.Thread
			if err == nil {
				batch, err = pgx.CollectRows(rows, scanThread)
			}
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
			from = batch[len(batch)-1].ID + "\x01" // the next possible name: no name has a zero byte
		}
	}
}

func scanCheckpoint(row pgx.CollectableRow) (c graph.Checkpoint, err error) {
	err = row.Scan(&c.Namespace, &c.ID, &c.Parent, &c.Base, &c.Source, &c.Step, &c.Time, &c.Run,
		&c.Graph, &c.Fingerprint, &c.Version, &c.Metadata, &c.Data)
	c.Time = c.Time.UTC()
	return c, err
}

func scanRecord(row pgx.CollectableRow) (r graph.Record, err error) {
	return r, row.Scan(&r.Namespace, &r.Checkpoint, &r.Task, &r.Kind, &r.Key, &r.Data)
}

func scanThread(row pgx.CollectableRow) (th graph.Thread, err error) {
	err = row.Scan(&th.ID, &th.Checkpoints, &th.Updated)
	th.Updated = th.Updated.UTC()
	return th, err
}
