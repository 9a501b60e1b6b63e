package values

import (
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
)

const inWords = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty(?:-(?:four|five|one|two))?|thirty(?:-six)?|forty(?:-eight)?|sixty|ninety`

var (
	durationPattern = pattern.New(`(?i)\b(?:(` + inWords + `)\s*)?(?:\(?\s?(\d{1,3})\s?\)?)?[\s-]*(?:full |calendar |consecutive |additional |business )?(year|month|week|day)s?\b`)
	anniversary     = pattern.New(`(?i)\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?:\s\(\d+\w*\))?\s+anniversary\b`)
)

// durationReach is the greatest extent of a duration around its unit: "twenty-four (24) consecutive
// additional months".
const durationReach = 60 // bytes

// startsUnit reports whether a text begins with a unit of time.
func startsUnit(text string) bool {
	for _, unit := range []string{"year", "month", "week", "day"} {
		if len(text) >= len(unit) && text[0]|0x20 == unit[0] && strings.EqualFold(text[:len(unit)], unit) {
			return true
		}
	}
	return false
}

// Durations returns durations such as "two (2) years", and anniversaries as years. Values are the
// number and the unit: "2 years", "1 year". A unit without a number is ignored.
func Durations(text string) []Found {
	var out []Found
	units := near(text, durationReach, func(text string, at int) bool { return startsUnit(text[at:]) })
	for _, m := range allNear(units, durationPattern, text) {
		n := 0
		switch {
		case m[4] >= 0:
			n, _ = strconv.Atoi(text[m[4]:m[5]]) // one to three digits
		case m[2] >= 0:
			n = spelled(strings.ToLower(text[m[2]:m[3]]))
		}
		if n > 0 {
			start := m[0]
			out = append(out, Found{Start: start, End: m[1], Value: duration(n, strings.ToLower(text[m[6]:m[7]]))})
		}
	}
	for _, m := range anniversary.FindAllStringSubmatchIndex(text, -1) {
		n := ordinal(strings.ToLower(text[m[2]:m[3]]))
		out = append(out, Found{Start: m[0], End: m[1], Value: duration(n, "year"), Kind: 1})
	}
	slices.SortFunc(out, func(a, b Found) int { return a.Start - b.Start })
	return out
}

// Duration reads a text that is one span of time.
func Duration(text string) (string, bool) {
	text = strings.TrimSpace(text)
	found := Durations(text)
	if len(found) != 1 || found[0].Start != 0 || found[0].End != len(text) {
		return "", false
	}
	return found[0].Value, true
}

func duration(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return strconv.Itoa(n) + " " + unit
}
