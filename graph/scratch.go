package graph

import "slices"

// EphemeralChannel holds a value for one superstep.
type EphemeralChannel[S, T any] struct{ field[S, T] }

// Ephemeral makes a channel whose value is there for the superstep after the
// one that wrote it, and zero again after that, whether or not anything was
// written. What the run's input writes is there for the first superstep, and
// what the last one writes is in the final state. Two writes in one superstep
// are a conflict. A router reads what its node read, or what its node wrote.
func Ephemeral[S, T any](name string, at func(*S) *T) *EphemeralChannel[S, T] {
	return &EphemeralChannel[S, T]{field[S, T]{channelID{name, KindEphemeral}, at, nil}}
}

func (c *EphemeralChannel[S, T]) clip(*S) {}

// Set writes v.
func (c *EphemeralChannel[S, T]) Set(v T) Write[S] {
	return &write[S, T]{to: &c.field, val: v, op: OpSet}
}

// Overwrite writes v even when other nodes write the channel in the same
// superstep; their writes are discarded. Two overwrites are a conflict.
func (c *EphemeralChannel[S, T]) Overwrite(v T) Write[S] {
	return &write[S, T]{to: &c.field, val: v, op: OpOverwrite}
}

// UntrackedChannel holds the last value written, in memory only.
type UntrackedChannel[S, T any] struct{ field[S, T] }

// Untracked makes a channel like LastValue whose value never leaves the
// process: a connection, a secret, something large that can be made again.
// Encoded updates name the channel without the value, and states of subgraphs
// reach a stream without it. Only the state that a Send carries is saved with it,
// and fails the superstep if JSON does not bring it back.
func Untracked[S, T any](name string, at func(*S) *T) *UntrackedChannel[S, T] {
	return &UntrackedChannel[S, T]{field[S, T]{channelID{name, KindUntracked}, at, nil}}
}

func (c *UntrackedChannel[S, T]) clip(*S) {}

// Set writes v.
func (c *UntrackedChannel[S, T]) Set(v T) Write[S] {
	return &write[S, T]{to: &c.field, val: v, op: OpSet}
}

// Overwrite writes v even when other nodes write the channel in the same
// superstep; their writes are discarded. Two overwrites are a conflict.
func (c *UntrackedChannel[S, T]) Overwrite(v T) Write[S] {
	return &write[S, T]{to: &c.field, val: v, op: OpOverwrite}
}

// saved is the part of a state that may be written down.
func (c *Compiled[S]) saved(state S) S {
	for _, ch := range c.untracked {
		ch.reset(&state)
	}
	return state
}

// expire empties the channels whose superstep is over.
func (c *Compiled[S]) expire(s *S) {
	for _, ch := range c.fleeting {
		ch.reset(s)
	}
}

// noteWrites keeps a superstep's writes for the graph that encloses this run.
func (r *run[S]) noteWrites(results []result[S]) {
	if len(r.fleeting) > 0 {
		r.written = slices.DeleteFunc(r.written, func(w Write[S]) bool {
			id := w.channel()
			return id != nil && id.kind == KindEphemeral
		})
	}
	for i := range results {
		r.written = append(r.written, results[i].update...)
	}
}
