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

// monthStarts are how the names of months begin in the languages of MonthWords.
var monthStarts = strings.Fields(`jan,ene,gen,jän feb,fev,fév mar,mär,maa apr,avr,abr may,mai,mag,mei jun,jui,giu jul,juil,lug aug,aoû,ago sep,set oct,okt,ott,out nov dec,dez,déc,dic`)

// monthNamed is the number of a month by a name that MonthWords has; 0 for none.
func monthNamed(w string) int {
	best, n := 0, 0
	for i, starts := range monthStarts {
		for _, s := range strings.Split(starts, ",") {
			if strings.HasPrefix(w, s) && len(s) > best {
				best, n = len(s), i+1
			}
		}
	}
	return n
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
