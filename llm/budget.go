package llm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"example.com/assay/state"
)

// BudgetBounds limit spending. The zero value has no limits.
type BudgetBounds struct {
	MaxCalls  int     // calls; 0 for no bound
	MaxTokens int     // tokens read and written, together; 0 for no bound
	MaxMoney  float64 // in the currency of the prices; 0 for no bound
}

// BudgetOptions limit the spending of each run and of all runs of a session. Nil and the zero value
// have no limits.
type BudgetOptions struct {
	MaxCalls     int          // of a run: calls; 0 for no bound
	MaxTokens    int          // of a run: tokens read and written, together; 0 for no bound
	MaxMoney     float64      // of a run, in the currency of the prices; 0 for no bound
	MaxToolCalls int          // of a run: calls of tools of other servers; 0 for no bound
	Session      BudgetBounds // of all runs together
}

// A BudgetError reports that a call was not made because the budget is spent.
type BudgetError struct {
	What    string  // "calls", "tokens", "money" or "tool_calls"
	Session bool    // it is the session's bound, not the run's
	Spent   float64 // calls, tokens, or the currency of the prices
	Max     float64
}

func (e *BudgetError) Error() string {
	key, whose := "max_"+e.What, "run"
	if e.Session {
		key, whose = "max_session_"+e.What, "session"
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	what := number(e.Max) + " " + strings.ReplaceAll(e.What, "_", " ")
	if e.What == "money" {
		what = "money, " + number(e.Max) + ","
	}
	return fmt.Sprintf("the %s's budget of %s is spent (%s so far): allow more with %s under model_limits", whose, what, number(e.Spent), key)
}

// A Budget counts what its wrapped models spend, for each run and for all runs together (the
// session). It refuses calls beyond its bounds. It is safe for concurrent use.
//
// Calls are exact. Tokens and money are known only when an answer arrives, so concurrent calls can
// exceed the bound together. Money needs Priced around the models. After a call of unknown cost, a
// bound on money refuses all further calls with a *PriceError.
type Budget struct {
	perRun, perSession BudgetBounds
	toolsPerRun        int

	mu       sync.Mutex
	current  *run // for calls outside Begin; Reset replaces it, so late answers count in the old run
	session  Entry
	unpriced string // the first model with an unknown cost
}

// A run holds the spending of one run.
type run struct {
	of    *Budget
	spent Entry
	tools int
}

// NewBudget returns an unspent budget.
func NewBudget(opts *BudgetOptions) *Budget {
	b := &Budget{}
	b.Reset()
	if opts != nil {
		b.perRun = BudgetBounds{opts.MaxCalls, opts.MaxTokens, opts.MaxMoney}
		b.perSession, b.toolsPerRun = opts.Session, opts.MaxToolCalls
	}
	return b
}

// Wrap wraps a model under the budget.
func (b *Budget) Wrap(m Model) Model { return budgeted{m, b} }

// Reset begins a new run of the session, for calls whose context is not from Begin.
func (b *Budget) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current = &run{of: b}
}

// Begin returns a context for a new run of the session. Concurrent runs thus have their own bounds.
func (b *Budget) Begin(ctx context.Context) context.Context {
	ctx, l := Open(ctx)
	l.run = &run{of: b}
	return ctx
}

// boundsMoney reports whether the run or the session has a bound on money.
func (b *Budget) boundsMoney() bool { return b.perRun.MaxMoney > 0 || b.perSession.MaxMoney > 0 }

// start counts a call and returns its run.
func (b *Budget) start(ctx context.Context) (*run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.runOf(ctx)
	if err := b.refusal(b.perRun, r.spent, false); err != nil {
		return nil, err
	}
	if err := b.refusal(b.perSession, b.session, true); err != nil {
		return nil, err
	}
	r.spent.Calls++
	b.session.Calls++
	return r, nil
}

// runOf returns the run of a context's calls. The caller holds the lock.
func (b *Budget) runOf(ctx context.Context) *run {
	if l := ledgerOf(ctx); l != nil && l.run != nil && l.run.of == b {
		return l.run
	}
	return b.current
}

// Tool counts a call of another server's tool; it does not count as a model's call. Beyond the
// bound it returns a *BudgetError, and the call must not be made. A nil budget has no bound.
func (b *Budget) Tool(ctx context.Context) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.runOf(ctx)
	if b.toolsPerRun > 0 && r.tools >= b.toolsPerRun {
		return &BudgetError{"tool_calls", false, float64(r.tools), float64(b.toolsPerRun)}
	}
	r.tools++
	return nil
}

// refusal returns the error for a call after spent, or nil if the bounds allow it.
func (b *Budget) refusal(bounds BudgetBounds, spent Entry, session bool) error {
	tokens := spent.InputTokens + spent.OutputTokens
	switch money := state.MoneyOf(bounds.MaxMoney); {
	case bounds.MaxCalls > 0 && spent.Calls >= bounds.MaxCalls:
		return &BudgetError{"calls", session, float64(spent.Calls), float64(bounds.MaxCalls)}
	case bounds.MaxTokens > 0 && tokens >= bounds.MaxTokens:
		return &BudgetError{"tokens", session, float64(tokens), float64(bounds.MaxTokens)}
	case bounds.MaxMoney > 0 && spent.Cost >= money:
		return &BudgetError{"money", session, spent.Cost.Amount(), bounds.MaxMoney}
	case bounds.MaxMoney > 0 && spent.Unpriced > 0:
		return &PriceError{b.unpriced}
	}
	return nil
}

// spend adds a call's cost to its run and to the session.
func (b *Budget) spend(r *run, u Usage, met Entry) {
	spent := u.Entry()
	spent.Cost, spent.Unpriced = met.Cost, min(met.Unpriced, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session = b.session.Plus(spent)
	r.spent = r.spent.Plus(spent)
	if met.Unpriced > 0 {
		b.unpriced = met.model
	}
}

type budgeted struct {
	model  Model
	budget *Budget
}

func (m budgeted) Generate(ctx context.Context, req Request) (Response, error) {
	r, err := m.budget.start(ctx)
	if err != nil {
		return Response{}, err
	}
	inner, ledger := Open(ctx)
	ledger.bounded = ledger.bounded || m.budget.boundsMoney()
	resp, err := m.model.Generate(inner, req)
	m.budget.spend(r, resp.Usage, ledger.Close())
	return resp, err
}
