package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Abbreviations of other languages than English, by the text that follows them.
var (
	// Before anything.
	alwaysAbroad = stopList(`bzw ca inkl exkl incl excl zzgl abzgl ggf evtl vgl max min gem lt tel sog allg einschl ausschl insb hr fr dr prof dipl ing str
		env tél av bd sra srta sr ud uds dña aprox ej ex sig dott avv geom rag dhr mevr mw bijv vb o.a m.b.t d.w.z z.b d.h u.a i.d.r a.u.b
		f.eks bl.a t.ex mio mrd`)
	// Before a number.
	numberedAbroad = stopList(`nr abs art ziff rn s kap abb tab kl pos ls bl bd jg núm num pág págs cap n nº no pag par lid blz afd sek`)
	// A number after one of these is an ordinal: "am 1. Januar", "im 3. Stock".
	ordinalAfter = stopList(`der die das dem den des im am zum zur vom beim ab bis jeden jedes jeder jedem ein einem einen seit und oder mit
		den det til fra fra og på i`)
	monthsAbroad = stopList(`januar jänner februar märz april mai juni juli august september oktober november dezember
		jan feb mär mrz apr jun jul aug sep sept okt nov dez marts maj december`)
)

// dotted are languages that write ordinals with a full stop.
var dotted = map[Language]bool{"de": true, "da": true, "no": true, "fi": true}

// goesOnAbroad reports whether the full stop at the end of s[start:end] does not end a sentence in
// the language of s. language is called only if needed.
func goesOnAbroad(s string, start, end int, language func() Language) bool {
	before, rest := strings.TrimRight(s[start:end], "."), s[end:]
	at := strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == '[' }) + 1
	word := strings.ToLower(before[at:])
	if apostrophe := strings.LastIndexAny(word, "'’"); apostrophe >= 0 { // l'art. 5
		word = strings.TrimLeft(word[apostrophe:], "'’")
	}
	next := nextWord(rest)
	if word == "" || next == "" {
		return false
	}
	if strings.Trim(word, "0123456789") == "" {
		if len(word) > 2 || !monthsAbroad.Has(strings.ToLower(next)) && !ordinalAfter.Has(lastLower(before[:at])) {
			return false
		}
		return dotted[language()]
	}
	single := utf8.RuneCountInString(word) == 1
	if !single && !alwaysAbroad.Has(word) && !(numberedAbroad.Has(word) && isNumber(next)) {
		return false
	}
	return !language().isEnglish()
}

// lastLower returns the last word of a text in lower case.
func lastLower(s string) string {
	s = strings.TrimRightFunc(s[max(0, len(s)-longestNext):], unicode.IsSpace)
	return strings.ToLower(s[strings.LastIndexFunc(s, unicode.IsSpace)+1:])
}
