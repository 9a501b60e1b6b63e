package llm

import "time"

// ControlOptions configure Controls. Nil and the zero value mean the defaults of each wrapper: 8
// concurrent calls, 60 s per call, 5 retries, a circuit that opens after 24 failures in a row, no
// limits on rate or budget, and no counting of money.
type ControlOptions struct {
	Concurrency int           // concurrent calls; see Limit
	Timeout     time.Duration // of each attempt; see Timeout
	Retry       RetryOptions
	Circuit     CircuitOptions
	Rate        RateOptions
	Budget      BudgetOptions
	Prices      Prices // nil counts no money, unless the budget bounds it; see Priced
}

// Controls is one set of wrappers that several models share: one limit, one rate and one budget for
// all of them, and a circuit for each.
type Controls struct {
	budget *Budget
	prices Prices
	priced bool
	wrap   []func(Model) Model // innermost first
}

// NewControls composes the wrappers, from the outside to the model:
//
//	Budget   outermost: a refused call waits for nothing, and a retried call counts once
//	Retry    a call that waits for its next attempt holds no place below
//	Limit    bounds the concurrent calls
//	Circuit  below Limit, so calls that queued before it opened are refused too; below Retry, to
//	         see every attempt; above Rate, since a refused call must not use the rate
//	Rate     the last to delay a call, so calls leave at the rate
//	Timeout  starts when an attempt is sent
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

// Wrap wraps a model. If money is counted, the price is that of the model's name in the response.
func (c *Controls) Wrap(m Model) Model { return c.WrapNamed("", m) }

// WrapNamed is Wrap for a model that is priced by a name, such as its name in a configuration.
func (c *Controls) WrapNamed(name string, m Model) Model {
	if c.priced {
		m = Priced(c.prices, name)(m)
	}
	return c.WrapUnpriced(m)
}

// WrapUnpriced is Wrap for a server without a price per token, such as a reranker: its calls count,
// but no money.
func (c *Controls) WrapUnpriced(m Model) Model {
	for _, wrap := range c.wrap {
		m = wrap(m)
	}
	return m
}

// Budget returns the budget, to reset it when a run begins.
func (c *Controls) Budget() *Budget { return c.budget }
