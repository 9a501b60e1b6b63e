package citation

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

// Parts of the patterns. A number is digits with letters ("10b-5", "4A"), parts after dots, and
// parts in brackets; brackets contain at most three digits, two letters or a Roman number.
const (
	digits   = `[0-9]{1,6}[A-Za-z]{0,2}(?:[-‑–][0-9]{1,5}[A-Za-z]{0,2})?`
	dotted   = `(?:\.[0-9]{1,5}[A-Za-z]{0,2}(?:[-‑–][0-9]{1,4})?)`
	inside   = `\((?:[0-9]{1,3}[A-Za-z]?|[A-Za-z]{1,2}|[ivxlIVXL]{3,6})\)`
	brackets = `(?:\.?` + inside + `| \((?:[0-9]{1,3}|[a-z])\))`
	number   = digits + dotted + `*` + brackets + `*`
	ident    = `[A-Z][A-Z0-9]{1,9}(?:[-_][A-Z0-9]{1,10})*[-_][0-9]{1,8}[A-Za-z]?(?:\.[0-9]{1,4})*`
	uscOrCFR = `([0-9]{1,3}) {0,2}(U\. ?S\. ?C\.?(?: ?A\.)?|USCA?|C\. ?F\. ?R\.?|CFR)`
)

// kinds maps the words and signs before a number to their kinds, and says which are plural.
var kinds = map[string]struct {
	kind   string
	plural bool
}{
	"§": {"section", false}, "§§": {"section", true}, "section": {"section", false}, "sections": {"section", true},
	"sec": {"section", false}, "secs": {"section", true}, "sect": {"section", false},
	"article": {"article", false}, "articles": {"article", true}, "art": {"article", false}, "arts": {"article", true},
	"rule": {"rule", false}, "rules": {"rule", true},
	"¶": {"paragraph", false}, "¶¶": {"paragraph", true}, "paragraph": {"paragraph", false}, "paragraphs": {"paragraph", true},
	"para": {"paragraph", false}, "paras": {"paragraph", true},
	"clause": {"clause", false}, "clauses": {"clause", true}, "cl": {"clause", false}, "cls": {"clause", true},
	"chapter": {"chapter", false}, "chapters": {"chapter", true}, "chap": {"chapter", false}, "ch": {"chapter", false},
	"part": {"part", false}, "parts": {"part", true},
	"regulation": {"regulation", false}, "regulations": {"regulation", true}, "reg": {"regulation", false}, "regs": {"regulation", true},
	"schedule": {"schedule", false}, "schedules": {"schedule", true}, "sched": {"schedule", false},
	"annex": {"annex", false}, "annexes": {"annex", true},
	"appendix": {"appendix", false}, "appendices": {"appendix", true},
	"exhibit": {"exhibit", false}, "exhibits": {"exhibit", true},
	"recital": {"recital", false}, "recitals": {"recital", true},
	"principle": {"principle", false}, "principles": {"principle", true},
	"title": {"title", false}, "titles": {"title", true},
}

// kindWords matches the word or sign before a number.
const kindWords = `(§{1,2}|¶{1,2}|(?i:\b(?:sections?|secs?|sect|articles?|arts?|rules?|paragraphs?|paras?|clauses?|cls?|chapters?|chap|ch|parts?|` +
	`regulations?|regs?|schedules?|sched|annex(?:es)?|appendix|appendices|exhibits?|recitals?|principles?|titles?))\b\.?)`

// kindOf parses a match of kindWords.
func kindOf(word string) (kind string, plural bool) {
	k := kinds[strings.ToLower(strings.TrimSuffix(word, "."))]
	return k.kind, k.plural
}

// lettered are the kinds that a single letter numbers ("Annex B").
var lettered = map[string]bool{"annex": true, "appendix": true, "schedule": true, "exhibit": true, "part": true, "title": true}

var dashes = strings.NewReplacer("‑", "-", "–", "-", " ", "", ".(", "(")

// canonical returns a number in the form used in keys: lower case, without spaces, "1.1.(2)" as
// "1.1(2)".
func canonical(number string) string {
	return strings.TrimRight(strings.ToLower(dashes.Replace(number)), ".")
}

// code is the canonical name of a code: "42 usc", "17 cfr".
func code(title, letters string) string {
	letters = strings.ToLower(strings.NewReplacer(".", "", " ", "").Replace(letters))
	return strings.TrimLeft(title, "0") + " " + strings.TrimSuffix(letters, "a")
}

// shorter takes the last bracketed part off a number: "12(3)(b)" gives "12(3)".
func shorter(number string) (string, bool) {
	if !strings.HasSuffix(number, ")") {
		return "", false
	}
	i := strings.LastIndexByte(number, '(')
	return number[:i], i > 0
}

// enclosing returns the parts that contain a numbered part, innermost first: "4.2.1", "4.2" and "4"
// for "4.2.1(a)".
func enclosing(number string) []string {
	var out []string
	for {
		short, ok := shorter(number)
		if !ok {
			i := strings.LastIndexByte(number, '.')
			if i <= 0 {
				return out
			}
			short = number[:i]
		}
		out = append(out, short)
		number = short
	}
}

// several reports whether a number has several parts and so is a reference even without a word for
// its kind.
func several(number string) bool { return strings.ContainsAny(number, ".(") }

var wholeNumber = pattern.New(`^` + number + `\.?$`)
