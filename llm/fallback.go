package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"example.com/assay/state"
)

// Fallback returns a wrapper that asks second when a model fails for good with
// an error that another model may not have: what is Retryable (after the
// retries below), an open circuit and an exhausted quota. A refused request or
// key, a blocked or cut answer, a refused certificate and a spent budget are
// not: they would hide a mistake or spend what nobody allowed.
//
// It stands outside of Retry, Circuit and Controls, which each of the two
// models has to itself:
//
//	m := llm.Fallback(controls.Wrap(second))(controls.Wrap(first))
//
// The response names the model that answered and has the usage of both; the
// CallEvent of Ask says why the first did not. When both fail, the error is
// that of the second, with that of the first in its text.
func Fallback(second Model) func(Model) Model {
	return func(m Model) Model { return fallback{m, second, false} }
}

// StandIn is Fallback for a model that was chosen for one thing alone, such as a
// server that judges claims. Second stands in for it at every error but
// cancellation and a spent budget, a refused key and an answer that cannot be read
// too. The Entry of the call then has the cause in Lost, so that whoever asked
// can say that the run has lost what the model was chosen for.
func StandIn(second Model) func(Model) Model {
	return func(m Model) Model { return fallback{m, second, true} }
}

type fallback struct {
	first, second Model
	standIn       bool
}

func (f fallback) Generate(ctx context.Context, req Request) (Response, error) {
	listener := relay{to: req.OnText}
	req.OnText = listener.next()
	resp, err := f.first.Generate(ctx, req)
	if err == nil || ctx.Err() != nil || !f.answers(err) {
		return resp, err
	}
	var lost state.Cause
	if f.standIn {
		lost = cmp.Or(state.CauseOf(err), state.CauseModel)
	}
	Book(ctx, Entry{Fallback: err.Error(), Lost: lost})
	spent := resp.Usage
	req.OnText = listener.next()
	resp, secondErr := f.second.Generate(ctx, req)
	resp.Usage = spent.Plus(resp.Usage)
	if secondErr != nil {
		// Only the second is wrapped: it says whether asking again can help.
		return resp, fmt.Errorf("asking the fallback model after (%v): %w", err, secondErr)
	}
	listener.settle(resp.Text)
	return resp, nil
}

// answers reports whether second is asked after an error.
func (f fallback) answers(err error) bool {
	_, spent := errors.AsType[*BudgetError](err)
	return f.standIn && !spent || curable(err)
}

// curable reports whether another model may not have an error.
func curable(err error) bool {
	if _, ok := errors.AsType[*BudgetError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*CircuitError](err); ok {
		return true
	}
	if e, ok := errors.AsType[*StatusError](err); ok && e.Code == quotaExhausted {
		return true
	}
	return Retryable(err)
}
