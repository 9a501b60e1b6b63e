package llm

import (
	"context"
	"fmt"
	"sync"
)

// BudgetOptions bounds what a run may spend. Nil and the zero value bound
// nothing.
type BudgetOptions struct {
	MaxCalls  int // calls; 0 for no bound
	MaxTokens int // tokens read and written, together; 0 for no bound
}

// A BudgetError says that a call was not made because the budget is spent.
type BudgetError struct {
	What  string // "calls" or "tokens"
	Spent int
	Max   int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %d %s is spent (%d so far): allow more with max_%s under model_limits", e.Max, e.What, e.Spent, e.What)
}

// A Budget counts what the models that it wraps spend in one run and refuses
// calls beyond it. It is safe for concurrent use.
//
// Calls are exact. Tokens are known when an answer is there, so that calls in
// flight at the same time can exceed the bound, together by what they spend.
type Budget struct {
	max BudgetOptions

	mu     sync.Mutex
	run    int // counts resets, so that a late answer is not counted in the next run
	calls  int
	tokens int
}

// NewBudget returns a budget of which nothing is spent.
func NewBudget(opts *BudgetOptions) *Budget {
	b := &Budget{}
	if opts != nil {
		b.max = *opts
	}
	return b
}

// Wrap is the wrapper: a func(Model) Model.
func (b *Budget) Wrap(m Model) Model { return budgeted{m, b} }

// Reset begins a new run.
func (b *Budget) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run++
	b.calls, b.tokens = 0, 0
}

// Spent returns what the run has spent so far.
func (b *Budget) Spent() (calls, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, b.tokens
}

// start books a call and returns its run.
func (b *Budget) start() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.max.MaxCalls > 0 && b.calls >= b.max.MaxCalls {
		return 0, &BudgetError{"calls", b.calls, b.max.MaxCalls}
	}
	if b.max.MaxTokens > 0 && b.tokens >= b.max.MaxTokens {
		return 0, &BudgetError{"tokens", b.tokens, b.max.MaxTokens}
	}
	b.calls++
	return b.run, nil
}

func (b *Budget) spend(run int, u Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if run == b.run {
		b.tokens += u.InputTokens + u.OutputTokens
	}
}

type budgeted struct {
	model  Model
	budget *Budget
}

func (m budgeted) Generate(ctx context.Context, req Request) (Response, error) {
	run, err := m.budget.start()
	if err != nil {
		return Response{}, err
	}
	resp, err := m.model.Generate(ctx, req)
	m.budget.spend(run, resp.Usage)
	return resp, err
}
