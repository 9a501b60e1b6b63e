package obligation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

const (
	mostStemWords = 60      // of one stem
	mostLevels    = 6       // of lists within lists
	mostStem      = 4 << 10 // how many bytes before a sentence are searched for its stems
)

// A line is a sentence before the one whose stems are searched, or that one itself.
type line struct {
	span  text.Span
	mark  string // marker of its list item; empty without one
	lower bool   // begins in lower case
	leads bool   // ends as the lead-in of a list does: with a colon or a dash
}

// stemsOf returns the stems of the sentence at s; adjacent says that they are directly before it,
// with nothing in between.
func stemsOf(whole string, s text.Span) (stems []text.Span, adjacent bool) {
	own := lineOf(whole, s)
	leaning := own.mark == "" && leans.MatchString(whole[s.Start:s.End])
	if own.mark == "" && !own.lower && !leaning {
		return nil, false
	}
	from := max(0, s.Start-mostStem)
	var lines []line
	for _, b := range text.Sentences(whole[from:s.Start]) {
		lines = append(lines, lineOf(whole, trimmed(whole, text.Span{Start: from + b.Start, End: from + b.End})))
	}
	if n := len(lines); leaning && n > 0 {
		if before := lines[n-1]; !before.leads || before.mark != "" {
			return leantOn(whole, before, s), false
		}
	}
	lines = append(lines, own)
	adjacent = true
	at := len(lines) - 1
	for len(stems) < mostLevels && (lines[at].mark != "" || lines[at].lower) {
		lead, ok := leadIn(whole, lines, at)
		if !ok {
			break
		}
		span := lines[lead].span
		if Words(whole[span.Start:span.End]) > mostStemWords {
			break
		}
		adjacent = adjacent && lead == at-1
		stems = append([]text.Span{span}, stems...)
		at = lead
	}
	if len(stems) == 0 {
		return nil, false
	}
	if words := whole[stems[0].Start:stems[0].End]; at > 0 && leans.MatchString(words) {
		if on := leantOn(whole, lines[at-1], stems[0]); on != nil {
			return append(on, stems...), false
		}
	}
	return stems, adjacent
}

func lineOf(whole string, s text.Span) line {
	words := whole[s.Start:s.End]
	bare, listed := unmarked(words)
	l := line{span: s}
	if listed {
		l.mark = strings.TrimSpace(marker.FindString(words))
	}
	first, _ := utf8.DecodeRuneInString(bare)
	l.lower = unicode.IsLower(first)
	l.leads = Leads(words)
	return l
}

// Leads reports whether a text ends like the lead-in of a list: with a colon or a dash.
func Leads(s string) bool {
	end := strings.TrimRight(s, "*_ \t\r\n")
	return strings.HasSuffix(end, ":") || strings.HasSuffix(end, "—") || strings.HasSuffix(end, "–") || strings.HasSuffix(end, " -")
}

// leantOn returns the sentence that the next one depends on, if it is in the same paragraph and
// depends on nothing itself.
func leantOn(whole string, before line, s text.Span) []text.Span {
	words := whole[before.span.Start:before.span.End]
	between := whole[before.span.End:s.Start]
	bare, _ := unmarked(words)
	switch {
	case strings.Count(between, "\n") > 1 || strings.HasPrefix(words, "#") || leans.MatchString(bare) || before.lower:
		return nil
	case Words(words) > mostStemWords || Words(words) < 3:
		return nil
	}
	return []text.Span{before.span}
}

// leadIn finds the lead-in of the list with the item at line at: the line before the list's first
// item. It follows the items' marks backwards, skips the text of items, and gives up if a mark is
// missing.
func leadIn(whole string, lines []line, at int) (int, bool) {
	item := at
	for i := at - 1; i >= 0; i-- {
		l := lines[i]
		switch {
		case l.leads && i == item-1 && !precedes(l.mark, lines[item].mark):
			return i, true
		case strings.HasPrefix(whole[l.span.Start:l.span.End], "#"):
			return 0, false
		case lines[item].mark == "" || precedes(l.mark, lines[item].mark):
			if lines[item].mark == "" && l.mark == "" && !l.lower {
				return 0, false // text, not a list
			}
			item = i
		}
	}
	return 0, false
}

// precedes reports whether one mark directly precedes another in a list: "(a)" before "(b)", "iii."
// before "iv.", "2)" before "3)", a bullet before an equal one.
func precedes(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	la, lb := strings.Trim(a, "()."), strings.Trim(b, "().")
	if strings.Replace(a, la, "", 1) != strings.Replace(b, lb, "", 1) {
		return false // another style
	}
	switch {
	case la == lb:
		return strings.ContainsAny(la, "-*•·–")
	case len(la) == 1 && len(lb) == 1 && la[0]+1 == lb[0]:
		return true
	}
	if x, y := roman(la), roman(lb); x > 0 && x+1 == y {
		return true
	}
	headA, lastA := numberOf(la)
	headB, lastB := numberOf(lb)
	return headA == headB && lastA > 0 && lastA+1 == lastB
}

// numberOf splits "2.3.1" into "2.3." and 1; the number is 0 if there is none.
func numberOf(s string) (head string, last int) {
	at := strings.LastIndexByte(s, '.') + 1
	for _, r := range s[at:] {
		if r < '0' || r > '9' || last > 999 {
			return s[:at], 0
		}
		last = 10*last + int(r-'0')
	}
	return s[:at], last
}

// roman returns the value of a small roman numeral, 0 for anything else.
func roman(s string) int {
	values := map[byte]int{'i': 1, 'v': 5, 'x': 10}
	low, sum := strings.ToLower(s), 0
	for i := range len(low) {
		v := values[low[i]]
		if v == 0 {
			return 0
		}
		if i+1 < len(low) && values[low[i+1]] > v {
			v = -v
		}
		sum += v
	}
	return sum
}
