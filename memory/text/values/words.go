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

// Month returns the number of a month from its lower-case English name or short form, or 0.
func Month(w string) int {
	for i, name := range monthNames {
		if w == name || w == name[:3] || w == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

// monthsElsewhere are the names of months in German, French, Spanish, Italian, Dutch and
// Portuguese, in lower case.
var monthsElsewhere = func() map[string]int {
	all := map[string]int{}
	for _, list := range []string{
		`januar februar märz april mai juni juli august september oktober november dezember`,
		`janvier février mars avril mai juin juillet août septembre octobre novembre décembre`,
		`enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`,
		`gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre`,
		`januari februari maart april mei juni juli augustus september oktober november december`,
		`janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro`,
		`jänner - - - - - - - setiembre - - -`,
	} {
		for i, name := range strings.Fields(list) {
			all[name] = i + 1
		}
	}
	delete(all, "-")
	return all
}()

// MonthOf returns the number of a month from its name in any language of [Dates], or 0. "Mars" and
// "mai" mean other things in English: use Month for English texts.
func MonthOf(w string) int {
	w = strings.ToLower(w)
	if n := Month(w); n > 0 {
		return n
	}
	return monthsElsewhere[w]
}

// MonthName returns the lower-case name of the n-th month.
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
