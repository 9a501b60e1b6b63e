package state_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/assay/state"
)

func TestMoney(t *testing.T) {
	for amount, want := range map[float64]string{
		0: "0", 1: "1", 0.00125: "0.00125", -2.5: "-2.5", 12.000000001: "12.000000001", 0.0000000004: "0", 0.0000000006: "0.000000001",
		math.NaN(): "0", math.Inf(1): "9223372036.854775807", math.Inf(-1): "-9223372036.854775808", 1e30: "9223372036.854775807",
	} {
		if got := state.MoneyOf(amount).String(); got != want {
			t.Errorf("MoneyOf(%v) = %s; want %s", amount, got, want)
		}
	}
	for text, want := range map[string]state.Money{"1e-3": 1_000_000, "0.1234567891": 123_456_789, "null": 7} {
		got := state.Money(7)
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is read as %d, %v; want %d", text, int64(got), err, int64(want))
		}
	}
	for _, text := range []string{`"x"`, `{}`, `true`} {
		var m state.Money
		if err := json.Unmarshal([]byte(text), &m); err == nil {
			t.Errorf("%s was read as %v", text, m)
		}
	}
}

func TestMoneyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := state.Money(rapid.Int64().Draw(t, "m"))
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back state.Money
		if err := json.Unmarshal(data, &back); err != nil || back != m {
			t.Fatalf("%d came back from %s as %d, %v", int64(m), data, int64(back), err)
		}
	})
}

// A usage without money reads and is written as before there was any.
func TestUsageWithoutMoney(t *testing.T) {
	data, err := json.Marshal(state.ModelUsage{Calls: 1})
	if want := `{"calls":1,"input_chars":0,"output_chars":0,"input_tokens":0,"output_tokens":0,"parse_failures":0}`; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
	sum := state.ModelUsage{Cost: 2, Unpriced: 1}.Plus(state.ModelUsage{Cost: 3, Unpriced: 1})
	if sum.Cost != 5 || sum.Unpriced != 2 {
		t.Errorf("sum %+v", sum)
	}
}
