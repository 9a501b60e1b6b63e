package llm_test

import (
	"sync"
	"testing"

	"example.com/assay/llm"
)

// A meter counts every call below its context, whoever makes it, and so does
// the one above it.
func TestMeter(t *testing.T) {
	m := llm.Priced(prices, "a")(costing{"a", llm.Usage{InputTokens: 1_000_000}, nil})
	outer, all := llm.Metered(t.Context())
	if _, _, err := classify(outer, t, m); err != nil {
		t.Fatal(err)
	}
	inner, some := llm.Metered(outer)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, err := classify(inner, t, m); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if u := some.Usage(); u.Calls != 4 || u.InputTokens != 4_000_000 || u.Cost.String() != "8" {
		t.Errorf("the inner meter counts %+v", u)
	}
	if u := all.Usage(); u.Calls != 5 || u.Cost.String() != "10" {
		t.Errorf("the outer meter counts %+v", u)
	}
}
