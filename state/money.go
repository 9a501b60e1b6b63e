package state

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Money is an amount in billionths of the currency of the prices. It is an integer, so that a sum
// is the same in every order. In JSON it is a decimal number of the currency, such as 0.00125.
type Money int64

// one is one unit of the currency.
const one = 1_000_000_000

// MoneyOf returns an amount of the currency, rounded to a billionth. NaN is 0; an amount out of
// range is the nearest bound.
func MoneyOf(amount float64) Money {
	switch n := math.Round(amount * one); {
	case math.IsNaN(n):
		return 0
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n <= math.MinInt64:
		return math.MinInt64
	default:
		return Money(n)
	}
}

// String is the amount as a decimal number, without zeros at its end.
func (m Money) String() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -n
	}
	text := sign + strconv.FormatUint(n/one, 10)
	if rest := n % one; rest != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")
	}
	return text
}

// Amount is the amount in the currency, to the precision of a float.
func (m Money) Amount() float64 { return float64(m) / one }

// MarshalJSON writes the amount as a number of the currency.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads the output of MarshalJSON, and any other JSON number, rounded to a billionth.
func (m *Money) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return fmt.Errorf("reading an amount of money: %w", err)
	}
	if exact, ok := billionths(number.String()); ok {
		*m = exact
		return nil
	}
	amount, err := number.Float64()
	if err != nil {
		return fmt.Errorf("reading an amount of money: %w", err)
	}
	*m = MoneyOf(amount)
	return nil
}

// billionths reads a plain decimal number of at most nine places exactly,
// where a float would lose the last digits of a large amount.
func billionths(text string) (Money, bool) {
	whole, places, _ := strings.Cut(text, ".")
	if len(places) > 9 {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+places+strings.Repeat("0", 9-len(places)), 10, 64)
	return Money(n), err == nil
}
