package graph

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

// streamBuffer is how many events a reader may fall behind before nodes wait.
const streamBuffer = 64

// Stream runs the graph and yields its events. A failure is the last element,
// with a zero event. Breaking the loop cancels the run and waits for its end.
//
// A slow reader slows the run down. No event is dropped.
func (c *Compiled[S]) Stream(ctx context.Context, in Update[S], opts *RunOptions) iter.Seq2[Event[S], error] {
	return mapped(c.plain.stream(ctx, inputOf(in), opts, (*position).begin), eventOf[S])
}

// StreamResume continues a thread as Resume does, and yields the events.
func (c *Compiled[S]) StreamResume(ctx context.Context, with Update[S], opts *RunOptions) iter.Seq2[Event[S], error] {
	return mapped(c.plain.stream(ctx, inputOf(with), opts, (*position).resume), eventOf[S])
}

// mapped converts the values of a sequence.
func mapped[A, B any](from iter.Seq2[A, error], convert func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for v, err := range from {
			if !yield(convert(v), err) {
				return
			}
		}
	}
}

func (p *program) stream(ctx context.Context, in update, opts *RunOptions, begin beginning) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		s := &stream{modes: Updates, events: make(chan event, streamBuffer), gone: make(chan struct{}), typ: p.typ}
		own := noOptions
		if opts != nil {
			own = *opts
		}
		if own.Modes != 0 {
			s.modes = own.Modes
		}
		if taskFrom(ctx) != nil {
			own.caller = goroutine()
		}
		err := errNotFinished // kept when a node ends the run's goroutine
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer s.close()
			err = p.run(ctx, in, &own, s, begin, func(any) {})
		}()
		stopped := false
		defer func() { // also when yield panics
			close(s.gone)
			cancel()
			<-done
		}()
		for ev := range s.events {
			if !yield(ev, nil) {
				stopped = true
				break
			}
		}
		if stopped {
			return
		}
		<-done
		if err != nil {
			yield(event{}, err)
		}
	}
}

// A publisher takes a run's events.
type publisher interface {
	wanted() Mode
	publish(event)
}

// A stream passes a run's events to its reader, one at a time.
type stream struct {
	modes  Mode
	typ    stateType
	mu     sync.Mutex // held while sending, for one order of events
	closed bool       // no run sends any more, but goroutines that a node left behind may try
	events chan event
	gone   chan struct{} // closed when the reader has left
}

func (s *stream) wanted() Mode { return s.modes }

// publish delivers an event unless the reader has left.
func (s *stream) publish(ev event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	ev.Time = time.Now()
	ev.update = slices.Clone(ev.update) // the run uses both again
	if ev.state != nil {
		ev.state = s.typ.copyOf(ev.state)
	}
	select {
	case s.events <- ev:
	case <-s.gone:
	}
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	close(s.events)
}

// nested is the stream of a graph inside a node.
type nested struct {
	outer *task
	name  string
	graph *program
}

func (n nested) wanted() Mode { return n.outer.run.modes }

// publish forwards an event. It encodes updates and states, since their types
// differ from the outer graph's.
func (n nested) publish(ev event) {
	out := event{foreign: ev.foreign}
	switch {
	case ev.Namespace != "":
	case ev.Kind == NodeUpdate:
		out.Data, out.Err = appendUpdate(nil, ev.update)
	case ev.Kind == StateValue:
		out.Data, out.Err = encode(n.graph.storable(ev.state))
	}
	out.Namespace = joinPath(n.name, ev.Namespace)
	out.Places = append([]Place{n.outer.at()}, ev.Places...)
	if ids := n.outer.ids(); ids != nil {
		out.tasks.ids = append(ids, ev.tasks.ids...)
	}
	n.outer.publish(out)
}

func joinPath(outer, inner string) string {
	if inner == "" {
		return outer
	}
	return outer + "/" + inner
}
