package llm

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"example.com/assay/state"
)

// BudgetBounds bound what may be spent. The zero value bounds nothing.
type BudgetBounds struct {
	MaxCalls  int     // calls; 0 for no bound
	MaxTokens int     // tokens read and written, together; 0 for no bound
	MaxMoney  float64 // in the currency of the prices; 0 for no bound
}

// BudgetOptions bounds what a run and all runs of a session may spend. Nil
// and the zero value bound nothing.
type BudgetOptions struct {
	MaxCalls  int          // of a run: calls; 0 for no bound
	MaxTokens int          // of a run: tokens read and written, together; 0 for no bound
	MaxMoney  float64      // of a run, in the currency of the prices; 0 for no bound
	Session   BudgetBounds // of all runs together
}

// A BudgetError says that a call was not made because the budget is spent.
type BudgetError struct {
	What    string  // "calls", "tokens" or "money"
	Session bool    // the bound is that of the session, not of the run
	Spent   float64 // calls, tokens, or the currency of the prices
	Max     float64
}

func (e *BudgetError) Error() string {
	key, whose := "max_"+e.What, "run"
	if e.Session {
		key, whose = "max_session_"+e.What, "session"
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	what := number(e.Max) + " " + e.What
	if e.What == "money" {
		what = "money, " + number(e.Max) + ","
	}
	return fmt.Sprintf("the %s's budget of %s is spent (%s so far): allow more with %s under model_limits", whose, what, number(e.Spent), key)
}

// Spending is what was spent.
type Spending struct {
	Calls    int
	Tokens   int         // read and written, together
	Money    state.Money // of the calls whose price is known
	Unpriced int         // calls of which it is not known what they cost
}

// A Budget counts what the models that it wraps spend in a run and in all
// runs, its session, and refuses calls beyond its bounds. It is safe for
// concurrent use.
//
// Calls are exact. Tokens and money are known when an answer is there, so that
// calls in flight at the same time can exceed the bound, together by what they
// spend. Money needs Priced next to the models; once a call cost what is not
// known, a bound on money refuses all further ones with a *PriceError.
type Budget struct {
	perRun, perSession BudgetBounds

	mu       sync.Mutex
	run      *Spending // of the calls without a run of their own; another one after each reset, so that late answers count in theirs
	session  Spending
	unpriced string // the model that made Unpriced differ from 0
}

// NewBudget returns a budget of which nothing is spent.
func NewBudget(opts *BudgetOptions) *Budget {
	b := &Budget{run: &Spending{}}
	if opts != nil {
		b.perRun = BudgetBounds{opts.MaxCalls, opts.MaxTokens, opts.MaxMoney}
		b.perSession = opts.Session
	}
	return b
}

// Wrap is the wrapper: a func(Model) Model.
func (b *Budget) Wrap(m Model) Model { return budgeted{m, b} }

// Reset begins a new run of the same session, for the calls whose context has
// none.
func (b *Budget) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run = &Spending{}
}

// Begin returns a context whose calls are a run of their own in the same
// session: runs that go on side by side each have their bounds.
func (b *Budget) Begin(ctx context.Context) context.Context {
	return context.WithValue(ctx, runKey{b}, &Spending{})
}

type runKey struct{ of *Budget }

// runOf is the run that a call belongs to. The lock must be held.
func (b *Budget) runOf(ctx context.Context) *Spending {
	if run, ok := ctx.Value(runKey{b}).(*Spending); ok {
		return run
	}
	return b.run
}

// Spent returns what the run has spent so far that Reset began.
func (b *Budget) Spent() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	return *b.run
}

// SpentInSession returns what all runs have spent so far.
func (b *Budget) SpentInSession() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// boundsMoney reports whether either bound is one of money.
func (b *Budget) boundsMoney() bool { return b.perRun.MaxMoney > 0 || b.perSession.MaxMoney > 0 }

// start books a call and returns its run.
func (b *Budget) start(ctx context.Context) (*Spending, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	run := b.runOf(ctx)
	if err := b.refusal(b.perRun, *run, false); err != nil {
		return nil, err
	}
	if err := b.refusal(b.perSession, b.session, true); err != nil {
		return nil, err
	}
	run.Calls++
	b.session.Calls++
	return run, nil
}

// refusal is why bounds refuse a call after what was spent, or nil.
func (b *Budget) refusal(bounds BudgetBounds, spent Spending, session bool) error {
	switch money := state.MoneyOf(bounds.MaxMoney); {
	case bounds.MaxCalls > 0 && spent.Calls >= bounds.MaxCalls:
		return &BudgetError{"calls", session, float64(spent.Calls), float64(bounds.MaxCalls)}
	case bounds.MaxTokens > 0 && spent.Tokens >= bounds.MaxTokens:
		return &BudgetError{"tokens", session, float64(spent.Tokens), float64(bounds.MaxTokens)}
	case bounds.MaxMoney > 0 && spent.Money >= money:
		return &BudgetError{"money", session, spent.Money.Amount(), bounds.MaxMoney}
	case bounds.MaxMoney > 0 && spent.Unpriced > 0:
		return &PriceError{b.unpriced}
	}
	return nil
}

func (b *Budget) spend(run *Spending, u Usage, acc *account) {
	cost, unpriced, model := acc.money()
	add := Spending{Tokens: u.InputTokens + u.OutputTokens, Money: cost}
	if unpriced {
		add.Unpriced = 1
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session.add(add)
	run.add(add)
	if unpriced {
		b.unpriced = model
	}
}

func (s *Spending) add(v Spending) {
	s.Tokens += v.Tokens
	s.Money += v.Money
	s.Unpriced += v.Unpriced
}

type budgeted struct {
	model  Model
	budget *Budget
}

func (m budgeted) Generate(ctx context.Context, req Request) (Response, error) {
	run, err := m.budget.start(ctx)
	if err != nil {
		return Response{}, err
	}
	inner, acc := open(ctx, m.budget.boundsMoney())
	resp, err := m.model.Generate(inner, req)
	m.budget.spend(run, resp.Usage, acc)
	return resp, err
}
