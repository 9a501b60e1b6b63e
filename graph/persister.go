package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Durability says when the checkpointer has what a run made.
type Durability uint8

const (
	// DurabilitySync saves each superstep before the next one begins.
	DurabilitySync Durability = iota
	// DurabilityAsync saves a superstep while the next ones run, in order. A
	// process that dies loses the last ones; a run that ends has saved all.
	DurabilityAsync
	// DurabilityExit saves once, when the run ends, however it ends. A process
	// that dies loses what the run has done.
	DurabilityExit
)

// errRunOver is what a goroutine gets that a node left behind.
var errRunOver = errors.New("the run has ended")

// queueLength is how many changes may wait to be saved before a run waits.
const queueLength = 64

// A persister carries the changes of a run, and of the graphs in it, to the
// checkpointer: one after the other, in the order in which they were made.
type persister struct {
	saver  Checkpointer
	clock  func() time.Time
	thread string

	mu   sync.Mutex
	busy bool   // a change is being saved
	next *batch // those that wait for that
	err  error  // DurabilityAsync: the first failure; nothing is saved after it

	gate  sync.RWMutex  // held while something is saved or queued
	over  bool          // the run has ended, and nothing is saved any more
	queue chan queued   // DurabilityAsync
	done  chan struct{} // closed when the queue is empty for good
}

// savingGrace is how long a run that is made to stop goes on saving what it has
// done.
const savingGrace = 10 * time.Second

// errGrace ends a commit that takes longer.
var errGrace = fmt.Errorf("the run was stopped, and its checkpointer has not saved it after %v", savingGrace)

// lasting is the context that a run saves with: it ends some time after the
// run's own, or when stop is called.
func lasting(ctx context.Context) (saving context.Context, stop func()) {
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

// queued is a change, or a wish to know when all before it are saved.
type queued struct {
	change Change
	ack    chan struct{}
}

// A batch is changes that are saved as one.
type batch struct {
	change Change
	turn   chan struct{} // closed when it is the batch's turn
	done   chan struct{} // closed when it was saved
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

// drain saves what is queued. What follows a failure is dropped: it stands on
// what could not be saved.
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
	if !l.over && l.queue != nil {
		close(l.queue)
	}
	l.over = true
	l.gate.Unlock()
	if l.queue == nil {
		return nil
	}
	<-l.done
	return l.err
}

// settle waits until what was committed is saved.
func (l *persister) settle() {
	if l.queue == nil {
		return
	}
	ack := make(chan struct{})
	l.gate.RLock()
	if l.over {
		close(ack)
	} else {
		l.queue <- queued{ack: ack}
	}
	l.gate.RUnlock()
	<-ack
}

// commit saves a change. A run that is cancelled still saves what it has done.
// What several tasks want to save while another change is under way is saved
// as one.
func (l *persister) commit(ctx context.Context, made *Change) error {
	change := *made
	l.gate.RLock()
	defer l.gate.RUnlock()
	if l.over {
		return errRunOver
	}
	stamp(change.Add, l.clock)
	if l.queue != nil {
		if err := l.failure(); err != nil {
			return err
		}
		change.Add = slices.Clone(change.Add) // whose place is used again
		l.queue <- queued{change: change}
		return nil
	}
	l.mu.Lock()
	if !l.busy {
		l.busy = true
		l.mu.Unlock()
		err := l.save(ctx, change)
		l.pass()
		return err
	}
	if b := l.next; b != nil {
		b.change.Add = append(b.change.Add, change.Add...)
		b.change.Forget = append(b.change.Forget, change.Forget...)
		b.change.Records = append(b.change.Records, change.Records...)
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
	l.pass()
	return b.err
}

func (l *persister) save(ctx context.Context, change Change) (err error) {
	defer recoverAs(&err)
	err = l.saver.Commit(ctx, l.thread, change)
	if err != nil && errors.Is(context.Cause(ctx), errGrace) {
		err = fmt.Errorf("%w: %w", errGrace, err)
	}
	return err
}

// pass gives the lane to the batch that waits, if one does.
func (l *persister) pass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.busy = false
		return
	}
	close(l.next.turn)
	l.next = nil
}

// open is an error when the run has ended.
func (l *persister) open() error {
	l.gate.RLock()
	defer l.gate.RUnlock()
	if l.over {
		return errRunOver
	}
	return nil
}

// stamp sets the time of checkpoints, as checkpointers keep it.
func stamp(list []Checkpoint, clock func() time.Time) {
	for i := range list {
		list[i].Time = time.UnixMicro(clock().UnixMicro()).UTC()
	}
}
