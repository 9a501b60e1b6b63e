package state

// ModelUsage counts what was asked of models and what came back.
type ModelUsage struct {
	Calls         int `json:"calls"`
	InputChars    int `json:"input_chars"`
	OutputChars   int `json:"output_chars"`
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	ParseFailures int `json:"parse_failures"` // answers that did not fit their schema, repaired or not
}

// Plus returns the sum of two counts.
func (u ModelUsage) Plus(v ModelUsage) ModelUsage {
	u.Calls += v.Calls
	u.InputChars += v.InputChars
	u.OutputChars += v.OutputChars
	u.InputTokens += v.InputTokens
	u.OutputTokens += v.OutputTokens
	u.ParseFailures += v.ParseFailures
	return u
}
