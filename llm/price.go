package llm

import (
	"context"
	"fmt"

	"example.com/assay/state"
)

// A Price is what a model costs, in any one currency per million tokens.
type Price struct {
	Input  float64 // per million tokens read
	Output float64 // per million tokens written
}

// Prices are prices by the model's name. All are in the same currency. Do not
// change them once they are in use.
type Prices map[string]Price

// Cost returns what a model's usage costs, and whether its price is known.
func (p Prices) Cost(model string, u Usage) (state.Money, bool) {
	price, ok := p[model]
	if !ok {
		return 0, false
	}
	const million = 1e6
	return state.MoneyOf((float64(u.InputTokens)*price.Input + float64(u.OutputTokens)*price.Output) / million), true
}

// A PriceError says that a call was not made because a bound on money could
// not be kept: it is not known what a model costs.
type PriceError struct {
	Model string // as it is priced; may be empty for one that gave no answer
}

func (e *PriceError) Error() string {
	return fmt.Sprintf("what model %q costs is unknown, so the budget of money cannot be kept: give it a price under prices, or use one that has a price and reports its usage", e.Model)
}

// Priced returns a wrapper that counts what each call of a model costs, for
// Ask, Generate and Budget. It stands next to the model, where every attempt
// has its own usage.
//
// The price is that of name; an empty name is that of the response, which some
// providers extend by a version. A model without a price, and an answer
// without a usage, count as unknown and never as free: under a Budget of money
// a named one without a price is a *PriceError before the call. A failed
// attempt without a usage counts as free, for no provider says what it cost.
func Priced(prices Prices, name string) func(Model) Model {
	return func(m Model) Model { return priced{m, prices, name} }
}

type priced struct {
	model  Model
	prices Prices
	name   string
}

func (p priced) Generate(ctx context.Context, req Request) (Response, error) {
	ledger := ledgerOf(ctx)
	if _, ok := p.prices[p.name]; !ok && p.name != "" && ledger != nil && ledger.bounded {
		return Response{}, &PriceError{p.name}
	}
	resp, err := p.model.Generate(ctx, req)
	if err != nil && resp.Usage == (Usage{}) {
		return resp, err
	}
	name := p.name
	if name == "" {
		name = resp.Model
	}
	if cost, ok := p.prices.Cost(name, resp.Usage); ok && resp.Usage != (Usage{}) {
		ledger.book(Entry{ModelUsage: state.ModelUsage{Cost: cost}})
	} else {
		ledger.book(Entry{ModelUsage: state.ModelUsage{Unpriced: 1}, model: name})
	}
	return resp, err
}
