package llm

import "time"

// ControlOptions adjusts Controls. Nil and the zero value mean the defaults
// of each wrapper: 8 calls at once, 60 s a call, 5 retries, a circuit that
// opens after 24 failures in a row, no bound on rate or budget, and no count
// of money.
type ControlOptions struct {
	Concurrency int           // calls at once; see Limit
	Timeout     time.Duration // of each attempt; see Timeout
	Retry       RetryOptions
	Circuit     CircuitOptions
	Rate        RateOptions
	Budget      BudgetOptions
	Prices      Prices // nil counts no money, unless the budget bounds it; see Priced
}

// Controls is one set of wrappers that several models share: one limit, one
// rate, one budget for all of them, and a circuit for each.
type Controls struct {
	budget *Budget
	prices Prices
	priced bool
	wrap   []func(Model) Model // innermost first
}

// NewControls composes the wrappers, from the outside to the model:
//
//	Budget   a call that is not made waits for nothing, and a repeated one counts once
//	Retry    a call that waits to be repeated holds none of what follows
//	Limit    at most so many are sent at once
//	Circuit  asked by whoever has a place to be sent, so that calls that queued
//	         before it opened are refused, too; below Retry, to see every attempt;
//	         above Rate, since a call that is refused uses none
//	Rate     the last to let a call through, so that calls leave when it says
//	Timeout  begins when the call is sent, anew for every attempt
//	Priced   every attempt has its own usage
func NewControls(opts *ControlOptions) *Controls {
	o := ControlOptions{}
	if opts != nil {
		o = *opts
	}
	budget := NewBudget(&o.Budget)
	return &Controls{budget: budget, prices: o.Prices, priced: o.Prices != nil || budget.boundsMoney(), wrap: []func(Model) Model{
		Timeout(o.Timeout), Rate(&o.Rate), Circuit(&o.Circuit), Limit(o.Concurrency), Retry(&o.Retry), budget.Wrap,
	}}
}

// Wrap is the wrapper: a func(Model) Model. Where money is counted, the
// price is that of the name in the response.
func (c *Controls) Wrap(m Model) Model { return c.WrapNamed("", m) }

// WrapNamed is Wrap of a model that is priced by a name, such as the one by
// which a configuration chose it.
func (c *Controls) WrapNamed(name string, m Model) Model {
	if c.priced {
		m = Priced(c.prices, name)(m)
	}
	return c.WrapUnpriced(m)
}

// WrapUnpriced is Wrap of what has no price by tokens, such as a server that
// orders passages: its calls count, and no money for them.
func (c *Controls) WrapUnpriced(m Model) Model {
	for _, wrap := range c.wrap {
		m = wrap(m)
	}
	return m
}

// Budget returns the budget, to reset it when a run begins.
func (c *Controls) Budget() *Budget { return c.budget }
