package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// attempts is how often a commit is sent when a connection proves broken before it was sent.
const attempts = 3

// Commit implements graph.Checkpointer.
func (s *Saver) Commit(ctx context.Context, thread string, change graph.Change) error {
	if err := s.commit(ctx, thread, change); err != nil {
		return fmt.Errorf("changing thread %q: %w", thread, because(ctx, err))
	}
	return nil
}

func (s *Saver) commit(ctx context.Context, thread string, change graph.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := names.CheckChange(thread, change); err != nil {
		return err
	}
	parts, err := s.parts(thread, change)
	if err != nil || len(parts) == 1 { // the change is empty
		return err
	}
	return s.join(ctx, parts[0].args[0].(int64), parts)
}

// A part is one statement of a change.
type part struct {
	doing string // what it does, for errors
	sql   string
	args  []any
}

// send makes a change in one round trip: the statements of a batch are one transaction, and the
// first error ends it.
func (s *Saver) send(ctx context.Context, parts []part) error {
	batch := &pgx.Batch{}
	for _, p := range parts {
		batch.Queue(p.sql, p.args...)
	}
	results := s.pool.SendBatch(ctx, batch)
	for _, p := range parts {
		if _, err := results.Exec(); err != nil {
			var e *pgconn.PgError
			if errors.As(err, &e) && e.Code == stale {
				err = graph.ErrStale
			}
			// Closing reports the same error again.
			_ = results.Close()
			return fmt.Errorf("%s: %w", p.doing, err)
		}
	}
	return results.Close() // the commit is done when this returns
}

// parts returns the statements of a change. The first one lets changes of one thread wait for each
// other, so rows that a statement has found are still there when its transaction ends.
func (s *Saver) parts(thread string, change graph.Change) ([]part, error) {
	t := key(thread)
	parts := []part{{"waiting for other changes", lockThread, []any{advisory("commit", s.schema, thread)}}}
	queue := func(doing, sql string, args ...any) {
		parts = append(parts, part{doing, sql, append([]any{t}, args...)})
	}
	if change.Clear {
		queue("clearing", s.sql.clear)
	}
	for _, k := range change.Remove {
		if k.ID == "" {
			queue("removing a namespace", s.sql.removeSpace, key(k.Namespace))
		} else {
			queue("removing checkpoint "+k.ID, s.sql.removeOne, key(k.Namespace), k.ID)
		}
	}
	for i := range change.Replace {
		args, err := row(&change.Replace[i])
		if err != nil {
			return nil, err
		}
		queue("replacing checkpoint "+change.Replace[i].ID, s.sql.replace, args...)
	}
	first := false
	for i := range change.Add {
		args, err := row(&change.Add[i])
		if err != nil {
			return nil, err
		}
		queue("adding checkpoint "+change.Add[i].ID, s.sql.add, args...)
		first = first || change.Add[i].Parent == ""
	}
	for _, f := range change.Forget {
		queue("forgetting records", s.sql.forget, key(f.Namespace), f.Checkpoint, string(f.Kind))
	}
	for _, r := range change.Records {
		queue("recording for checkpoint "+r.Checkpoint, s.sql.record, key(r.Namespace), r.Checkpoint,
			key(r.Task, string(r.Kind), r.Key), r.Namespace, r.Task, string(r.Kind), r.Key, filled(r.Data))
	}
	// A checkpoint without a parent may be the first of its thread.
	if first {
		queue("naming the thread", s.sql.nameThread, thread)
	} else if change.Clear || len(change.Remove) > 0 {
		queue("forgetting the thread's name", s.sql.unnameThread)
	}
	return parts, nil
}

// row returns the values of a checkpoint's columns, without the thread.
func row(c *graph.Checkpoint) ([]any, error) {
	metadata, err := metadataText(c.Metadata)
	return []any{
		key(c.Namespace), c.ID, c.Namespace, c.Parent, c.Base, string(c.Source), int64(c.Step),
		c.Time.UTC().Truncate(time.Microsecond), c.Run, c.Graph, c.Fingerprint, int64(c.Version), metadata, filled(c.Data),
	}, err
}

func metadataText(metadata map[string]string) (string, error) {
	if len(metadata) == 0 {
		return "{}", nil
	}
	text, err := json.Marshal(metadata)
	return string(text), err
}

// filled returns empty bytes for nil, which Postgres would store as NULL.
func filled(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
