package llm

import (
	"context"
	"sync"

	"example.com/assay/state"
)

// An Entry is what one call or several cost, and what they met on their way.
// Without Priced around a model no money is counted: Cost and Unpriced are 0.
type Entry struct {
	state.ModelUsage
	Fallback string      // why the first model did not answer, when another was asked; at most 300 bytes
	Lost     state.Cause // the cause of that, when the other only stood in for it (StandIn); else empty
	Taped    bool        // a cassette answered

	model string // the first model of Unpriced; may be empty
}

// Plus returns the sum of two entries. The later fallback is kept.
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

// A Ledger sums what the calls below a context cost. It travels with the
// context because a Response has no place for it, and because each attempt of a
// repeated call has its own cost. It is safe for concurrent use.
type Ledger struct {
	above   *Ledger // Close books the sum there; may be nil
	run     *run    // that of a budget in which the calls spend; nil without one
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

// Open returns a context with a new ledger. Every call that Ask, AskText or
// Generate makes below it is booked there, also those that the caller does not
// know of, such as a reranker's. Close it when the calls have ended.
func Open(ctx context.Context) (context.Context, *Ledger) {
	l := &Ledger{above: ledgerOf(ctx)}
	if l.above != nil {
		l.run, l.bounded = l.above.run, l.above.bounded
	}
	return context.WithValue(ctx, ledgerKey{}, l), l
}

// detached returns a context with a new ledger that nobody above reads. Calls
// below it still spend in the run of ctx.
func detached(ctx context.Context) (context.Context, *Ledger) {
	ctx, l := Open(ctx)
	l.above = nil
	return ctx, l
}

// Book adds an entry to the nearest ledger of a context. Without a ledger
// nobody counts.
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

// Close returns the sum. The first time, it books the sum in the ledger above.
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
