package graph

import (
	"context"
	"slices"
)

// DefaultRecursionLimit is the limit in supersteps of a run without its own, in
// a graph without its own.
const DefaultRecursionLimit = 1000

// Invoke runs the graph to its end and returns the final state. A failed run
// returns the last committed state and the error. An interrupted run did not
// fail: like State, it includes the writes of finished tasks.
//
// On an existing thread it begins a turn and drops the tasks that are due.
// Resume continues them.
func (c *Compiled[S]) Invoke(ctx context.Context, in Update[S], opts *RunOptions) (S, error) {
	return c.call(ctx, in, opts, (*position).begin)
}

// Resume continues a thread: after an interrupt with the answers in
// RunOptions.Resume, after a breakpoint, a failure or a drain, or from
// RunOptions.Checkpoint. It first merges the writes and Commands of with; nil
// is none. A thread with nothing left to run does not change. Resume returns
// what Invoke returns.
func (c *Compiled[S]) Resume(ctx context.Context, with Update[S], opts *RunOptions) (S, error) {
	return c.call(ctx, with, opts, (*position).resume)
}

func (c *Compiled[S]) call(ctx context.Context, in Update[S], opts *RunOptions, begin beginning) (out S, err error) {
	err = c.plain.run(ctx, inputOf(in), opts, nil, begin, func(state any) { out = *state.(*S) })
	return out, err
}

// inputOf keeps a nil input, which means none.
func inputOf[S any](in Update[S]) update {
	if in == nil {
		return nil
	}
	return in.untyped(make(update, 0, len(in)))
}

// allowed removes writes to channels outside the graph's Input.
func (p *program) allowed(in update) update {
	if p.input == nil || in == nil {
		return in
	}
	return slices.DeleteFunc(in, func(w write) bool { // merge reports nil and unknown channels
		return w != nil && p.slot(w.channel()) >= 0 && !hasChannel(p.input, w.channel())
	})
}
