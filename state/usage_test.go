package state

import (
	"testing"
)

// A replay's cost is 0, beside what was paid then.
func TestUsage(t *testing.T) {
	for want, u := range map[string]ModelUsage{
		"1 call, 1 token read and 2 written":                                                          {Calls: 1, InputTokens: 1, OutputTokens: 2},
		"2 calls, 0 tokens read and 0 written, cost 0.5, unpriced calls: 1":                           {Calls: 2, Cost: MoneyOf(.5), Unpriced: 1},
		"2 calls, 0 tokens read and 0 written, cost 0, recorded cost 0.5":                             {Calls: 2, RecordedCost: MoneyOf(.5)},
		"2 calls, 0 tokens read and 0 written, cost 0, recorded cost 0.5, recorded unpriced calls: 1": {Calls: 2, RecordedCost: MoneyOf(.5), RecordedUnpriced: 1},
		"2 calls, 0 tokens read and 0 written, unpriced calls: 2":                                     {Calls: 2, Unpriced: 2},
	} {
		if got := u.Words(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
