package eventlog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sort"
	"sync"
	"time"
)

// An Entry is an event in the log.
type Entry struct {
	Seq  int64 // 1, 2, 3 … in each run
	Data json.RawMessage
}

// rows store the events of runs.
type rows interface {
	// append adds batches to the events of their runs in one transaction, and sets the first number
	// of each batch. The batches are sorted by run. When the commit itself fails, the numbers are
	// set, and the events may be stored.
	append(ctx context.Context, batches []*batch) error
	page(ctx context.Context, run string, after int64, limit int) ([]Entry, error)
	last(ctx context.Context, run string) (int64, error)
	remove(ctx context.Context, run string) error
	sweep(ctx context.Context, before time.Time) (int, error)
	// listen calls heard for each run that another process writes, until ctx ends.
	listen(ctx context.Context, heard func(run string))
	close() error
}

// A batch holds events of one run that are written together.
type batch struct {
	run    string
	events []json.RawMessage
	first  int64 // the number of the first of them, once append has chosen it
}

// A Log holds the events of all runs in one file or schema.
type Log struct {
	rows rows

	mu        sync.Mutex
	tails     map[string]*tail // of runs that this process writes or reads
	waiting   map[string]*batch
	writing   map[string]*batch
	size      int        // bytes waiting or being written
	room      *sync.Cond // there is room again
	more      chan struct{}
	closed    bool
	done      chan struct{} // the writer has ended
	listening chan struct{} // closed when listen has ended; nil before the first reader
	stop      context.CancelFunc
}

// tail is the end of a run's events, with its recorders' errors and its readers.
type tail struct {
	recorders int
	failed    error   // why events are lost
	entries   []Entry // the last ones, without a gap
	bytes     int
	readers   map[chan struct{}]bool // each is woken for new events
}

const (
	// maxRead is how many events one query reads.
	maxRead = 500
	// The last events of a run stay in memory, up to these bounds.
	maxTail, maxTailBytes = 512, 1 << 20
	// maxWaiting is how many bytes may wait for the disk before Add waits.
	maxWaiting = 32 << 20
	// pulse is how often readers look without being woken.
	pulse = time.Second
)

func newLog(r rows) *Log {
	l := &Log{rows: r, tails: map[string]*tail{}, waiting: map[string]*batch{}, more: make(chan struct{}, 1), done: make(chan struct{})}
	l.room = sync.NewCond(&l.mu)
	go l.write()
	return l
}

// Close writes all added events, and closes the file if the log has one. The log and its recorders
// must not be used afterwards.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	stop, listening := l.stop, l.listening
	l.mu.Unlock()
	close(l.more)
	<-l.done
	if stop != nil {
		stop()
		<-listening
	}
	return l.rows.close()
}

// Read yields the events of a run after number after, in order, and waits for more. It ends with
// ctx, whose error is the last element, with an error of the database, or when until is closed and
// all events that exist by then are yielded.
func (l *Log) Read(ctx context.Context, run string, after int64, until <-chan struct{}) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		l.listen()
		woken, leave := l.join(run)
		defer leave()
		look := time.NewTimer(pulse)
		defer look.Stop()
		for ended := false; ; {
			list, full, err := l.behind(ctx, run, after)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range list {
				after = e.Seq
				if !yield(e, nil) {
					return
				}
			}
			if full {
				continue
			}
			if ended {
				return
			}
			look.Reset(pulse)
			select {
			case <-woken:
			case <-look.C:
			case <-until:
				ended = true
			case <-ctx.Done():
				yield(Entry{}, context.Cause(ctx))
				return
			}
		}
	}
}

// behind returns events after a number, and whether there may be more already.
func (l *Log) behind(ctx context.Context, run string, after int64) (_ []Entry, full bool, err error) {
	l.mu.Lock()
	if t := l.tails[run]; t != nil && len(t.entries) > 0 && t.entries[0].Seq <= after+1 {
		at := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].Seq > after })
		list := t.entries[at:] // entries never change, and a full list is copied
		l.mu.Unlock()
		return list[:len(list):len(list)], false, nil
	}
	l.mu.Unlock()
	list, err := l.Page(ctx, run, after)
	return list, len(list) == maxRead, err
}

// Page returns the existing events of a run after a number, in order, at most 500.
func (l *Log) Page(ctx context.Context, run string, after int64) ([]Entry, error) {
	list, err := l.rows.page(ctx, run, after, maxRead)
	if err != nil {
		return nil, fmt.Errorf("reading the events of run %q: %w", run, err)
	}
	return list, nil
}

// Last returns the number of the run's last event, 0 if it has none.
func (l *Log) Last(ctx context.Context, run string) (seq int64, err error) {
	if seq, err = l.rows.last(ctx, run); err != nil {
		return 0, fmt.Errorf("reading the events of run %q: %w", run, err)
	}
	return seq, nil
}

// Remove removes the events of a run. Nobody may be writing it.
func (l *Log) Remove(ctx context.Context, run string) error {
	if err := l.rows.remove(ctx, run); err != nil {
		return fmt.Errorf("removing the events of run %q: %w", run, err)
	}
	return nil
}

// Sweep removes the events written before a time, and returns their number.
func (l *Log) Sweep(ctx context.Context, before time.Time) (int, error) {
	n, err := l.rows.sweep(ctx, before)
	if err != nil {
		return 0, fmt.Errorf("removing old events: %w", err)
	}
	return n, nil
}

// join returns a channel that wakes a reader of a run, and a function that ends this.
func (l *Log) join(run string) (woken <-chan struct{}, leave func()) {
	wake := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail(run).readers[wake] = true
	return wake, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.tail(run).readers, wake)
		l.drop(run)
	}
}

// listen starts to receive other processes' events.
func (l *Log) listen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listening != nil || l.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop, l.listening = stop, make(chan struct{})
	go func() {
		defer close(l.listening)
		l.rows.listen(ctx, l.wake)
	}()
}

// tail returns the tail of a run. The caller holds mu.
func (l *Log) tail(run string) *tail {
	t := l.tails[run]
	if t == nil {
		t = &tail{readers: map[chan struct{}]bool{}}
		l.tails[run] = t
	}
	return t
}

// drop forgets an unused tail. The caller holds mu.
func (l *Log) drop(run string) {
	if t := l.tails[run]; t.recorders == 0 {
		t.entries, t.bytes = nil, 0
		if len(t.readers) == 0 {
			delete(l.tails, run)
		}
	}
}

// wake wakes the readers of a run.
func (l *Log) wake(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.tails[run]; t != nil {
		t.wake()
	}
}

func (t *tail) wake() {
	for wake := range t.readers {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}
