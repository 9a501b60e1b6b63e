package llm

import (
	"context"
	"sync"

	"example.com/assay/state"
)

// An account collects what a call meets below the one who opened it: what it
// cost, and who answered in whose place. It travels with the context as a
// trace does, because a Response has no place for either and each attempt of
// a repeated call has its own. What is booked is booked in all accounts above,
// too. A nil account books nothing. It is safe for concurrent use.
type account struct {
	above   *account
	bounded bool // somebody above keeps a bound on money

	mu       sync.Mutex
	cost     state.Money
	unpriced bool
	model    string      // the first that cost who knows what; may be empty
	fallback error       // why the first model did not answer
	lost     state.Cause // of that, when another stood in for it
	recorded Receipt     // what calls that a cassette answered had cost
}

type accountKey struct{}

func accountOf(ctx context.Context) *account {
	a, _ := ctx.Value(accountKey{}).(*account)
	return a
}

// open returns a context with a new account.
func open(ctx context.Context, bounded bool) (context.Context, *account) {
	above := accountOf(ctx)
	a := &account{above: above, bounded: bounded || above != nil && above.bounded}
	return context.WithValue(ctx, accountKey{}, a), a
}

func (a *account) pay(cost state.Money) {
	for ; a != nil; a = a.above {
		a.mu.Lock()
		a.cost += cost
		a.mu.Unlock()
	}
}

// payUnknown books that a model cost what nobody knows.
func (a *account) payUnknown(model string) {
	for ; a != nil; a = a.above {
		a.mu.Lock()
		if !a.unpriced {
			a.unpriced, a.model = true, model
		}
		a.mu.Unlock()
	}
}

// fellBack books that another model answered. lost is the cause when it stood in
// for one that was chosen for this alone.
func (a *account) fellBack(why error, lost state.Cause) {
	for ; a != nil; a = a.above {
		a.mu.Lock()
		a.fallback = why
		if lost != "" {
			a.lost = lost
		}
		a.mu.Unlock()
	}
}

func (a *account) payRecorded(r Receipt) {
	for ; a != nil; a = a.above {
		a.mu.Lock()
		a.recorded.Cost += r.Cost
		a.recorded.Unpriced = a.recorded.Unpriced || r.Unpriced
		a.mu.Unlock()
	}
}

func (a *account) paidThen() Receipt {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recorded
}

func (a *account) money() (cost state.Money, unpriced bool, model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cost, a.unpriced, a.model
}

func (a *account) whyFallback() (lost state.Cause, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lost, a.fallback
}
