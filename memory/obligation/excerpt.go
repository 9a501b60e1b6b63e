package obligation

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// Lengths of a quote, in words.
const (
	LeastWords = 10
	MostWords  = 40
)

// An Excerpt is what of a sentence is quoted. Both spans are bytes of the text
// that the sentence is in.
type Excerpt struct {
	Quote   text.Span
	Stem    text.Span // of the list that the sentence is an item of, when Quote does not hold it; else empty
	Cut     bool      // words of the sentence are left out
	Limited bool      // what is left out holds an exception or a condition
}

// Words counts the words of a text: runs without white space that hold a letter
// or a digit.
func Words(s string) int {
	n := 0
	for _, f := range strings.Fields(s) {
		if strings.ContainsFunc(f, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// exception limits what a rule says; an excerpt without it says more than the
// rule does.
var exception = words(`unless|except(?:ing)?|provided\s+that|notwithstanding|however|but\s+not|only\s+if|if|where|when|until`)

// border ends a clause: behind ; : — or a comma, and before a word that joins.
var border = regexp.MustCompile(`[;:]\s+|,\s+|\s+[—–-]\s+|\s+(?:and|or|but|unless|except|provided|which|that|where|if|when)\s+|\n+`)

// Fit returns how the sentence at s is quoted: whole when it has LeastWords to
// MostWords words. Of a longer one the clauses around its word of duty are kept,
// from the sentence's beginning if they reach, up to MostWords. An item of a list
// that is short, or that begins in lower case, is extended to the list's stem, or
// gets it beside it when what lies between is too long; any other stays short.
func Fit(whole string, s text.Span) Excerpt {
	s = trimmed(whole, s)
	sentence := whole[s.Start:s.End]
	n := Words(sentence)
	out := Excerpt{Quote: s}
	if n > MostWords {
		from, to := clauses(sentence)
		left := sentence[:from] + " " + sentence[to:]
		out = Excerpt{Quote: text.Span{Start: s.Start + from, End: s.Start + to}, Cut: true, Limited: exception.MatchString(left)}
	}
	if n >= LeastWords && startsUpper(sentence) {
		return out
	}
	stem, ok := stemOf(whole, s)
	switch {
	case !ok:
	case Words(whole[stem.Start:s.End]) <= MostWords:
		out.Quote = text.Span{Start: stem.Start, End: s.End}
	case Words(whole[stem.Start:stem.End]) <= mostStemWords:
		out.Stem = stem
	}
	return out
}

func startsUpper(sentence string) bool {
	bare, _ := unmarked(sentence)
	r, _ := utf8.DecodeRuneInString(bare)
	return unicode.IsUpper(r)
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

// clauses returns the bytes of a long sentence that are kept.
func clauses(sentence string) (from, to int) {
	duty, dutyEnd, ok := Cue(sentence)
	if !ok {
		duty, dutyEnd = 0, 0
	}
	cuts := []int{0}
	for _, b := range border.FindAllStringIndex(sentence, -1) {
		at := b[0]
		if strings.ContainsRune(",;:", rune(sentence[at])) {
			at++ // the mark stays with its clause
		}
		if at > cuts[len(cuts)-1] {
			cuts = append(cuts, at)
		}
	}
	cuts = append(cuts, len(sentence))
	words := func(a, b int) int { return Words(sentence[a:b]) }
	first, last := 0, len(cuts)-1
	for i, c := range cuts {
		if c <= duty {
			first = i
		}
	}
	for i := len(cuts) - 1; i >= 0; i-- {
		if cuts[i] >= dutyEnd && cuts[i] > cuts[first] {
			last = i
		}
	}
	if words(0, cuts[last]) <= MostWords {
		first = 0 // the beginning, and with it who is bound
	}
	for first > 0 && words(cuts[first-1], cuts[last]) <= MostWords/2 {
		first--
	}
	for last < len(cuts)-1 && words(cuts[first], cuts[last+1]) <= MostWords {
		last++
	}
	from, to = cuts[first], cuts[last]
	if words(from, to) > MostWords { // one clause without a border
		from, to = window(sentence, from, to, duty)
	}
	s := trimmed(sentence, text.Span{Start: from, End: to})
	return s.Start, s.End
}

// window keeps MostWords words of a clause: from its beginning if the word of
// duty is among them, else from a few words before that.
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

// mostStemWords bounds a stem.
const mostStemWords = 60

// mostStem is how far before an item its stem is looked for, in bytes.
const mostStem = 4 << 10

// stemOf finds the lead-in of the list that a sentence is an item of: the nearest
// line before it that ends with a colon, with only items of the list between. Of a
// list within a list without a word of duty, it is both lead-ins and what is between.
func stemOf(whole string, s text.Span) (text.Span, bool) {
	bare, listed := unmarked(whole[s.Start:s.End])
	if !listed && !lower(bare) {
		return text.Span{}, false
	}
	from := max(0, s.Start-mostStem)
	before := text.Sentences(whole[from:s.Start])
	var inner text.Span // of the nearest list, when it has no word of duty
	for i := len(before) - 1; i >= 0; i-- {
		span := trimmed(whole, text.Span{Start: from + before[i].Start, End: from + before[i].End})
		line := whole[span.Start:span.End]
		item, ok := unmarked(line)
		inside := ok || lower(item)
		if strings.HasSuffix(strings.TrimRight(line, "*_ —–-"), ":") {
			_, _, duty := Cue(line)
			switch {
			case inner == (text.Span{}) && (duty || !inside):
				return span, true
			case inner == (text.Span{}):
				inner = span
			case duty && Words(whole[span.Start:inner.End]) <= mostStemWords:
				return text.Span{Start: span.Start, End: inner.End}, true
			case !inside:
				return inner, true
			}
			continue
		}
		if strings.HasPrefix(line, "#") || !inside {
			break
		}
	}
	return inner, inner != text.Span{}
}

func lower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// placeholder is what stands for text that is still to be written.
var placeholder = regexp.MustCompile(`(?i)\[[^\]\[]{0,300}\b(?:placeholder|insert|tb[adc]|to\s+be\s+(?:determined|confirmed|completed|inserted|added|announced|decided))\b[^\]\[]{0,300}\]|\b(?:TBD|TBC|TBA)\b|\bto\s+be\s+(?:determined|inserted|announced)\b|\blorem\s+ipsum\b|<(?:insert|placeholder)[^>\n]{0,200}>|\{\{[^}\n]{0,200}\}\}`)

// mayHold is in what placeholder matches outside of brackets.
var mayHold = regexp.MustCompile(`(?i)tb[acd]|to\s+be\s|lorem`)

// Placeholders finds where a text holds a place open: "[Placeholder: …]", "TBD",
// "to be determined".
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

// leans is how a sentence begins that needs the one before it.
var leans = regexp.MustCompile(`^(?i:it|they|he|she|this|these|those|such|that|its|their|his|her|and|or|but|nor|which|who|whose|where(?:by|upon|in)|thereof|therein|otherwise|the (?:above|latter|former|foregoing|same|said)|in (?:this|that|such) (?:case|event)|as (?:above|such))\b`)

// Complete reports whether a quote can be understood by itself: it does not lean
// on a sentence before it and does not break off at a colon. A quote that
// begins inside its sentence, in lower case, has lost its subject unless a stem
// stands before it, or it is a clause that says itself who is bound.
func Complete(quote string, stem bool) bool {
	bare, _ := unmarked(quote)
	if bare == "" || strings.HasSuffix(strings.TrimRight(bare, "*_ "), ":") {
		return false
	}
	if stem {
		return true
	}
	r, _ := utf8.DecodeRuneInString(bare)
	return (!unicode.IsLower(r) || bound(bare)) && !leans.MatchString(bare)
}

// determiner is how who is bound begins in the middle of a sentence.
var determiner = regexp.MustCompile(`^(?:the|an?|any|every|each|all|no)\s`)

// bound reports whether a clause from the middle of a sentence says who is bound:
// it begins with a determiner, and its word of duty follows within a few words.
func bound(clause string) bool {
	const near = 12
	start, _, ok := Cue(clause)
	return ok && start > 0 && determiner.MatchString(clause) && Words(clause[:start]) <= near
}
