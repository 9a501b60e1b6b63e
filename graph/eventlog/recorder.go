package eventlog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Recorder writes the events of one run. Any number of goroutines may use it.
type Recorder struct {
	log *Log
	run string
}

// Recorder returns a recorder for a run. The caller closes it before the log.
func (l *Log) Recorder(run string) *Recorder {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail(run).recorders++
	return &Recorder{l, run}
}

// Add adds an event. The recorder keeps data. It waits only while too many bytes wait for the disk.
func (r *Recorder) Add(data json.RawMessage) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.size > maxWaiting && !l.closed {
		l.room.Wait()
	}
	if l.closed {
		l.tail(r.run).fail(r.run, errClosed)
		return
	}
	b := l.waiting[r.run]
	if b == nil {
		b = &batch{run: r.run}
		l.waiting[r.run] = b
	}
	b.events = append(b.events, data)
	l.size += len(data)
	select {
	case l.more <- struct{}{}:
	default:
	}
}

var errClosed = errors.New("the log is closed")

// fail keeps the first reason why events of a run are lost. The caller holds mu.
func (t *tail) fail(run string, err error) {
	if t.failed == nil {
		t.failed = fmt.Errorf("writing the events of run %q: %w", run, err)
	}
}

// Close waits until all events are in the log, or ctx ends. Its error says why some are not.
func (r *Recorder) Close(ctx context.Context) error {
	err := r.Flush(ctx)
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tail(r.run)
	if t.recorders--; t.recorders == 0 {
		t.failed = nil
	}
	l.drop(r.run)
	return err
}

// Flush waits until all added events are in the log, or ctx ends. Its error says why some are not.
func (r *Recorder) Flush(ctx context.Context) error {
	l := r.log
	woken, leave := l.join(r.run)
	defer leave()
	for {
		l.mu.Lock()
		waits, failed := l.waiting[r.run] != nil || l.writing[r.run] != nil, l.tail(r.run).failed
		l.mu.Unlock()
		if !waits {
			return failed
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return fmt.Errorf("writing the events of run %q: %w", r.run, context.Cause(ctx))
		}
	}
}

// write writes what recorders add until the log is closed.
func (l *Log) write() {
	defer close(l.done)
	for open := true; open; {
		_, open = <-l.more
		l.mu.Lock()
		l.writing, l.waiting = l.waiting, map[string]*batch{}
		list := slices.Collect(maps.Values(l.writing))
		l.mu.Unlock()
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b *batch) int { return cmp.Compare(a.run, b.run) })
		err := l.rows.append(context.Background(), list)
		for _, b := range list {
			own := err
			switch {
			case err == nil:
			case l.there(b):
				own = nil
			case len(list) > 1: // an error for one run must not lose another run's events
				own = l.rows.append(context.Background(), []*batch{b})
			}
			l.written(b, own)
		}
	}
}

// there reports whether events were written although append returned an error: a connection can
// break after the server has committed. It compares them byte by byte where append has put them.
func (l *Log) there(b *batch) bool {
	if b.first == 0 {
		return false
	}
	found, err := l.rows.page(context.Background(), b.run, b.first-1, len(b.events))
	return err == nil && slices.EqualFunc(found, b.events, func(e Entry, data json.RawMessage) bool { return string(e.Data) == string(data) })
}

// written keeps the last events of a run in memory, and wakes its readers and waiting recorders.
func (l *Log) written(b *batch, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.writing, b.run)
	for _, data := range b.events {
		l.size -= len(data)
	}
	l.room.Broadcast()
	t := l.tail(b.run)
	if err != nil {
		t.fail(b.run, err)
		t.entries, t.bytes = nil, 0
	} else if t.recorders > 0 {
		t.keep(b)
	}
	t.wake()
	l.drop(b.run)
}

// keep adds written events to those in memory. Readers hold parts of the list.
func (t *tail) keep(b *batch) {
	if n := len(t.entries); n > 0 && t.entries[n-1].Seq+1 != b.first {
		t.entries, t.bytes = nil, 0 // another process also writes this run
	}
	for i, data := range b.events {
		t.entries = append(t.entries, Entry{b.first + int64(i), data})
		t.bytes += len(data)
	}
	drop := 0
	for ; len(t.entries)-drop > maxTail || t.bytes > maxTailBytes && drop < len(t.entries); drop++ {
		t.bytes -= len(t.entries[drop].Data)
	}
	if drop > 0 {
		t.entries = slices.Clone(t.entries[drop:])
	}
}
