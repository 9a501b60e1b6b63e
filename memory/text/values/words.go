package values

import "strings"

// Numbers that a single word says.
var (
	Cardinals = numbered(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
		sixteen seventeen eighteen nineteen`, 0, 1)
	Tens     = numbered(`twenty thirty forty fifty sixty seventy eighty ninety`, 20, 10)
	Ordinals = numbered(`zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
		fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`, 0, 1)
	Weekdays = numbered(`monday tuesday wednesday thursday friday saturday sunday`, 1, 1)
)

var monthNames = strings.Fields(`january february march april may june july august september october november december`)

func numbered(list string, from, step int) map[string]int {
	m := map[string]int{}
	for i, w := range strings.Fields(list) {
		m[w] = from + i*step
	}
	return m
}

// Month is the number of a month, by its name or its short form in lower case; 0 for
// another word.
func Month(w string) int {
	for i, name := range monthNames {
		if w == name || w == name[:3] || w == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

// MonthName is the name of the n-th month in lower case.
func MonthName(n int) string { return monthNames[n-1] }

// spelled reads a number below a hundred, "nine" or "twenty-four"; 0 for others.
func spelled(s string) int {
	ten, one, joined := strings.Cut(s, "-")
	if n := Cardinals[one]; joined && 1 <= n && n <= 9 && Tens[ten] > 0 {
		return Tens[ten] + n
	}
	return Cardinals[s] + Tens[s]
}

// ordinal reads "ninth", "thirtieth" and "twenty-first"; 0 for others.
func ordinal(s string) int {
	if n, ok := Ordinals[s]; ok {
		return n
	}
	if ten, ok := strings.CutSuffix(s, "ieth"); ok {
		return Tens[ten+"y"]
	}
	ten, one, _ := strings.Cut(s, "-")
	if n := Ordinals[one]; 1 <= n && n <= 9 && Tens[ten] > 0 {
		return Tens[ten] + n
	}
	return 0
}
