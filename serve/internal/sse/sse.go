// Package sse sends server-sent events until the client leaves. The protocols and the pages share
// it, and each formats its own events.
package sse

import (
	"context"
	"io"
	"iter"
	"net/http"
	"time"
)

// A Stream is an answer of events.
type Stream struct {
	http.ResponseWriter
	out *http.ResponseController
}

// Open begins the answer. It returns false if the client has left.
func Open(w http.ResponseWriter) (*Stream, bool) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy must not buffer events
	w.WriteHeader(http.StatusOK)
	s := &Stream{w, http.NewResponseController(w)}
	return s, s.Flush() == nil
}

// Flush sends the events written so far.
func (s *Stream) Flush() error { return s.out.Flush() }

// Options configure how a stream is kept open.
type Options struct {
	Heartbeat time.Duration // how often a silent stream sends a comment
	Comment   string        // the comment, such as "heartbeat"
	Closed    <-chan struct{}
	// Stay reports whether the stream continues to its end after Closed is closed. Default: it
	// ends, and the client reconnects.
	Stay func() bool
}

// Follow writes items as they come. It returns true and their error when they end, and false when
// the client has left or the server closes. Items are produced in another goroutine, which stops
// when its context ends.
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
