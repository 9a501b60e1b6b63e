package facts

import (
	"math"

	"example.com/assay/memory/text/values"
)

// bound is the bound that a phrase makes of a number: "at least 5", "up to 5".
type bound int8

const (
	exactly bound = iota
	lower         // at least, more than, over
	upper         // at most, less than, under
	about         // roughly
)

// A quantity is a number with the counted noun or the unit.
type quantity struct {
	numeral
	units      []values.Unit // none: a count; two: an ambiguous word
	nouns      []string
	bound      bound
	first, end int // tokens, end exclusive
	raw        string
	counted    string // the root right after it
	rate       bool   // "per day", "each month", "daily"
	soft       bool   // said in other words as well ("a", "the second"): its absence means nothing
}

// mostValues bounds the numbers, dates and names of one sentence. Anything with more is a table.
const mostValues = 128

// quantities finds the numbers of a sentence. Tokens of dates are taken.
func quantities(toks []token, taken []bool) []quantity {
	var out []quantity
	for i := 0; i < len(toks) && len(out) < mostValues; {
		if taken[i] {
			i++
			continue
		}
		if isLabel(toks, i) {
			i++
			continue
		}
		n, ok := readNumeral(toks, i)
		if ok {
			n.next = repeated(toks, n)
		}
		rate := !ok && isRate(toks, i)
		implied := !ok && impliedOne(toks, i) || rate
		if implied {
			n, ok = numeral{value: 1, next: i + 1, exact: true}, true
		}
		if !ok || vague(toks, i, n) {
			i++
			continue
		}
		q := quantity{numeral: n, first: i, end: n.next, raw: toks[i].text}
		q.soft = implied || !n.digits && n.value == 1 || n.ordinal && !n.digits && n.value <= 2
		q.rate = rate
		q.bound = boundBefore(toks, i)
		if q.share {
			q.units = []values.Unit{{Dimension: "ratio", Factor: 1}}
		}
		readUnit(toks, &q)
		if us, adverb := rates[toks[i].text]; rate && adverb {
			q.units, q.end = us, i+1
		}
		q.nouns = nounsAround(toks, q)
		if q.end < len(toks) && toks[q.end].content {
			q.counted = toks[q.end].root
		}
		q.soft = q.soft || textAt(toks, q.end) == "as" // twice as much
		out = append(out, q)
		i = max(q.end, i+1)
	}
	// The unit of a range's end is that of its start: "from nine to six days".
	for i := len(out) - 2; i >= 0; i-- {
		if out[i].end > out[i+1].first {
			continue // "two EUR 3": the currency is read as both numbers'
		}
		gap := toks[out[i].end:out[i+1].first]
		if len(out[i].units) == 0 && len(gap) <= 2 && len(gap) > 0 && joinsRange(gap) && !out[i].ordinal {
			out[i].units, out[i].nouns = out[i+1].units, out[i+1].nouns
		}
	}
	return out
}

// isLabel reports whether a number only numbers its clause: "5. No Licence."
func isLabel(toks []token, i int) bool {
	return i == 0 && len(toks) > 2 && toks[0].kind == number && (toks[1].text == "." || toks[1].text == ")") && toks[2].capital
}

// repeated returns the token after a number that is repeated in brackets, as in "three (3) years";
// otherwise the token after the number.
func repeated(toks []token, n numeral) int {
	if textAt(toks, n.next) != "(" {
		return n.next
	}
	again, ok := readNumeral(toks, n.next+1)
	if !ok || again.value != n.value || textAt(toks, again.next) != ")" {
		return n.next
	}
	return again.next + 1
}

func joinsRange(gap []token) bool {
	switch gap[0].text {
	case "to", "and", "or", "-", "–", "—", "until":
		return true
	}
	return false
}

// vague reports whether a number word is not a number: "one of them", "a second time". "Second" as
// part of a minute is read by its unit.
func vague(toks []token, i int, n numeral) bool {
	t := toks[i]
	if n.digits {
		return partOfName(toks, i)
	}
	if t.text == "one" && n.next == i+1 {
		if i+1 >= len(toks) || toks[i+1].kind != word {
			return true
		}
		next := toks[i+1].text
		return len(values.UnitWords[next]) == 0 && !toks[i+1].content
	}
	return t.text == "once"
}

// rates are the adverbs that say how often.
var rates = map[string][]values.Unit{
	"hourly": values.UnitWords["hour"], "daily": values.UnitWords["day"], "weekly": values.UnitWords["week"], "monthly": values.UnitWords["month"],
	"yearly": values.UnitWords["year"], "annually": values.UnitWords["year"], "annual": values.UnitWords["year"],
}

// isRate reports whether a rate begins here: "per day", "each month", "every year", "daily".
func isRate(toks []token, i int) bool {
	switch toks[i].text {
	case "per", "each", "every":
		us := values.UnitWords[textAt(toks, i+1)]
		return len(us) > 0 && us[0].Family() == "time"
	}
	return rates[toks[i].text] != nil
}

// partOfName reports whether digits belong to a name, as in "CK-666" and "MEK 1/2", or follow a
// stroke.
func partOfName(toks []token, i int) bool {
	if i > 1 && toks[i].joined && toks[i-1].joined {
		before := toks[i-2]
		if toks[i-1].text == "-" && before.kind == word && (before.capital || len(before.text) < 3) ||
			toks[i-1].text == "/" && before.kind == number {
			return true
		}
	}
	return overNumber(toks, i) && i > 0 && toks[i-1].capital
}

// overNumber reports whether a number is the first of a pair such as "1/2000".
func overNumber(toks []token, i int) bool {
	return i+2 < len(toks) && toks[i+1].text == "/" && toks[i+1].joined && toks[i+2].joined && toks[i+2].kind == number
}

// impliedOne reports whether a one is implied: "a fortnight", "within a year".
func impliedOne(toks []token, i int) bool {
	if t := toks[i].text; t != "a" && t != "an" {
		return false
	}
	us := values.UnitWords[textAt(toks, i+1)]
	return len(us) > 0 && us[0].Family() == "time" && textAt(toks, i-1) != "times" && textAt(toks, i-1) != "once" && textAt(toks, i-1) != "twice"
}

// readUnit parses the currency before a number and the unit after it.
func readUnit(toks []token, q *quantity) {
	if q.first > 0 {
		if u, ok := values.CurrencySigns[toks[q.first-1].text]; ok {
			q.units = []values.Unit{u}
			q.first--
		} else if us := values.UnitWords[toks[q.first-1].text]; len(us) == 1 && us[0].Family() == "money" && toks[q.first-1].allCaps {
			q.units = us // EUR 40
			q.first--
		}
	}
	at := q.next
	if at < len(toks) && (toks[at].text == "-" || toks[at].text == "°") {
		at++ // a thirty-day period, 80 °C
	}
	if at < len(toks) && (toks[at].text == "degrees" || toks[at].text == "degree") {
		at++
	}
	if at >= len(toks) || q.ordinal {
		return
	}
	t := toks[at]
	if t.text == "per" && at+1 < len(toks) && toks[at+1].text == "cent" {
		q.units, q.end = []values.Unit{{Dimension: "ratio", Factor: .01}}, at+2
		return
	}
	if t.text == "s" && textAt(toks, q.first-1) == "-" && (textAt(toks, q.first-2) == "under" || textAt(toks, q.first-2) == "over") {
		q.end = at + 1 // under-16s are people
		return
	}
	if u, ok := values.UnitSigns[sourceText(t)]; ok && q.digits && len(q.units) == 0 && (t.text != "in" || t.joined) {
		q.units, q.end = []values.Unit{u}, at+1
		if (t.text == "m" || t.text == "l") && at+2 < len(toks) && toks[at+1].text == "/" {
			q.end = at + 3
		}
		return
	}
	us, ok := values.UnitWords[t.text]
	if !ok || q.share {
		return
	}
	if t.text == "km" && at+2 < len(toks) && toks[at+1].text == "/" && toks[at+2].text == "h" {
		q.units, q.end = []values.Unit{{Dimension: "speed", Factor: 1}}, at+3
		return
	}
	if len(q.units) == 0 {
		q.units = us
	}
	q.end = at + 1
	if us[0].Dimension == "ratio" && q.end < len(toks) && (toks[q.end].text == "points" || toks[q.end].text == "point") {
		q.units, q.end = []values.Unit{{Dimension: "points", Factor: 1}}, q.end+1
	}
}

// sourceText returns a sign or a single letter in its original case.
func sourceText(t token) string {
	if t.capital && len(t.text) == 1 {
		return string(t.text[0] - 'a' + 'A')
	}
	return t.text
}

// nounsAround returns the roots of the counted nouns: the two content words after the number and
// the one before it, in the same clause.
func nounsAround(toks []token, q quantity) []string {
	var nouns []string
	clause := toks[max(q.end-1, 0)].clause
	for i, n := q.end, 0; i < len(toks) && n < 2 && toks[i].clause == clause && i < q.end+4; i++ {
		if toks[i].kind == word && toks[i].content {
			nouns = append(nouns, toks[i].root)
			n++
		}
	}
	for i := q.first - 1; i >= 0 && i >= q.first-3 && toks[i].clause == toks[q.first].clause; i-- {
		if toks[i].kind == word && toks[i].content {
			return append(nouns, toks[i].root)
		}
	}
	return nouns
}

// equal reports whether two quantities are the same amount of the same thing, as far as their units
// show. A missing unit matches any.
func (q quantity) equal(r quantity) bool {
	if !q.exact || !r.exact {
		return q.raw == r.raw
	}
	tolerance := 1e-9
	if q.bound == about || r.bound == about {
		tolerance = .03
	}
	if len(q.units) == 0 || len(r.units) == 0 {
		return near(q.value, r.value, tolerance)
	}
	for _, u := range q.units {
		for _, v := range r.units {
			if u.Dimension == v.Dimension && near(q.value*u.Factor, r.value*v.Factor, tolerance) {
				return true
			}
		}
	}
	return false
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// sameFamily reports whether both measure the same dimension.
func (q quantity) sameFamily(r quantity) bool {
	for _, u := range q.units {
		for _, v := range r.units {
			if u.Family() == v.Family() {
				return true
			}
		}
	}
	return false
}

// boundBefore reads a bound from the words before a number.
func boundBefore(toks []token, i int) bound {
	if i > 0 {
		if _, ok := values.CurrencySigns[toks[i-1].text]; ok {
			i--
		}
	}
	if i > 1 && toks[i-1].text == "-" && toks[i-1].joined { // under-16s
		i--
	}
	b1, b2, b3 := textAt(toks, i-1), textAt(toks, i-2), textAt(toks, i-3)
	if b3 == "be" {
		b3 = textAt(toks, i-4)
	}
	negated := b3 == "no" || b3 == "not" || b3 == "nor"
	side := exactly
	switch {
	case b2 == "at" && (b1 == "least" || b1 == "minimum"), b2 == "minimum" && b1 == "of":
		side = lower
	case b2 == "at" && (b1 == "most" || b1 == "maximum"), b2 == "up" && b1 == "to", b2 == "maximum" && b1 == "of":
		side = upper
	case b1 == "than":
		switch b2 {
		case "more", "greater", "higher", "longer", "larger", "later", "older", "bigger", "taller", "deeper", "wider", "thicker", "heavier", "stronger", "faster", "warmer", "hotter", "dearer", "farther", "further":
			side = lower
		case "less", "fewer", "lower", "shorter", "smaller", "earlier", "younger", "shallower", "narrower", "thinner", "lighter", "weaker", "slower", "colder", "cooler", "cheaper", "nearer", "closer":
			side = upper
		}
	case b1 == "over" || b1 == "above" || b1 == "exceeding" || b1 == "exceeds" || b1 == "exceed":
		side = lower
		negated = (b2 == "no" || b2 == "not" || b2 == "nor") && textAt(toks, i) != "-"
	case b1 == "under" || b1 == "below":
		side = upper
	case b1 == "about" || b1 == "roughly" || b1 == "approximately" || b1 == "around" || b1 == "nearly" || b1 == "almost" || b1 == "some" || b1 == "circa":
		side = about
	}
	if negated && side == lower {
		return upper
	}
	if negated && side == upper {
		return lower
	}
	return side
}

func textAt(toks []token, i int) string {
	if i < 0 || i >= len(toks) {
		return ""
	}
	return toks[i].text
}
