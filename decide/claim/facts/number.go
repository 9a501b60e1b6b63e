package facts

import (
	"strings"

	"example.com/assay/memory/text/values"
)

var magnitudes = map[string]float64{
	"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
	"hundreds": 0, "thousands": 0, "millions": 0, "billions": 0, // indefinite
	"m": 1e6, "mn": 1e6, "bn": 1e9, "k": 1e3,
}

// parts are the number words for fractions.
var parts = map[string]float64{
	"half": .5, "halves": .5, "third": 1. / 3, "thirds": 1. / 3, "quarter": .25, "quarters": .25,
	"fourth": .25, "fourths": .25, "fifth": .2, "fifths": .2, "sixth": 1. / 6, "sixths": 1. / 6,
	"eighth": .125, "eighths": .125, "tenth": .1, "tenths": .1,
}

// multiples are the adverbs that count.
var multiples = map[string]float64{"once": 1, "twice": 2, "thrice": 3}

// numeral is a number read from tokens.
type numeral struct {
	value   float64
	next    int  // the token after it
	ordinal bool // "third", "19th"
	exact   bool // a number; false for "8.7.1" and "hundreds"
	digits  bool // written in digits
	share   bool // "half", "two thirds"
}

// readNumeral parses the number that begins at token i. It returns false after the last token.
func readNumeral(toks []token, i int) (numeral, bool) {
	if i >= len(toks) {
		return numeral{}, false
	}
	t := toks[i]
	if t.kind == number {
		v, ok := values.Digits(t.text)
		n := numeral{value: v, next: i + 1, exact: ok, digits: true}
		if overNumber(toks, i) {
			under, fine := values.Digits(toks[i+2].text)
			n.next, n.share, n.exact = i+3, true, ok && fine && under > 0
			if n.exact {
				n.value = v / under
			}
			return n, true
		}
		if i+1 < len(toks) && toks[i+1].joined {
			switch toks[i+1].text {
			case "st", "nd", "rd", "th":
				n.ordinal, n.next = true, i+2
			}
		}
		return withPart(toks, withMagnitude(toks, n)), true
	}
	if t.kind != word || t.roles&asNumber == 0 {
		return numeral{}, false
	}
	if n, ok := readFraction(toks, i); ok {
		return n, true
	}
	n, ok := readSpelled(toks, i)
	if !ok {
		return n, false
	}
	return withPart(toks, n), true
}

// withPart adds "and a half" to the number before it.
func withPart(toks []token, n numeral) numeral {
	at := n.next
	if n.ordinal || textAt(toks, at) != "and" {
		return n
	}
	if at++; textAt(toks, at) == "a" || textAt(toks, at) == "one" {
		at++
	}
	if part := parts[textAt(toks, at)]; part > 0 && !ofFollows(toks, at+1) {
		n.value, n.next = n.value+part, at+1
	}
	return n
}

func withMagnitude(toks []token, n numeral) numeral {
	for n.next < len(toks) && !n.ordinal {
		t := toks[n.next]
		size, ok := magnitudes[t.text]
		if !ok || size == 0 || len(t.text) < 3 && !t.joined {
			return n
		}
		if t.text == "m" && !nextIsMoney(toks, n.next+1) && !beforeIsCurrency(toks, n.next-1) {
			return n // metres
		}
		n.value *= size
		n.next++
	}
	return n
}

func nextIsMoney(toks []token, i int) bool {
	if i >= len(toks) {
		return false
	}
	us := values.UnitWords[toks[i].text]
	return len(us) > 0 && us[len(us)-1].Family() == "money"
}

func beforeIsCurrency(toks []token, i int) bool {
	if i < 1 {
		return false
	}
	_, ok := values.CurrencySigns[toks[i-1].text]
	return ok
}

// readFraction reads "half", "a third", "two-thirds", "three quarters".
func readFraction(toks []token, i int) (numeral, bool) {
	count, at := 1.0, i
	switch first := toks[i].text; {
	case first == "half" || first == "halves":
		return numeral{value: .5, next: i + 1, exact: true, share: true}, true
	case first == "a":
	case first == "one", values.Cardinals[first] > 1:
		count = float64(values.Cardinals[first])
	default:
		return numeral{}, false
	}
	at++
	if at < len(toks) && toks[at].text == "-" {
		at++
	}
	if at >= len(toks) {
		return numeral{}, false
	}
	p, ok := parts[toks[at].text]
	if !ok || toks[at].text == "half" && count > 1 {
		return numeral{}, false
	}
	if plural := strings.HasSuffix(toks[at].text, "s"); plural != (count > 1) {
		return numeral{}, false
	}
	if count == 1 && toks[at].text != "half" && !ofFollows(toks, at+1) && !byBefore(toks, i-1) {
		return numeral{}, false // "a third attempt", "a quarter"
	}
	return numeral{value: count * p, next: at + 1, exact: true, share: true}, true
}

func ofFollows(toks []token, i int) bool { return i < len(toks) && toks[i].text == "of" }
func byBefore(toks []token, i int) bool  { return i >= 0 && toks[i].text == "by" }

// readSpelled reads "two hundred and fifty", "twenty-five", "third", "twice".
func readSpelled(toks []token, i int) (numeral, bool) {
	total, group, seen, at := 0.0, 0.0, false, i
	n := numeral{exact: true}
	for at < len(toks) {
		t := toks[at]
		if t.kind != word {
			if seen && t.text == "-" && t.joined && at+1 < len(toks) && isCardinal(toks[at+1].text) {
				at++
				continue
			}
			break
		}
		if v, ok := values.Cardinals[t.text]; ok {
			if seen && (group == 0 && total == 0 || int(group)%10 != 0) {
				break
			}
			group += float64(v)
		} else if v, ok := values.Tens[t.text]; ok {
			if seen && int(group)%100 != 0 {
				break
			}
			group += float64(v)
		} else if size := magnitudes[t.text]; size > 0 && len(t.text) > 3 && (seen || at == i && at > 0 && toks[at-1].text == "a") {
			if group == 0 {
				group = 1
			}
			group *= size
			if size > 100 {
				total, group = total+group, 0
			}
		} else if t.text == "dozen" {
			if group == 0 {
				group = 1
			}
			group *= 12
		} else if t.text == "and" && seen && (total > 0 || group >= 100) && at+1 < len(toks) && isCardinal(toks[at+1].text) {
			at++
			continue
		} else if v, ok := values.Ordinals[t.text]; ok {
			if seen && int(group)%10 != 0 || v == 0 {
				break
			}
			group += float64(v)
			n.ordinal = true
		} else if v := multiples[t.text]; v > 0 && !seen {
			n.value, n.next = v, at+1
			return n, true
		} else {
			break
		}
		seen = true
		at++
		if n.ordinal {
			break
		}
	}
	n.value, n.next = total+group, at
	return n, seen
}

func isCardinal(w string) bool {
	_, small := values.Cardinals[w]
	_, ten := values.Tens[w]
	_, ord := values.Ordinals[w]
	return small || ten || ord
}
