package state

// ModelUsage counts what was asked of models and what came back.
type ModelUsage struct {
	Calls         int `json:"calls"`
	InputChars    int `json:"input_chars"`
	OutputChars   int `json:"output_chars"`
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	ParseFailures int `json:"parse_failures"` // answers that did not fit their schema, repaired or not

	// Cost is what the calls cost whose price is known. Without configured
	// prices it is absent, and so is Unpriced.
	Cost Money `json:"cost,omitempty"`
	// Unpriced counts the calls of which it is not known what they cost, in
	// part or in whole: unless it is 0, Cost is less than the truth.
	Unpriced int `json:"unpriced,omitempty"`

	// RecordedCost is what those calls cost, when they were recorded, that a
	// cassette answered. Nothing was spent on them now: it is not in Cost.
	RecordedCost Money `json:"recorded_cost,omitempty"`
	// RecordedUnpriced counts those of them of which it was not known.
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
