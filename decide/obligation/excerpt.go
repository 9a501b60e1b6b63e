package obligation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// Limits of a quote, in words.
const (
	LeastWords = 10
	MostWords  = 40
)

// An Excerpt is the quoted part of a sentence. Spans are byte ranges of the text.
type Excerpt struct {
	Quote text.Span
	// Stems are texts that must precede Quote and are not part of it, in order: the lead-ins of the
	// sentence's lists, outermost first, or the sentence that it depends on.
	Stems   []text.Span
	Cut     bool // the quote leaves out words of the sentence
	Limited bool // the omitted words contain an exception or a condition
}

// Lead returns the text before a place in a quoted sentence: its stems, and the part of the quote
// before the place.
func (x Excerpt) Lead(whole string, at int) string {
	lead := ""
	for _, stem := range x.Stems {
		lead += whole[stem.Start:stem.End] + " "
	}
	return lead + whole[min(x.Quote.Start, at):at]
}

// Words counts the words of a text: runs without white space that contain a letter or a digit.
func Words(s string) int {
	n := 0
	for _, f := range strings.Fields(s) {
		if strings.ContainsFunc(f, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// exception matches limits of a rule; an excerpt without its exception says more than the rule.
var exception = words(`unless|except(?:ing)?|provided\s+that|notwithstanding|however|but\s+not|only\s+if|if|where|when|until`)

// border matches the end of a clause: after ; : — or a comma, and before a conjunction.
var border = pattern.New(`[;:]\s+|,\s+|\s+[—–-]\s+|\s+(?:and|or|but|unless|except|provided|which|that|where|if|when)\s+|\n+`)

// Fit returns the quote of the sentence at s. A sentence of at most MostWords words is quoted
// whole. From a longer one it keeps the clauses around its word of duty, from the sentence's
// beginning if there is room. A list item begins at its list's lead-in if that is short and
// directly before it; otherwise the lead-ins are Stems. So is the sentence that a sentence depends
// on.
func Fit(whole string, s text.Span) Excerpt {
	s = trimmed(whole, s)
	sentence := whole[s.Start:s.End]
	out := Excerpt{Quote: s}
	if Words(sentence) > MostWords {
		from, to := clauses(sentence)
		left := sentence[:from] + " " + sentence[to:]
		out = Excerpt{Quote: text.Span{Start: s.Start + from, End: s.Start + to}, Cut: true, Limited: exception.MatchString(left)}
	}
	stems, adjacent := stemsOf(whole, s)
	if adjacent && !out.Cut && Words(whole[stems[0].Start:s.End]) <= MostWords {
		out.Quote.Start = stems[0].Start
		return out
	}
	out.Stems = stems
	return out
}

func trimmed(whole string, s text.Span) text.Span {
	for s.Start < s.End && strings.ContainsRune(" \t\r\n", rune(whole[s.Start])) {
		s.Start++
	}
	for s.End > s.Start && strings.ContainsRune(" \t\r\n", rune(whole[s.End-1])) {
		s.End--
	}
	return s
}

// clauses returns the bytes of a long sentence to keep. They begin at its beginning if the clause
// with its word of duty then ends early enough, else at the first border from which the rest can
// stand alone, else at the border before the word of duty. They include as many later clauses as
// there is room for.
func clauses(sentence string) (from, to int) {
	duty, dutyEnd, ok := Cue(sentence)
	if !ok {
		duty, dutyEnd = 0, 0
	}
	cuts, before := borders(sentence)
	last := len(cuts) - 1
	for last > 1 && cuts[last-1] >= dutyEnd && cuts[last-1] > duty {
		last--
	}
	nearest := 0
	for i := range last {
		if cuts[i] <= duty {
			nearest = i
		}
	}
	first := nearest
	for i := range nearest + 1 {
		if before[last]-before[i] <= MostWords && (i == 0 || Complete(strings.TrimSpace(sentence[cuts[i]:cuts[last]]), false)) {
			first = i
			break
		}
	}
	for last < len(cuts)-1 && before[last+1]-before[first] <= MostWords {
		last++
	}
	from, to = cuts[first], cuts[last]
	if before[last]-before[first] > MostWords { // one clause without a border
		from, to = window(sentence, from, to, duty)
	}
	s := trimmed(sentence, text.Span{Start: from, End: to})
	return s.Start, s.End
}

// borders returns where the clauses of a sentence begin, and its end; before counts the words ahead
// of each. It does not split text in brackets.
func borders(sentence string) (cuts, before []int) {
	cuts, before = []int{0}, []int{0}
	depth, at := 0, 0
	for _, b := range append(border.FindAllStringIndex(sentence, -1), []int{len(sentence), len(sentence)}) {
		for ; at < b[0]; at++ {
			switch sentence[at] {
			case '(':
				depth++
			case ')':
				depth = max(depth-1, 0)
			}
		}
		cut := b[0]
		if cut < len(sentence) && strings.ContainsRune(",;:", rune(sentence[cut])) {
			cut++ // the mark belongs to its clause
		}
		if last := cuts[len(cuts)-1]; cut > last && (depth == 0 || b[0] == len(sentence)) {
			before = append(before, before[len(before)-1]+Words(sentence[last:cut]))
			cuts = append(cuts, cut)
		}
	}
	return cuts, before
}

// window keeps MostWords words of a clause: from its beginning if they include the word of duty,
// else from a few words before that.
func window(sentence string, from, to, duty int) (int, int) {
	if Words(sentence[from:min(max(duty, from), to)]) > MostWords-LeastWords {
		before := strings.Fields(sentence[from:duty])
		keep := strings.Join(before[max(0, len(before)-LeastWords):], " ")
		if at := strings.LastIndex(sentence[from:duty], firstWord(keep)); at >= 0 && Words(sentence[from+at:duty]) <= MostWords-LeastWords {
			from += at
		} else {
			from = duty
		}
	}
	n, inWord := 0, false
	for i, r := range sentence[from:to] {
		if unicode.IsSpace(r) {
			if inWord {
				if n++; n == MostWords {
					return from, from + i
				}
			}
			inWord = false
		} else {
			inWord = true
		}
	}
	return from, to
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

// placeholder matches text that is still to be written.
var placeholder = pattern.New(`(?i)\[[^\]\[]{0,300}\b(?:placeholder|insert|tb[adc]|to\s+be\s+(?:determined|confirmed|completed|inserted|added|announced|decided))\b[^\]\[]{0,300}\]|\b(?:TBD|TBC|TBA)\b|\bto\s+be\s+(?:determined|inserted|announced)\b|\blorem\s+ipsum\b|<(?:insert|placeholder)[^>\n]{0,200}>|\{\{[^}\n]{0,200}\}\}`)

// mayHold matches in every placeholder outside brackets.
var mayHold = pattern.New(`(?i)tb[acd]|to\s+be\s|lorem`)

// Placeholders returns the placeholders in a text: "[Placeholder: …]", "TBD", "to be determined".
func Placeholders(s string) []text.Span {
	if !strings.ContainsAny(s, "[<{") && !mayHold.MatchString(s) {
		return nil
	}
	var out []text.Span
	for _, at := range placeholder.FindAllStringIndex(s, -1) {
		out = append(out, text.Span{Start: at[0], End: at[1]})
	}
	return out
}

// leans matches the beginning of a sentence that depends on the previous one.
var leans = pattern.New(`^(?i:it|they|he|she|this|these|those|such|that|its|their|his|her|and|or|but|nor|which|who|whose|where(?:by|upon|in)|thereof|therein|otherwise|the (?:above|latter|former|foregoing|same|said)|in (?:this|that|such) (?:case|event)|as (?:above|such))\b|^(?i:[a-z]+ed (?:within|by|in|at|for|only|from|before|after)\b)|\b(?:it|them|so)[.;]?$`)

// Complete reports whether a quote can be understood alone: it does not depend on a sentence before
// it and does not end at a colon. A quote that begins inside its sentence, in lower case, has lost
// its subject, unless a stem precedes it or the clause names who is bound.
func Complete(quote string, stem bool) bool {
	bare, _ := unmarked(quote)
	if bare == "" || Leads(bare) {
		return false
	}
	if stem {
		return true
	}
	r, _ := utf8.DecodeRuneInString(bare)
	return (!unicode.IsLower(r) || bound(bare)) && !leans.MatchString(bare)
}

// determiner matches the beginning of a subject in the middle of a sentence.
var determiner = pattern.New(`^(?:the|an?|any|every|each|all|no)\s`)

// bound reports whether a clause from the middle of a sentence names who is bound: it begins with a
// determiner, and its word of duty follows within a few words.
func bound(clause string) bool {
	const near = 12
	start, _, ok := Cue(clause)
	return ok && start > 0 && determiner.MatchString(clause) && Words(clause[:start]) <= near
}
