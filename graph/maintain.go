package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// DeleteThread removes a thread from a checkpointer. A missing thread is not an
// error. It takes the thread's lock (ErrThreadBusy).
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

// ErrThreadExists reports that the target of a copy exists.
var ErrThreadExists = errors.New("thread exists")

// CopyThread copies all namespaces, checkpoints and records of a thread in one
// Commit. Its interrupts are pending on the copy too, with the same IDs. It
// locks both threads (ErrThreadBusy). An existing target is ErrThreadExists, a
// missing source ErrNoCheckpoint.
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
	slices.Reverse(change.Add) // parents come first
	var err error
	if change.Records, err = recordsOf(ctx, saver, from, change.Add); err != nil {
		return err
	}
	return saver.Commit(ctx, to, change)
}

// recordsOf returns the records of a thread with these checkpoints.
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

// Sweep deletes the threads that have not changed since olderThan, and returns their number. It
// skips threads that a run changes meanwhile. It also skips busy threads: its error then is
// ErrThreadBusy and names them, after all other threads are deleted.
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

// sweepThread deletes a thread if it is still old under its lock.
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
