package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"example.com/assay/graph"
)

// ErrFault is in the chain of every error that a FaultySaver injects.
var ErrFault = errors.New("injected fault")

// A FaultySaver is a checkpointer with one failing call. It counts calls of Lock, Commit, Load,
// List and Threads; List and Threads count when a loop over them begins.
type FaultySaver struct {
	saver graph.Checkpointer
	at    int64
	lossy bool
	calls atomic.Int64
}

var _ graph.Checkpointer = (*FaultySaver)(nil)

// Faulty returns a saver whose n-th call, counted from 1, fails and does nothing. With n = 0 no
// call fails, which counts the calls of a program.
func Faulty(saver graph.Checkpointer, n int) *FaultySaver {
	return &FaultySaver{saver: saver, at: int64(n)}
}

// Lossy is like Faulty, but an n-th call that is a Commit takes effect and then fails, as when the
// store's answer is lost on the way.
func Lossy(saver graph.Checkpointer, n int) *FaultySaver {
	return &FaultySaver{saver: saver, at: int64(n), lossy: true}
}

// Calls returns how many calls were made, the failed one included.
func (f *FaultySaver) Calls() int { return int(f.calls.Load()) }

// Lock implements graph.Checkpointer. Unlocking does not count and never fails.
func (f *FaultySaver) Lock(ctx context.Context, thread string) (unlock func(), err error) {
	if err := f.call("Lock"); err != nil {
		return nil, err
	}
	return f.saver.Lock(ctx, thread)
}

// Commit implements graph.Checkpointer.
func (f *FaultySaver) Commit(ctx context.Context, thread string, change graph.Change) error {
	fault := f.call("Commit")
	if fault != nil && !f.lossy {
		return fault
	}
	if err := f.saver.Commit(ctx, thread, change); err != nil {
		return err
	}
	return fault
}

// Load implements graph.Checkpointer.
func (f *FaultySaver) Load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	if err := f.call("Load"); err != nil {
		return nil, nil, err
	}
	return f.saver.Load(ctx, key)
}

// List implements graph.Checkpointer.
func (f *FaultySaver) List(ctx context.Context, query graph.Query) iter.Seq2[graph.Checkpoint, error] {
	return faultySeq(f, "List", f.saver.List(ctx, query))
}

// Threads implements graph.Checkpointer.
func (f *FaultySaver) Threads(ctx context.Context) iter.Seq2[graph.Thread, error] {
	return faultySeq(f, "Threads", f.saver.Threads(ctx))
}

func faultySeq[T any](f *FaultySaver, name string, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := f.call(name); err != nil {
			var none T
			yield(none, err)
			return
		}
		seq(yield)
	}
}

// call counts a call and returns its fault, if it has one.
func (f *FaultySaver) call(name string) error {
	n := f.calls.Add(1)
	if n != f.at {
		return nil
	}
	return fmt.Errorf("call %d, a %s: %w", n, name, ErrFault)
}
