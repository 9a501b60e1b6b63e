package llm

import (
	"context"
	"fmt"

	"example.com/assay/state"
)

// A Price is the price of a model, in any one currency per million tokens.
type Price struct {
	Input  float64 // per million input tokens
	Output float64 // per million output tokens
}

// Prices are prices by the model's name, all in one currency. Do not change them once they are in
// use.
type Prices map[string]Price

// Cost returns the cost of a model's usage, and whether its price is known.
func (p Prices) Cost(model string, u Usage) (state.Money, bool) {
	price, ok := p[model]
	if !ok {
		return 0, false
	}
	const million = 1e6
	return state.MoneyOf((float64(u.InputTokens)*price.Input + float64(u.OutputTokens)*price.Output) / million), true
}

// A PriceError reports that a call was not made because a bound on money cannot be kept: the
// model's price is unknown.
type PriceError struct {
	Model string // the name that was priced; may be empty for a model that did not answer
}

func (e *PriceError) Error() string {
	return fmt.Sprintf("what model %q costs is unknown, so the budget of money cannot be kept: give it a price under prices, or use one that has a price and reports its usage", e.Model)
}

// Priced returns a wrapper that counts the cost of each call, for Ask, Generate and Budget. It goes
// next to the model, where every attempt has its own usage.
//
// The price is that of name, or if name is empty, of the name in the response, which some providers
// extend by a version. A model without a price, or an answer without a usage, has an unknown cost,
// never a cost of 0. Under a Budget with a bound on money, a named model without a price is a
// *PriceError before the call. A failed attempt without a usage costs 0, since no provider reports
// its cost.
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
