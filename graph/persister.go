package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Durability says when a run is saved.
type Durability uint8

const (
	// DurabilitySync saves each superstep before the next one begins.
	DurabilitySync Durability = iota
	// DurabilityAsync saves a superstep while the next ones run, in order. A
	// process that dies loses the last supersteps. Everything is saved when the
	// run ends.
	DurabilityAsync
	// DurabilityExit saves once, when the run ends for any reason. A process
	// that dies loses the whole run.
	DurabilityExit
)

// errRunOver is returned to a goroutine that a node left behind.
var errRunOver = errors.New("the run has ended")

// queueLength bounds the commit queue. A run waits while it is full.
const queueLength = 64

// A persister commits the changes of a run and of its subgraphs to the
// checkpointer, one by one, in order.
type persister struct {
	saver  Checkpointer
	clock  func() time.Time
	thread string

	mu   sync.Mutex
	busy bool   // a commit is running
	next *batch // waits for that commit
	err  error  // DurabilityAsync: the first failure; later changes are dropped

	gate   sync.RWMutex  // held during a commit or a queueing
	closed bool          // the run has ended, and nothing is saved any more
	queue  chan queued   // the commit queue of DurabilityAsync
	done   chan struct{} // closed after the last commit of the queue
}

// savingGrace is how long a cancelled run may still save.
const savingGrace = 10 * time.Second

// errGrace cancels a commit that takes longer.
var errGrace = fmt.Errorf("the run was stopped, and its checkpointer has not saved it after %v", savingGrace)

// savingContext returns the context for commits. It ends savingGrace after the
// run's own context, or when stop is called.
func savingContext(ctx context.Context) (saving context.Context, stop func()) {
	saving, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(done)
		grace := time.NewTimer(savingGrace)
		defer grace.Stop()
		select {
		case <-grace.C:
			cancel(errGrace)
		case <-saving.Done():
		}
	})
	return saving, func() {
		cancel(nil)
		if !unhook() {
			<-done
		}
	}
}

// A queued is a change, or a request to acknowledge all changes before it.
type queued struct {
	change Change
	ack    chan struct{}
}

// A batch joins several changes into one commit.
type batch struct {
	change Change
	turn   chan struct{} // closed when the batch may commit
	done   chan struct{} // closed after its commit
	err    error
}

func newPersister(ctx context.Context, p *program, thread string, mode Durability) *persister {
	l := &persister{saver: p.saver, clock: p.clock, thread: thread}
	if mode == DurabilityAsync {
		l.queue, l.done = make(chan queued, queueLength), make(chan struct{})
		go l.drain(ctx)
	}
	return l
}

// drain commits the queue. It drops the changes after a failure, since they
// build on it.
func (l *persister) drain(ctx context.Context) {
	defer close(l.done)
	for q := range l.queue {
		if q.ack != nil {
			close(q.ack)
			continue
		}
		if l.failure() != nil {
			continue
		}
		if err := l.save(ctx, q.change); err != nil {
			l.mu.Lock()
			l.err = err
			l.mu.Unlock()
		}
	}
}

func (l *persister) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// close waits until everything is saved. It may be called again.
func (l *persister) close() error {
	l.gate.Lock()
	if !l.closed && l.queue != nil {
		close(l.queue)
	}
	l.closed = true
	l.gate.Unlock()
	if l.queue == nil {
		return nil
	}
	<-l.done
	return l.err
}

// flush waits until all earlier commits are saved.
func (l *persister) flush() {
	if l.queue == nil {
		return
	}
	ack := make(chan struct{})
	l.gate.RLock()
	if l.closed {
		close(ack)
	} else {
		l.queue <- queued{ack: ack}
	}
	l.gate.RUnlock()
	<-ack
}

// commit saves a change, also when the run is cancelled. Concurrent changes of
// several tasks share one commit.
func (l *persister) commit(ctx context.Context, made *Change) error {
	change := *made
	l.gate.RLock()
	defer l.gate.RUnlock()
	if l.closed {
		return errRunOver
	}
	setTimes(change.Add, l.clock)
	if l.queue != nil {
		if err := l.failure(); err != nil {
			return err
		}
		change.Add = slices.Clone(change.Add) // the caller reuses its array
		l.queue <- queued{change: change}
		return nil
	}
	l.mu.Lock()
	if !l.busy {
		l.busy = true
		l.mu.Unlock()
		err := l.save(ctx, change)
		l.startNext()
		return err
	}
	if b := l.next; b != nil {
		b.change.extend(change)
		l.mu.Unlock()
		<-b.done
		return b.err
	}
	b := &batch{change: change, turn: make(chan struct{}), done: make(chan struct{})}
	l.next = b
	l.mu.Unlock()
	<-b.turn
	b.err = l.save(ctx, b.change)
	close(b.done)
	l.startNext()
	return b.err
}

func (l *persister) save(ctx context.Context, change Change) (err error) {
	defer recoverAs(&err)
	err = l.saver.Commit(ctx, l.thread, change)
	if err != nil && errors.Is(context.Cause(ctx), errGrace) {
		err = fmt.Errorf("%w: %w", errGrace, err)
	}
	return ofCheckpointer(err)
}

// startNext lets the waiting batch commit.
func (l *persister) startNext() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.busy = false
		return
	}
	close(l.next.turn)
	l.next = nil
}

// checkOpen returns errRunOver after the end of the run.
func (l *persister) checkOpen() error {
	l.gate.RLock()
	defer l.gate.RUnlock()
	if l.closed {
		return errRunOver
	}
	return nil
}

// extend adds a run's later change.
func (c *Change) extend(later Change) {
	c.Add = append(c.Add, later.Add...)
	c.Forget = append(c.Forget, later.Forget...)
	c.Records = append(c.Records, later.Records...)
}

// setTimes sets the time of checkpoints with the precision of checkpointers.
func setTimes(list []Checkpoint, clock func() time.Time) {
	for i := range list {
		list[i].Time = time.UnixMicro(clock().UnixMicro()).UTC()
	}
}
