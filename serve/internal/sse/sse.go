// Package sse sends server-sent events: it begins the answer, and sends what comes until the
// client leaves. The wires and the pages share it, and each writes its events in its own form.
package sse

import (
	"context"
	"io"
	"iter"
	"net/http"
	"time"
)

// A Stream is an answer that consists of events.
type Stream struct {
	http.ResponseWriter
	out *http.ResponseController
}

// Open begins the answer. It reports false if the client has left.
func Open(w http.ResponseWriter) (*Stream, bool) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not wait for more
	w.WriteHeader(http.StatusOK)
	s := &Stream{w, http.NewResponseController(w)}
	return s, s.Flush() == nil
}

// Flush sends what was written.
func (s *Stream) Flush() error { return s.out.Flush() }

// Options say how a stream is kept open.
type Options struct {
	Heartbeat time.Duration // how often a silent stream sends a comment
	Comment   string        // the comment, such as "heartbeat"
	Closed    <-chan struct{}
	// Stay reports whether the stream goes on to its end although Closed is closed. Default: it
	// ends, and the client comes back.
	Stay func() bool
}

// Follow writes items as they come. It reports whether it came to their end, with their error;
// else the client has left, or the server closes. Items are made in another goroutine, and stop
// when their context ends.
func Follow[T any](ctx context.Context, s *Stream, o Options, items func(context.Context) iter.Seq2[T, error], write func(T) error) (ended bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	list := make(chan T, 64)
	var failed error
	go func() {
		defer close(list)
		for item, err := range items(ctx) {
			if err != nil {
				failed = err
				return
			}
			select {
			case list <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	silent := time.NewTicker(o.Heartbeat)
	defer silent.Stop()
	for {
		var left error
		select {
		case item, more := <-list:
			if !more {
				return true, failed
			}
			left = write(item)
		case <-silent.C:
			_, left = io.WriteString(s, ": "+o.Comment+"\n\n")
		case <-o.Closed:
			if o.Stay == nil || !o.Stay() {
				return false, nil
			}
			o.Closed = nil
		case <-ctx.Done():
			return false, nil
		}
		if left == nil && len(list) == 0 {
			left = s.Flush()
		}
		if left != nil {
			return false, nil
		}
	}
}
