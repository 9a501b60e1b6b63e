package graph

import "slices"

// EphemeralChannel holds a value for one superstep.
type EphemeralChannel[S, T any] struct{ settable[S, T] }

// Ephemeral makes a channel for one superstep. A value written in one superstep
// is visible in the next, and zero after that. The input's value is visible in
// the first superstep. The last superstep's value is in the final state. Two
// writes in one superstep are a conflict. A router sees the value that its node
// read or wrote.
func Ephemeral[S, T any](name string, at func(*S) *T) *EphemeralChannel[S, T] {
	return &EphemeralChannel[S, T]{settable[S, T]{handleOf(name, KindEphemeral, at, nil)}}
}

// UntrackedChannel holds the last value written, in memory only.
type UntrackedChannel[S, T any] struct{ settable[S, T] }

// Untracked makes a channel like LastValue whose value stays in the process: a
// connection, a secret, a large value that can be computed again. Encoded
// updates name the channel without the value. States of subgraphs reach a
// stream without it. Only a Send is saved with the value, and fails the
// superstep when JSON does not bring it back.
func Untracked[S, T any](name string, at func(*S) *T) *UntrackedChannel[S, T] {
	return &UntrackedChannel[S, T]{settable[S, T]{handleOf(name, KindUntracked, at, nil)}}
}

// storable returns a state without its Untracked values. It copies only when
// the graph has such channels.
func (p *program) storable(state any) any {
	if len(p.untracked) == 0 {
		return state
	}
	own := p.typ.copyOf(state)
	for _, ch := range p.untracked {
		ch.reset(own)
	}
	return own
}

// expire resets the Ephemeral channels.
func (p *program) expire(s any) {
	for _, ch := range p.fleeting {
		ch.reset(s)
	}
}

// ephemeral reports whether a write is to an Ephemeral channel.
func ephemeral(w write) bool {
	id := w.channel()
	return id != nil && id.kind == KindEphemeral
}

// noteWrites collects a superstep's writes for the outer graph.
func (pos *position) noteWrites() {
	if len(pos.program.fleeting) > 0 {
		pos.written = slices.DeleteFunc(pos.written, ephemeral)
	}
	for i := range pos.results {
		pos.written = append(pos.written, pos.results[i].update...)
	}
}
