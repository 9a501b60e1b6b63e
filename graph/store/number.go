package store

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A number is a JSON number. Integers of up to 64 bits stay exact, since they are often
// identifiers; other numbers are float64.
type number struct {
	whole    bool
	negative bool
	size     uint64  // of a whole number
	float    float64 // of any other number; infinite when it is too large
}

func parseNumber(n json.Number) number {
	digits, negative := strings.CutPrefix(n.String(), "-")
	if size, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return number{whole: true, negative: negative && size > 0, size: size}
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil && !math.IsInf(f, 0) {
		f = math.NaN() // not a JSON number: matches nothing
	}
	return number{float: f}
}

// compare returns -1, 0 or 1, and false when the numbers have no order.
func (a number) compare(b number) (int, bool) {
	switch {
	case math.IsNaN(a.float), math.IsNaN(b.float):
		return 0, false
	case !a.whole && !b.whole:
		return cmp.Compare(a.float, b.float), true
	case a.whole && b.whole && a.negative == b.negative:
		order := cmp.Compare(a.size, b.size)
		if a.negative {
			order = -order
		}
		return order, true
	}
	return a.exact().Cmp(b.exact()), true
}

func (a number) exact() *big.Float {
	if !a.whole {
		return new(big.Float).SetFloat64(a.float)
	}
	f := new(big.Float).SetUint64(a.size)
	if a.negative {
		f.Neg(f)
	}
	return f
}
