package runs

import (
	"context"
	"errors"
	"slices"

	"example.com/assay/graph"
)

// errRolledBack is the cause that ends the context of a run that is undone.
var errRolledBack = errors.New("the run was rolled back")

// Rollback stops a run and undoes it: its thread has its former state again, and the run, its
// checkpoints and its events are removed. It does not wait: see Wait, which then returns a
// *NotFoundError. A run that has ended stays as it is.
//
// An answer that the run was given is asked for again, unless another process had begun the run. What
// the run changed outside its thread stays.
func (s *Space) Rollback(ctx context.Context, id string) error {
	r, err := s.Run(ctx, id)
	if err != nil || r.Status.Ended() {
		return err
	}
	defer s.hold(r.Thread)()
	if l := s.find(id); l != nil {
		return l.rollBack(ctx)
	}
	return s.ask(ctx, r, true)
}

// rollBack writes that the run is to be undone, and stops it. If this process dies before the end, the
// next one undoes it. The caller holds the thread.
func (l *live) rollBack(ctx context.Context) error {
	s := l.space
	if !slices.Contains(s.liveOn(l.run.Thread), l) {
		return nil // it has ended meanwhile
	}
	r := l.set(func(r *Run) { r.Undo = true })
	var c change
	c.put(s.runsOn(r.Thread), r.ID, r, 0)
	if err := s.write(ctx, &c); err != nil {
		return err
	}
	l.cancel(errRolledBack)
	return nil
}

func (l *live) rolledBack() bool { return errors.Is(context.Cause(l.ctx), errRolledBack) }

// A point is a checkpoint with its records.
type point struct {
	at      graph.Key
	records []graph.Record
}

// remember reads the records of the checkpoint that a resuming run continues from, and those inside
// its tasks. The run adds records to them: answers, and updates of tasks.
func (l *live) remember(app graph.App) error {
	if spec := l.run.Spec; !spec.Resume || spec.Checkpoint != "" || l.adopted {
		return nil
	}
	at, err := app.State(l.ctx, graph.Key{Thread: l.space.saved(l.run.Thread)})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return nil
	}
	if err == nil {
		err = l.rememberAt(at, Graph{App: app})
	}
	return err
}

func (l *live) rememberAt(at *Snapshot, g Graph) error {
	_, records, err := l.space.Checkpointer.Load(l.ctx, at.Key)
	if err != nil {
		return err
	}
	l.former = append(l.former, point{at.Key, records})
	for _, t := range at.Tasks {
		inner, of, err := l.space.Inside(l.ctx, at, g, t.ID)
		if err == nil && inner != nil {
			err = l.rememberAt(inner, of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// undo removes the checkpoints of a run that was rolled back, and plans to remove its records.
func (l *live) undo(ctx context.Context, c *change) error {
	s, r := l.space, l.now()
	thread := s.saved(r.Thread)
	if _, err := graph.DeleteRuns(ctx, s.Checkpointer, thread, r.ID); err != nil {
		return err
	}
	var back graph.Change
	for _, p := range l.former {
		for _, kind := range []graph.RecordKind{graph.RecordUpdate, graph.RecordError, graph.RecordInterrupt, graph.RecordAnswer, graph.RecordOnce} {
			back.Forget = append(back.Forget, graph.Forget{Namespace: p.at.Namespace, Checkpoint: p.at.ID, Kind: kind})
		}
		back.Records = append(back.Records, p.records...)
	}
	if len(back.Forget) > 0 {
		unlock, err := s.Checkpointer.Lock(ctx, thread)
		if err == nil {
			err = s.Checkpointer.Commit(ctx, thread, back)
			unlock()
		}
		if err != nil {
			return err
		}
	}
	s.forget(c, r)
	return s.Log.Remove(ctx, r.ID)
}
