package llm_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
)

// costing answers as a model of a name and usage, or fails beside it.
type costing struct {
	name  string
	usage llm.Usage
	err   error
}

func (m costing) Generate(context.Context, llm.Request) (llm.Response, error) {
	if m.err != nil {
		return llm.Response{Usage: m.usage}, m.err
	}
	return llm.Response{Text: simple, Model: m.name, Usage: m.usage}, nil
}

var prices = llm.Prices{"a": {Input: 2, Output: 10}, "tiny": {Input: 0.0375}}

func TestCost(t *testing.T) {
	for _, tc := range []struct {
		model string
		usage llm.Usage
		want  string
		known bool
	}{
		{"a", llm.Usage{InputTokens: 1_000_000, OutputTokens: 1_000_000}, "12", true},
		{"a", llm.Usage{InputTokens: 3, OutputTokens: 1}, "0.000016", true},
		{"tiny", llm.Usage{InputTokens: 1, OutputTokens: 7}, "0.000000038", true}, // rounded
		{"a", llm.Usage{}, "0", true},
		{"b", llm.Usage{InputTokens: 1}, "0", false},
	} {
		if cost, known := prices.Cost(tc.model, tc.usage); cost.String() != tc.want || known != tc.known {
			t.Errorf("%s, %+v: %v, %v", tc.model, tc.usage, cost, known)
		}
	}
}

// Unknown is said, and is not 0.
func TestPricedUsage(t *testing.T) {
	used := llm.Usage{InputTokens: 1000, OutputTokens: 100} // of a: 0.003
	for name, tc := range map[string]struct {
		model    llm.Model
		as       string
		cost     string
		unpriced int
	}{
		"by response":           {costing{"a", used, nil}, "", "0.003", 0},
		"by name":               {costing{"a-2026-01-01", used, nil}, "a", "0.003", 0},
		"unknown by response":   {costing{"b", used, nil}, "", "0", 1},
		"unknown by name":       {costing{"a", used, nil}, "b", "0", 1},
		"no usage":              {costing{"a", llm.Usage{}, nil}, "a", "0", 1},
		"cut":                   {costing{"a", used, &llm.TruncatedError{}}, "a", "0.003", 0},
		"cut by nobody":         {costing{"a", used, &llm.TruncatedError{}}, "", "0", 1},
		"failed without usage":  {costing{"a", llm.Usage{}, status(400)}, "a", "0", 0},
		"failed and not priced": {costing{"a", llm.Usage{}, status(400)}, "b", "0", 0},
	} {
		_, usage, _ := classify(t.Context(), t, llm.Priced(prices, tc.as)(tc.model))
		if usage.Cost.String() != tc.cost || usage.Unpriced != tc.unpriced {
			t.Errorf("%s: cost %v, unpriced %d", name, usage.Cost, usage.Unpriced)
		}
	}
}

func TestBudgetOfMoney(t *testing.T) {
	used := llm.Usage{InputTokens: 1_000_000} // of a: 2
	for name, tc := range map[string]struct {
		opts    llm.BudgetOptions
		as      string
		model   llm.Model
		made    []int // calls in the first run and in the second
		session bool
		price   bool // refused by a PriceError
	}{
		"run":             {llm.BudgetOptions{MaxMoney: 3}, "a", costing{"a", used, nil}, []int{2, 2}, false, false},
		"exactly":         {llm.BudgetOptions{MaxMoney: 4}, "a", costing{"a", used, nil}, []int{2, 2}, false, false},
		"session":         {llm.BudgetOptions{MaxMoney: 5, Session: llm.BudgetBounds{MaxMoney: 7}}, "a", costing{"a", used, nil}, []int{3, 1}, true, false},
		"session calls":   {llm.BudgetOptions{Session: llm.BudgetBounds{MaxCalls: 3}}, "a", costing{"a", used, nil}, []int{3, 0}, true, false},
		"session tokens":  {llm.BudgetOptions{MaxCalls: 2, Session: llm.BudgetBounds{MaxTokens: 2_500_000}}, "a", costing{"a", used, nil}, []int{2, 1}, true, false},
		"no price":        {llm.BudgetOptions{MaxMoney: 3}, "b", costing{"b", used, nil}, []int{0, 0}, false, true},
		"no price, late":  {llm.BudgetOptions{MaxMoney: 3}, "", costing{"b", used, nil}, []int{1, 1}, false, true},
		"late in session": {llm.BudgetOptions{Session: llm.BudgetBounds{MaxMoney: 3}}, "", costing{"b", used, nil}, []int{1, 0}, false, true},
		"no usage":        {llm.BudgetOptions{MaxMoney: 3}, "a", costing{"a", llm.Usage{}, nil}, []int{1, 1}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			controls := llm.NewControls(&llm.ControlOptions{Budget: tc.opts, Prices: prices})
			ask := controls.WrapNamed(tc.as, tc.model)
			for run, want := range tc.made {
				made := 0
				var last error
				for range 5 {
					_, err := ask.Generate(t.Context(), llm.Request{})
					if err == nil {
						made++
					}
					last = err
				}
				if e, ok := errors.AsType[*llm.PriceError](last); ok != tc.price || ok && e.Model != cmp.Or(tc.as, "b") {
					t.Errorf("run %d: %v", run, last)
				}
				if e, ok := errors.AsType[*llm.BudgetError](last); ok == tc.price || ok && (run > 0 && e.Session != tc.session || e.Spent < e.Max) {
					t.Errorf("run %d: %v", run, last)
				}
				if made != want {
					t.Errorf("%d calls in run %d; want %d", made, run, want)
				}
				controls.Budget().Reset()
			}
		})
	}
}

func TestBudgetErrorsSayTheKey(t *testing.T) {
	for want, err := range map[string]*llm.BudgetError{
		"the run's budget of 3 calls is spent (3 so far): allow more with max_calls under model_limits":                           {What: "calls", Spent: 3, Max: 3},
		"the session's budget of 2550000 tokens is spent (2600000 so far): allow more with max_session_tokens under model_limits": {What: "tokens", Session: true, Spent: 2.6e6, Max: 2.55e6},
		"the run's budget of money, 0.5, is spent (0.5125 so far): allow more with max_money under model_limits":                  {What: "money", Spent: 0.5125, Max: 0.5},
	} {
		if err.Error() != want {
			t.Errorf("%q; want %q", err, want)
		}
	}
}

// Without prices and without a bound nothing is said of money.
func TestNoPrices(t *testing.T) {
	m := llm.NewControls(nil).Wrap(script(skills.ClassifyAndRoute, llmtest.Answer{Text: simple}))
	if _, usage, err := classify(t.Context(), t, m); err != nil || usage.Cost != 0 || usage.Unpriced != 0 {
		t.Errorf("%+v, %v", usage, err)
	}
	bounded := llm.NewControls(&llm.ControlOptions{Budget: llm.BudgetOptions{MaxMoney: 1}}).WrapNamed("a", costing{"a", llm.Usage{InputTokens: 1}, nil})
	if _, err := bounded.Generate(t.Context(), llm.Request{}); err == nil || !strings.Contains(err.Error(), "prices") {
		t.Errorf("a bound on money without prices: %v", err)
	}
}
