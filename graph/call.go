package graph

import (
	"context"
	"slices"
)

// DefaultRecursionLimit is how many supersteps a run may take when neither its
// options nor the graph's say otherwise.
const DefaultRecursionLimit = 1000

// Invoke runs the graph to its end and returns the final state. When it fails,
// it returns the state of the last superstep that was committed, and the error.
// A run that stops to ask did not fail: the state has what tasks beside those
// that ask have written, as that of State has.
//
// On a thread that exists it begins a turn: what was left to run is given up.
// Resume goes on with it.
func (c *Compiled[S]) Invoke(ctx context.Context, in Update[S], opts *RunOptions) (S, error) {
	state, err := c.plain.run(ctx, inputOf(in), opts, nil, (*machine).begin)
	return *state.(*S), err
}

// Resume goes on with a thread where it was left: after an interrupt, with
// the answers in RunOptions.Resume, after a breakpoint, a failure or a drain, or
// from RunOptions.Checkpoint. What the writes and Commands of with say is merged
// before; nil is none. A thread that has nothing left to run stays as it is. It
// returns what Invoke does.
func (c *Compiled[S]) Resume(ctx context.Context, with Update[S], opts *RunOptions) (S, error) {
	state, err := c.plain.run(ctx, inputOf(with), opts, nil, (*machine).resume)
	return *state.(*S), err
}

// inputOf keeps a nil input, which is none.
func inputOf[S any](in Update[S]) update {
	if in == nil {
		return nil
	}
	return in.untyped(make(update, 0, len(in)))
}

// allowed is an input without the channels that the graph does not take.
func (p *program) allowed(in update) update {
	if p.input == nil || in == nil {
		return in
	}
	return slices.DeleteFunc(in, func(w write) bool { // merge complains of nil and of what is unknown
		return w != nil && p.slot(w.channel()) >= 0 && !hasChannel(p.input, w.channel())
	})
}
