package graph

import (
	"context"
	"errors"
	"fmt"
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
	state, err := c.run(ctx, inputOf(in), opts, nil, (*run).begin)
	return *state.(*S), err
}

// Resume goes on with a thread where it was left: after an interrupt, with
// the answers in RunOptions.Resume, after a breakpoint, a failure or a drain, or
// from RunOptions.Checkpoint. What the writes and Commands of with say is merged
// before; nil is none. A thread that has nothing left to run stays as it is. It
// returns what Invoke does.
func (c *Compiled[S]) Resume(ctx context.Context, with Update[S], opts *RunOptions) (S, error) {
	state, err := c.run(ctx, inputOf(with), opts, nil, (*run).resume)
	return *state.(*S), err
}

// inputOf keeps a nil input, which is none.
func inputOf[S any](in Update[S]) update {
	if in == nil {
		return nil
	}
	return in.untyped(make(update, 0, len(in)))
}

// A beginning puts a run where it starts.
type beginning func(r *run, ctx context.Context, in update, opts *RunOptions) error

func (p *program) run(ctx context.Context, in update, opts *RunOptions, out publisher, begin beginning) (any, error) {
	if err := opts.check(); err != nil {
		return p.typ.fresh(), err
	}
	r := newRun(ctx, p, opts)
	if out != nil {
		r.out = out
	}
	if opts != nil && opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.Timeout, &NodeTimeout{"", TimeoutTotal, opts.Timeout, opts.Timeout})
		defer cancel()
	}
	if p.input != nil {
		in = slices.DeleteFunc(in, func(w write) bool {
			if w == nil {
				return false // merge says so
			}
			slot := p.slot(w.channel())
			return slot >= 0 && !p.input[slot]
		})
	}
	err := r.conduct(ctx, opts, func() error { return begin(r, ctx, in, opts) })
	return r.visible(), err
}

// conduct runs the graph from where begin puts it. A checkpointer's panic is
// an error of the run.
func (r *run) conduct(ctx context.Context, opts *RunOptions, begin func() error) (err error) {
	defer recoverAs(&err)
	release, err := r.attach(ctx, opts)
	if err != nil {
		return err
	}
	defer release()
	r.asks = r.keep != nil || r.outer != nil
	if err = r.breaks(opts); err == nil {
		err = begin()
	}
	if err != nil {
		return r.close(err)
	}
	return r.loop(ctx)
}

// close waits until all that the run has made is saved.
func (r *run) close(err error) error {
	if r.keep == nil || r.keep.owner != "" {
		return err
	}
	if late := r.keep.lane.close(); late != nil && !errors.Is(err, late) {
		return notSaved(err, fmt.Errorf("saving the run: %w", late))
	}
	return err
}

// notSaved is the error of a run whose end could not be saved. What is asked
// is then not on record, so that nobody can answer it: the run failed.
func notSaved(err, late error) error {
	if _, stopped := err.(*InterruptedError); stopped {
		return late
	}
	return errors.Join(err, late)
}
