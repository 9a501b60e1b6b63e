package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Abbreviations by the text that follows them. Many are words as well: "no", "art", "fig". Their
// full stop marks an abbreviation only before such text.
var (
	// Before a number: "No. 5", "Art. 12(a)", "Fig. B".
	numbered = stopList(`no nos art arts sec secs para paras ch cl reg fig figs eq vol p pp ref refs`)
	// Before a day or year: "Dec. 3".
	months = stopList(`jan feb mar apr jun jul aug sep sept oct nov dec`)
	// Before a name: "St. John", "Mr. Smith".
	titles = stopList(`mr mrs ms dr prof st`)
	// Before anything.
	always = stopList(`v vs cf eg ie viz ed eds u.s u.s.c c.f.r e.g i.e fed r evid civ crim proc cal rev approx`)
	// Often at the end of a sentence, which the next word shows: openers.
	closing = stopList(`inc ltd co corp llc etc al jr sr dept est`)
)

// openers are words that begin a sentence and rarely have a capital within one.
var openers = stopList(`the this these that those it its he she they we you in on at by for from under if when while where
	neither both each every all no none any some such as after before although because however there here one two`)

// isAbbreviation reports whether the full stop at the end of s, the sentence so far, marks an
// abbreviation, and rest continues the sentence.
func isAbbreviation(s, rest string) bool {
	s = strings.TrimRight(s, ".")
	at := strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == '[' }) + 1
	word := s[at:]
	if word == "" {
		return false
	}
	first, size := utf8.DecodeRuneInString(word)
	capital := unicode.IsUpper(first)
	if size == len(word) && capital {
		return true // an initial
	}
	next := nextWord(rest)
	opens := openers.Has(strings.ToLower(next))
	switch word = strings.ToLower(word); {
	case always.Has(word):
		return true
	case closing.Has(word):
		return !opens
	case numbered.Has(word):
		return isNumber(next) || isRoman(next) || capital && word != "no" && isLetter(next)
	case months.Has(word):
		return isNumber(next)
	case titles.Has(word):
		return capital && !opens && !isStreet(s[:at], word)
	}
	return false
}

// longestNext bounds the text examined after a full stop, in bytes.
const longestNext = 40

// nextWord returns the first word of rest without the signs around it.
func nextWord(rest string) string {
	rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	for word := range strings.FieldsSeq(rest[:min(len(rest), longestNext)]) {
		return strings.TrimRight(strings.TrimLeft(word, `([“"‘'`), `)]”"’'.,;:?!`)
	}
	return ""
}

// isNumber reports whether a word begins like a number, perhaps after a sign.
func isNumber(word string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "§#№"))
	return unicode.IsDigit(r) || strings.HasPrefix(word, "§")
}

// isRoman reports whether a word is a Roman number of more than one letter.
func isRoman(word string) bool { return len(word) > 1 && strings.Trim(word, "IVXLCDM") == "" }

// isLetter reports whether a word is a single capital, as parts are named by.
func isLetter(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size > 0 && size == len(word) && unicode.IsUpper(r)
}

// isStreet reports whether "St" or "Dr" follows a name, "on Main St.", and does not precede one. A
// capital at the start of the sentence is not a name.
func isStreet(before, word string) bool {
	if word != "st" && word != "dr" {
		return false
	}
	words := strings.Fields(before[max(0, len(before)-longestNext):])
	if len(words) == 0 || len(words) == 1 && len(before) <= longestNext {
		return false
	}
	last := words[len(words)-1]
	r, _ := utf8.DecodeRuneInString(last)
	return unicode.IsUpper(r) && !strings.HasSuffix(last, ".") && !strings.HasSuffix(last, ",")
}
