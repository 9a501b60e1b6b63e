package eventlog

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// A Recorder writes the events of one run, as many at a time as came meanwhile. Any
// number of goroutines may use it.
type Recorder struct {
	log     *Log
	run     string
	mu      sync.Mutex
	waiting []json.RawMessage
	err     error // the first failure; what comes after it is dropped
	more    chan struct{}
	done    chan struct{}
}

// Recorder begins to write events of a run. The caller closes it.
func (l *Log) Recorder(run string) *Recorder {
	r := &Recorder{log: l, run: run, more: make(chan struct{}, 1), done: make(chan struct{})}
	go r.write()
	return r
}

// Add adds an event. The recorder keeps data.
func (r *Recorder) Add(data json.RawMessage) {
	r.mu.Lock()
	r.waiting = append(r.waiting, data)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// Close waits until all events are in the log, or ctx ends. It returns why some are not.
func (r *Recorder) Close(ctx context.Context) error {
	close(r.more)
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("writing the events of run %q: %w", r.run, context.Cause(ctx))
	}
}

func (r *Recorder) write() {
	defer close(r.done)
	for open := true; open; {
		_, open = <-r.more
		r.mu.Lock()
		list := r.waiting
		r.waiting = nil
		r.mu.Unlock()
		if len(list) == 0 || r.err != nil {
			continue
		}
		if err := r.log.append(context.Background(), r.run, list); err != nil {
			r.err = fmt.Errorf("writing the events of run %q: %w", r.run, err)
		}
	}
}
