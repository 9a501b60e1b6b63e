package llm

import "time"

// ControlOptions adjusts Controls. Nil and the zero value mean the defaults
// of each wrapper: 8 calls at once, 60 s a call, 5 retries, and no bound on
// rate or budget.
type ControlOptions struct {
	Concurrency int           // calls at once; see Limit
	Timeout     time.Duration // of each attempt; see Timeout
	Retry       RetryOptions
	Rate        RateOptions
	Budget      BudgetOptions
}

// Controls is one set of wrappers that several models share: one limit, one
// rate, one budget for all of them.
type Controls struct {
	budget *Budget
	wrap   []func(Model) Model // innermost first
}

// NewControls composes the wrappers, from the outside to the model:
//
//	Budget   a call that is not made waits for nothing, and a repeated one counts once
//	Retry    a call that waits to be repeated holds none of what follows
//	Limit    at most so many are sent at once
//	Rate     the last to let a call through, so that calls leave when it says
//	Timeout  begins when the call is sent, anew for every attempt
func NewControls(opts *ControlOptions) *Controls {
	o := ControlOptions{}
	if opts != nil {
		o = *opts
	}
	budget := NewBudget(&o.Budget)
	return &Controls{budget: budget, wrap: []func(Model) Model{
		Timeout(o.Timeout), Rate(&o.Rate), Limit(o.Concurrency), Retry(&o.Retry), budget.Wrap,
	}}
}

// Wrap is the wrapper: a func(Model) Model.
func (c *Controls) Wrap(m Model) Model {
	for _, wrap := range c.wrap {
		m = wrap(m)
	}
	return m
}

// Budget returns the budget, to reset it when a run begins.
func (c *Controls) Budget() *Budget { return c.budget }
