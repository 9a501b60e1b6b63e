package state

import "fmt"

// ModelUsage counts calls of models, their sizes and their cost.
type ModelUsage struct {
	Calls         int `json:"calls"`
	InputChars    int `json:"input_chars"`
	OutputChars   int `json:"output_chars"`
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	ParseFailures int `json:"parse_failures"` // answers that did not fit their schema, repaired or not

	// Cost is the cost of the calls with a known price. Without configured prices it
	// is absent, and so is Unpriced.
	Cost Money `json:"cost,omitempty"`
	// Unpriced counts the calls whose cost is unknown, in part or in whole. Unless it
	// is 0, the true cost is higher than Cost.
	Unpriced int `json:"unpriced,omitempty"`

	// RecordedCost is the recorded cost of the calls that a cassette answered. It was not spent now
	// and is not in Cost.
	RecordedCost Money `json:"recorded_cost,omitempty"`
	// RecordedUnpriced counts the recorded calls of unknown cost.
	RecordedUnpriced int `json:"recorded_unpriced,omitempty"`
}

// Plus returns the sum of two counts.
func (u ModelUsage) Plus(v ModelUsage) ModelUsage {
	u.Calls += v.Calls
	u.InputChars += v.InputChars
	u.OutputChars += v.OutputChars
	u.InputTokens += v.InputTokens
	u.OutputTokens += v.OutputTokens
	u.ParseFailures += v.ParseFailures
	u.Cost += v.Cost
	u.Unpriced += v.Unpriced
	u.RecordedCost += v.RecordedCost
	u.RecordedUnpriced += v.RecordedUnpriced
	return u
}

// Words sums up model calls, including those of models without a provider. The cost is in
// the currency of the prices and excludes unpriced calls. For a replay, which costs
// nothing, it also gives the recorded cost.
func (u ModelUsage) Words() string {
	calls, tokens := "calls", "tokens"
	if u.Calls == 1 {
		calls = "call"
	}
	if u.InputTokens == 1 {
		tokens = "token"
	}
	return fmt.Sprintf("%d %s, %d %s read and %d written", u.Calls, calls, u.InputTokens, tokens, u.OutputTokens) + u.CostWords()
}

// CostWords is the cost of calls as the end of a line, "" when no cost was counted.
func (u ModelUsage) CostWords() string {
	text := ""
	switch {
	case u.Cost > 0:
		text += ", cost " + u.Cost.String()
	case u.RecordedCost > 0 || u.RecordedUnpriced > 0:
		text += ", cost 0"
	}
	if u.Unpriced > 0 {
		text += fmt.Sprintf(", unpriced calls: %d", u.Unpriced)
	}
	if u.RecordedCost > 0 {
		text += ", recorded cost " + u.RecordedCost.String()
	}
	if u.RecordedUnpriced > 0 {
		text += fmt.Sprintf(", recorded unpriced calls: %d", u.RecordedUnpriced)
	}
	return text
}
