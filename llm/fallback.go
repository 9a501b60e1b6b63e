package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"example.com/assay/state"
)

// Fallback returns a wrapper that asks second when a model fails for good with an error that
// another model may not have: a Retryable error (after the retries of the wrapped model), an open
// circuit, or an exhausted quota. It does not ask second after a refused request or key, a blocked
// or cut answer, a refused certificate or a spent budget: that would hide a mistake, or spend money
// that nobody allowed.
//
// It goes outside Retry, Circuit and Controls, which each of the two models has for itself:
//
//	m := llm.Fallback(controls.Wrap(second))(controls.Wrap(first))
//
// The response names the model that answered and has the usage of both. The CallEvent of Ask says
// why the first failed. When both fail, the error wraps second's error and has the text of the
// first.
func Fallback(second Model) func(Model) Model {
	return func(m Model) Model { return fallback{m, second, false} }
}

// StandIn is Fallback for a model that serves one purpose, such as a server that judges claims. It
// asks second after every error except cancellation and a spent budget, so also after a refused key
// or an unreadable answer. The call's Entry then has the cause in Lost, so the caller can report
// what the run has lost.
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
		// Only the second error is wrapped: it decides whether a retry can help.
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
