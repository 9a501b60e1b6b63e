package llm

import (
	"context"
	"sync"

	"example.com/assay/state"
)

// An Entry is the cost of one or more calls, and any fallback on the way. Without Priced around a
// model, no money is counted: Cost and Unpriced are 0.
type Entry struct {
	state.ModelUsage
	Fallback string      // why the first model did not answer, when another was asked; at most 300 bytes
	Lost     state.Cause // the cause of that, with StandIn; else empty
	Taped    bool        // a cassette answered

	model string // the first model with an unknown cost; may be empty
}

// Plus returns the sum of two entries. It keeps the later fallback.
func (e Entry) Plus(later Entry) Entry {
	if e.Unpriced == 0 {
		e.model = later.model
	}
	e.ModelUsage = e.ModelUsage.Plus(later.ModelUsage)
	if later.Fallback != "" {
		e.Fallback = later.Fallback
	}
	if later.Lost != "" {
		e.Lost = later.Lost
	}
	e.Taped = e.Taped || later.Taped
	return e
}

// Entry returns tokens as an entry.
func (u Usage) Entry() Entry {
	return Entry{ModelUsage: state.ModelUsage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens}}
}

// A Ledger sums the costs of the calls below a context. It travels with the context because a
// Response has no place for it, and because each attempt of a retried call has its own cost. It is
// safe for concurrent use.
type Ledger struct {
	above   *Ledger // Close books the sum there; may be nil
	run     *run    // the budget's run in which the calls spend; nil without a budget
	bounded bool    // a budget above bounds money

	mu     sync.Mutex
	sum    Entry
	closed bool
}

type ledgerKey struct{}

// ledgerOf returns the nearest ledger of a context, or nil.
func ledgerOf(ctx context.Context) *Ledger {
	l, _ := ctx.Value(ledgerKey{}).(*Ledger)
	return l
}

// Open returns a context with a new ledger. It counts every call of Ask, AskText and Generate below
// the context, also calls unknown to the caller, such as a reranker's. Close it after the calls
// have ended.
func Open(ctx context.Context) (context.Context, *Ledger) {
	c := &counted{Context: ctx}
	l := &c.ledger
	if l.above = ledgerOf(ctx); l.above != nil {
		l.run, l.bounded = l.above.run, l.above.bounded
	}
	return c, l
}

// A counted is a context with its ledger, in one allocation.
type counted struct {
	context.Context
	ledger Ledger
}

// Value returns the ledger for its own key.
func (c *counted) Value(key any) any {
	if _, ok := key.(ledgerKey); ok {
		return &c.ledger
	}
	return c.Context.Value(key)
}

// detached returns a context with a new ledger that does not report to a ledger above. Its calls
// still spend in the run of ctx.
func detached(ctx context.Context) (context.Context, *Ledger) {
	ctx, l := Open(ctx)
	l.above = nil
	return ctx, l
}

// Book adds an entry to the nearest ledger of a context. Without a ledger it does nothing.
func Book(ctx context.Context, e Entry) { ledgerOf(ctx).book(e) }

func (l *Ledger) book(e Entry) {
	if l == nil {
		return
	}
	e.Fallback = Cut(e.Fallback, maxErrorText)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum = l.sum.Plus(e)
}

// read returns the sum so far.
func (l *Ledger) read() Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum
}

// Close returns the sum. The first call also adds it to the ledger above.
func (l *Ledger) Close() Entry {
	l.mu.Lock()
	sum, first := l.sum, !l.closed
	l.closed = true
	l.mu.Unlock()
	if first {
		l.above.book(sum)
	}
	return sum
}
