package graph

import "slices"

// EphemeralChannel holds a value for one superstep.
type EphemeralChannel[S, T any] struct{ settable[S, T] }

// Ephemeral makes a channel whose value is there for the superstep after the
// one that wrote it, and zero again after that, whether or not anything was
// written. What the run's input writes is there for the first superstep, and
// what the last one writes is in the final state. Two writes in one superstep
// are a conflict. A router reads what its node read, or what its node wrote.
func Ephemeral[S, T any](name string, at func(*S) *T) *EphemeralChannel[S, T] {
	return &EphemeralChannel[S, T]{settable[S, T]{handleOf(name, KindEphemeral, at, nil)}}
}

// UntrackedChannel holds the last value written, in memory only.
type UntrackedChannel[S, T any] struct{ settable[S, T] }

// Untracked makes a channel like LastValue whose value never leaves the
// process: a connection, a secret, something large that can be made again.
// Encoded updates name the channel without the value, and states of subgraphs
// reach a stream without it. Only the state that a Send carries is saved with it,
// and fails the superstep if JSON does not bring it back.
func Untracked[S, T any](name string, at func(*S) *T) *UntrackedChannel[S, T] {
	return &UntrackedChannel[S, T]{settable[S, T]{handleOf(name, KindUntracked, at, nil)}}
}

// storable is the part of a state that may be written down: the state itself, or a
// copy.
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

// expire empties the channels whose superstep is over.
func (p *program) expire(s any) {
	for _, ch := range p.fleeting {
		ch.reset(s)
	}
}

// ephemeral reports whether a write lasts for a superstep only.
func ephemeral(w write) bool {
	id := w.channel()
	return id != nil && id.kind == KindEphemeral
}

// noteWrites keeps a superstep's writes for the graph that encloses this run.
func (m *machine) noteWrites() {
	if len(m.fleeting) > 0 {
		m.written = slices.DeleteFunc(m.written, ephemeral)
	}
	for i := range m.results {
		m.written = append(m.written, m.results[i].update...)
	}
}
