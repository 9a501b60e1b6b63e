package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/internal/names"
)

// An insert checks the parent and the base itself. So adding a checkpoint is one statement, which
// is its own transaction.
const (
	insertCheckpoint = `INSERT INTO checkpoints SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
		WHERE (?4 = '' OR EXISTS (SELECT 1 FROM checkpoints WHERE thread = ?1 AND namespace = ?2 AND id = ?4))
		AND (?5 = ?3 OR EXISTS (SELECT 1 FROM checkpoints WHERE thread = ?1 AND namespace = ?2 AND id = ?5))
		ON CONFLICT DO NOTHING`
	replaceCheckpoint = `UPDATE checkpoints SET parent = ?4, base = ?5, source = ?6, step = ?7, time = ?8, run = ?9,
		graph = ?10, fingerprint = ?11, version = ?12, metadata = ?13, data = ?14
		WHERE thread = ?1 AND namespace = ?2 AND id = ?3`
	insertRecord = `INSERT INTO records SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
		WHERE EXISTS (SELECT 1 FROM checkpoints WHERE thread = ?1 AND namespace = ?2 AND id = ?3)
		ON CONFLICT DO UPDATE SET data = excluded.data`
	deleteKind = `DELETE FROM records WHERE thread = ? AND namespace = ? AND checkpoint = ? AND kind = ?`
)

// A writer is the connection for writes, with its statements.
type writer struct {
	conn                             *sql.Conn
	all                              []*sql.Stmt // all statements below
	begin, commit, rollback          *sql.Stmt
	savepoint, undo, release         *sql.Stmt
	add, replace, record, forget     *sql.Stmt
	clear, removeSpace, removeOne    *sql.Stmt // of checkpoints
	clearR, removeSpaceR, removeOneR *sql.Stmt // of records
}

func (w *writer) prepare(ctx context.Context, conn *sql.Conn) error {
	w.conn = conn
	for _, s := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&w.begin, "BEGIN IMMEDIATE"}, {&w.commit, "COMMIT"}, {&w.rollback, "ROLLBACK"},
		{&w.savepoint, "SAVEPOINT change"}, {&w.undo, "ROLLBACK TO change"}, {&w.release, "RELEASE change"},
		{&w.add, insertCheckpoint}, {&w.replace, replaceCheckpoint}, {&w.record, insertRecord}, {&w.forget, deleteKind},
		{&w.clear, "DELETE FROM checkpoints WHERE thread = ?"},
		{&w.clearR, "DELETE FROM records WHERE thread = ?"},
		{&w.removeSpace, "DELETE FROM checkpoints WHERE thread = ? AND namespace = ?"},
		{&w.removeSpaceR, "DELETE FROM records WHERE thread = ? AND namespace = ?"},
		{&w.removeOne, "DELETE FROM checkpoints WHERE thread = ? AND namespace = ? AND id = ?"},
		{&w.removeOneR, "DELETE FROM records WHERE thread = ? AND namespace = ? AND checkpoint = ?"},
	} {
		var err error
		if *s.into, err = conn.PrepareContext(ctx, s.query); err != nil {
			return err
		}
		w.all = append(w.all, *s.into)
	}
	return nil
}

// close closes the statements, which would keep the connection open, and the connection.
func (w *writer) close() error {
	if w.conn == nil {
		return nil
	}
	var errs []error
	for _, s := range w.all {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// Commit implements graph.Checkpointer. After an error, such as a full disk, the file is unchanged.
func (s *Saver) Commit(ctx context.Context, thread string, change graph.Change) error {
	if err := s.doCommit(ctx, thread, change); err != nil {
		return fmt.Errorf("changing thread %q in %s: %w", thread, s.path, err)
	}
	return nil
}

// A waiting change is queued for a commit.
type waiting struct {
	thread string
	change graph.Change
	done   chan error // holds one error
}

func (s *Saver) doCommit(ctx context.Context, thread string, change graph.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := names.CheckChange(thread, change); err != nil {
		return err
	}
	own := &waiting{thread, change, make(chan error, 1)}
	s.mu.Lock()
	s.queue = append(s.queue, own)
	s.mu.Unlock()
	select {
	case err := <-own.done:
		return err
	case _, open := <-s.turn:
		if !open {
			return errors.New("the saver is closed")
		}
		s.mu.Lock()
		batch := s.queue
		s.queue = nil
		s.mu.Unlock()
		// From here on the changes are made or fail, even if the context ends.
		s.writer.commitAll(context.WithoutCancel(ctx), batch)
		s.turn <- struct{}{}
	case <-ctx.Done():
		s.mu.Lock()
		at := slices.Index(s.queue, own)
		if at >= 0 {
			s.queue = slices.Delete(s.queue, at, at+1)
		}
		s.mu.Unlock()
		if at >= 0 {
			return ctx.Err()
		}
	}
	return <-own.done
}

// commitAll makes changes, each of them entirely or not at all. It commits all changes that arrived
// while the disk was busy in one transaction.
func (w *writer) commitAll(ctx context.Context, batch []*waiting) {
	errs := make([]error, len(batch))
	if len(batch) == 1 || w.together(ctx, batch, errs) != nil {
		for i, c := range batch {
			errs[i] = w.change(ctx, c.thread, c.change)
		}
	}
	for i, c := range batch {
		c.done <- errs[i]
	}
}

// together makes changes in one transaction. Its error means that no change was made. A stale
// change gets its own error in errs.
func (w *writer) together(ctx context.Context, batch []*waiting, errs []error) error {
	return w.transaction(ctx, func() error {
		for i, c := range batch {
			lone := single(c.change)
			if !lone {
				if _, err := w.savepoint.ExecContext(ctx); err != nil {
					return err
				}
			}
			errs[i] = w.parts(ctx, c.thread, c.change)
			if errs[i] != nil && !errors.Is(errs[i], graph.ErrStale) {
				return errs[i]
			}
			if lone {
				continue
			}
			if errs[i] != nil {
				if _, err := w.undo.ExecContext(ctx); err != nil {
					return err
				}
			}
			if _, err := w.release.ExecContext(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// single reports whether a change is one statement, which needs no transaction.
func single(c graph.Change) bool {
	return !c.Clear && len(c.Remove) == 0 && // a removal is two statements
		len(c.Replace)+len(c.Add)+len(c.Forget)+len(c.Records) == 1
}

func (w *writer) change(ctx context.Context, thread string, change graph.Change) error {
	if single(change) {
		return w.parts(ctx, thread, change)
	}
	return w.transaction(ctx, func() error { return w.parts(ctx, thread, change) })
}

func (w *writer) transaction(ctx context.Context, do func() error) error {
	if _, err := w.begin.ExecContext(ctx); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_, err = w.commit.ExecContext(ctx)
	}
	if err != nil {
		// Without a transaction there is nothing to roll back; the first error says why.
		_, _ = w.rollback.ExecContext(ctx)
	}
	return err
}

func (w *writer) parts(ctx context.Context, thread string, change graph.Change) error {
	if change.Clear {
		if err := run(ctx, w.clear, w.clearR, thread); err != nil {
			return err
		}
	}
	for _, key := range change.Remove {
		var err error
		if key.ID == "" {
			err = run(ctx, w.removeSpace, w.removeSpaceR, thread, key.Namespace)
		} else {
			err = run(ctx, w.removeOne, w.removeOneR, thread, key.Namespace, key.ID)
		}
		if err != nil {
			return err
		}
	}
	for i := range change.Replace {
		if err := w.put(ctx, w.replace, thread, &change.Replace[i]); err != nil {
			return fmt.Errorf("replacing checkpoint %s: %w", change.Replace[i].ID, err)
		}
	}
	for i := range change.Add {
		if err := w.put(ctx, w.add, thread, &change.Add[i]); err != nil {
			return fmt.Errorf("adding checkpoint %s: %w", change.Add[i].ID, err)
		}
	}
	for _, f := range change.Forget {
		if _, err := w.forget.ExecContext(ctx, thread, f.Namespace, f.Checkpoint, string(f.Kind)); err != nil {
			return err
		}
	}
	for _, r := range change.Records {
		if err := one(w.record.ExecContext(ctx, thread, r.Namespace, r.Checkpoint, r.Task, string(r.Kind), r.Key, r.Data)); err != nil {
			return fmt.Errorf("recording for checkpoint %s: %w", r.Checkpoint, err)
		}
	}
	return nil
}

// put executes a statement that takes all columns of a checkpoint.
func (w *writer) put(ctx context.Context, stmt *sql.Stmt, thread string, c *graph.Checkpoint) error {
	metadata := ""
	if len(c.Metadata) > 0 {
		text, err := json.Marshal(c.Metadata)
		if err != nil {
			return err
		}
		metadata = string(text)
	}
	return one(stmt.ExecContext(ctx, thread, c.Namespace, c.ID, c.Parent, c.Base, string(c.Source), c.Step,
		c.Time.UTC().Truncate(time.Microsecond).UnixMicro(), c.Run, c.Graph, c.Fingerprint, c.Version, metadata, c.Data))
}

// run executes a removal of checkpoints and the removal of their records.
func run(ctx context.Context, checkpoints, records *sql.Stmt, args ...any) error {
	if _, err := checkpoints.ExecContext(ctx, args...); err != nil {
		return err
	}
	_, err := records.ExecContext(ctx, args...)
	return err
}

// one returns ErrStale if a statement that must change one row changed none.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		err = graph.ErrStale
	}
	return err
}
