package graph

import (
	"context"
	"iter"
	"sync"
	"time"
)

// streamBuffer is how many events a reader may fall behind before nodes wait.
const streamBuffer = 64

// Stream runs the graph and yields its events. A failure is the last element,
// with a zero event. Breaking off the loop cancels the run and waits for it:
// when the loop is left, nothing of the run goes on.
//
// A reader that falls behind slows the run down; no event is dropped.
func (c *Compiled[S]) Stream(ctx context.Context, in Update[S], opts *RunOptions) iter.Seq2[Event[S], error] {
	return c.stream(ctx, in, opts, (*run[S]).begin)
}

// StreamResume goes on with a thread, as Resume does, and yields the events.
func (c *Compiled[S]) StreamResume(ctx context.Context, with Update[S], opts *RunOptions) iter.Seq2[Event[S], error] {
	return c.stream(ctx, with, opts, (*run[S]).resume)
}

func (c *Compiled[S]) stream(ctx context.Context, in Update[S], opts *RunOptions, begin beginning[S]) iter.Seq2[Event[S], error] {
	return func(yield func(Event[S], error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		s := &stream[S]{modes: Updates, events: make(chan Event[S], streamBuffer), gone: make(chan struct{})}
		if opts != nil && opts.Modes != 0 {
			s.modes = opts.Modes
		}
		err := errNotFinished // stands when a node ends the run's goroutine
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer s.close()
			_, err = c.run(ctx, in, opts, s, begin)
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
			yield(Event[S]{}, err)
		}
	}
}

// stream carries a run's events to its reader, one at a time.
type stream[S any] struct {
	modes  Mode
	mu     sync.Mutex // held while sending, so that order is one
	closed bool       // no run sends any more; what a node left behind may try
	events chan Event[S]
	gone   chan struct{} // closed when nobody reads any more
}

func (s *stream[S]) wants(k EventKind) bool { return s.modes.wants(k) }

// send delivers an event unless the reader has left.
func (s *stream[S]) send(ev Event[S]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	ev.Time = time.Now()
	select {
	case s.events <- ev:
	case <-s.gone:
	}
}

func (s *stream[S]) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	close(s.events)
}

// publish takes an event from inside a node.
func (s *stream[S]) publish(ev foreign) { s.send(retype[S](ev)) }

// nested is the stream of a graph that runs inside a node of another.
type nested[S any] struct {
	outer *task
	name  string
	graph *Compiled[S]
}

func (n nested[S]) wants(k EventKind) bool { return n.outer.listens(k) }

func (n nested[S]) send(ev Event[S]) {
	out := retype[struct{}](ev)
	switch ev.Kind {
	case NodeUpdate:
		out.Data, out.Err = ev.UpdateJSON()
	case StateValue:
		out.Data, out.Err = encode(n.graph.saved(ev.State))
	}
	n.publish(out)
}

func (n nested[S]) publish(ev foreign) {
	ev.Namespace = joinPath(n.name, ev.Namespace)
	ev.Places = append([]Place{n.outer.at()}, ev.Places...)
	n.outer.deliver(ev)
}

func joinPath(outer, inner string) string {
	if inner == "" {
		return outer
	}
	return outer + "/" + inner
}

// retype copies an event without what is typed by the graph.
func retype[T, S any](ev Event[S]) Event[T] {
	return Event[T]{
		Kind: ev.Kind, Namespace: ev.Namespace, Places: ev.Places, Step: ev.Step, Node: ev.Node, Attempt: ev.Attempt,
		Time: ev.Time, Elapsed: ev.Elapsed, Graph: ev.Graph, Fingerprint: ev.Fingerprint,
		Nodes: ev.Nodes, Waiting: ev.Waiting, Cached: ev.Cached, Replayed: ev.Replayed, Name: ev.Name, Text: ev.Text, Data: ev.Data, Err: ev.Err,
		Interrupts: ev.Interrupts, Checkpoint: ev.Checkpoint, Parent: ev.Parent, Source: ev.Source,
	}
}
