package llm_test

import (
	"context"
	"sync"
	"testing"

	"example.com/assay/llm"
)

// A ledger counts every call below its context, whoever makes it. The ledger
// above counts them, too, once the inner one is closed, and once only.
func TestLedger(t *testing.T) {
	m := llm.Priced(prices, "a")(costing{"a", llm.Usage{InputTokens: 1_000_000}, nil})
	outer, all := llm.Open(t.Context())
	if _, _, err := classify(outer, t, m); err != nil {
		t.Fatal(err)
	}
	inner, some := llm.Open(outer)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, err := classify(inner, t, m); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for range 2 {
		if e := some.Close(); e.Calls != 4 || e.InputTokens != 4_000_000 || e.Cost.String() != "8" {
			t.Errorf("the inner ledger holds %+v", e)
		}
	}
	if e := all.Close(); e.Calls != 5 || e.Cost.String() != "10" {
		t.Errorf("the outer ledger holds %+v", e)
	}
}

// Money of a call that Ask does not make, such as an embedder's, is in no ledger
// above: it counts in the budget alone.
func TestCallersAreNotBookedAbove(t *testing.T) {
	ctx, above := llm.Open(t.Context())
	controls := llm.NewControls(&llm.ControlOptions{Prices: prices})
	budget := controls.Budget()
	c := llm.NewCaller("embed", func(m llm.Model) llm.Model { return controls.WrapNamed("a", m) })
	err := c.Do(budget.Begin(ctx), func(context.Context) (llm.Usage, error) { return llm.Usage{InputTokens: 1_000_000}, nil })
	if got := above.Close(); err != nil || got != (llm.Entry{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if run, session := budget.Spent(); run.Calls != 0 || session.Calls != 1 || session.Cost.String() != "2" {
		t.Errorf("the run of nobody has spent %+v, the session %+v", run, session)
	}
}
