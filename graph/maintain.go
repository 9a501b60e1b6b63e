package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// DeleteThread removes all that a checkpointer has of a thread. One that does
// not exist is no error. It takes the thread's lock: ErrThreadBusy.
func DeleteThread(ctx context.Context, saver Checkpointer, thread string) error {
	unlock, err := saver.Lock(ctx, thread)
	if err != nil {
		return fmt.Errorf("deleting thread %q: %w", thread, err)
	}
	defer unlock()
	if err := saver.Commit(ctx, thread, Change{Clear: true}); err != nil {
		return fmt.Errorf("deleting thread %q: %w", thread, err)
	}
	return nil
}

// ErrThreadExists is a copy onto a thread that exists.
var ErrThreadExists = errors.New("thread exists")

// CopyThread copies a thread: all namespaces, checkpoints and records, in one
// Commit. What is pending on it is pending on the copy, under the same IDs. It
// takes the locks of both threads (ErrThreadBusy). A target that exists is
// ErrThreadExists, a source that does not ErrNoCheckpoint.
func CopyThread(ctx context.Context, saver Checkpointer, from, to string) error {
	if err := copyThread(ctx, saver, from, to); err != nil {
		return fmt.Errorf("copying thread %q to %q: %w", from, to, err)
	}
	return nil
}

func copyThread(ctx context.Context, saver Checkpointer, from, to string) error {
	if from == to {
		return ErrThreadExists
	}
	for _, thread := range []string{from, to} {
		unlock, err := saver.Lock(ctx, thread)
		if err != nil {
			return err
		}
		defer unlock()
	}
	for _, err := range saver.List(ctx, Query{Thread: to, All: true, Limit: 1}) {
		if err != nil {
			return err
		}
		return ErrThreadExists
	}
	var change Change
	for c, err := range saver.List(ctx, Query{Thread: from, All: true}) {
		if err != nil {
			return err
		}
		change.Add = append(change.Add, c)
	}
	if change.Add == nil {
		return ErrNoCheckpoint
	}
	slices.Reverse(change.Add) // what others come from comes before them
	var err error
	if change.Records, err = recordsOf(ctx, saver, from, change.Add); err != nil {
		return err
	}
	return saver.Commit(ctx, to, change)
}

// recordsOf are the records of a thread that has these checkpoints.
func recordsOf(ctx context.Context, saver Checkpointer, thread string, checkpoints []Checkpoint) ([]Record, error) {
	if all, ok := saver.(RecordReader); ok {
		return all.Records(ctx, thread)
	}
	var out []Record
	for _, c := range checkpoints {
		_, records, err := saver.Load(ctx, Key{thread, c.Namespace, c.ID})
		if err != nil {
			return nil, err
		}
		out = append(out, records...)
	}
	return out, nil
}

// Sweep deletes the threads that have not changed since a time, and returns how
// many. Threads that are busy, or that a run takes up meanwhile, it passes over;
// the busy ones it names in the error, which is ErrThreadBusy then, after all
// others are deleted.
func Sweep(ctx context.Context, saver Checkpointer, olderThan time.Time) (threads int, err error) {
	var old []string
	for t, err := range saver.Threads(ctx) {
		if err != nil {
			return 0, fmt.Errorf("sweeping threads: %w", err)
		}
		if t.Updated.Before(olderThan) {
			old = append(old, t.ID)
		}
	}
	var busy []error
	for _, thread := range old {
		swept, err := sweepThread(ctx, saver, thread, olderThan)
		switch {
		case errors.Is(err, ErrThreadBusy):
			busy = append(busy, fmt.Errorf("passing over thread %q: %w", thread, err))
		case err != nil:
			return threads, fmt.Errorf("sweeping thread %q: %w", thread, err)
		case swept:
			threads++
		}
	}
	return threads, errors.Join(busy...)
}

// sweepThread looks once more, with the lock, whether the thread is old.
func sweepThread(ctx context.Context, saver Checkpointer, thread string, olderThan time.Time) (bool, error) {
	unlock, err := saver.Lock(ctx, thread)
	if err != nil {
		return false, err
	}
	defer unlock()
	for c, err := range saver.List(ctx, Query{Thread: thread, All: true}) {
		if err != nil {
			return false, err
		}
		if !c.Time.Before(olderThan) {
			return false, nil
		}
	}
	return true, saver.Commit(ctx, thread, Change{Clear: true})
}
