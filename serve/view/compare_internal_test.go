package view

import (
	"encoding/json"
	"testing"

	"example.com/assay/state"
)

// TestUsageIsNoChange: what calls were like is told apart from what they came to,
// by all the keys that there are.
func TestUsageIsNoChange(t *testing.T) {
	full, err := json.Marshal(state.ModelUsage{Calls: 1, InputChars: 2, OutputChars: 3, InputTokens: 4, OutputTokens: 5, ParseFailures: 6, Cost: 7, Unpriced: 8, RecordedCost: 9, RecordedUnpriced: 10})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		string(full): `{}`,
		`[{"channel":"usage","op":"add","value":{"calls":1}},{"channel":"answer","op":"set","value":"calls"}]`: `[{"channel":"answer","op":"set","value":"calls"}]`,
		`{"calls":3}`:                         `{"calls":3}`,
		`{"skill_hash":"x","confidence":1.0}`: `{"confidence":1.0}`,
		`no JSON`:                             `no JSON`,
	} {
		if got := string(withoutUsage(json.RawMessage(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
