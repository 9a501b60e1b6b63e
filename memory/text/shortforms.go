package text

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A ShortForm is an abbreviation and its expansion, as a text writes both.
type ShortForm struct{ Short, Long string }

const (
	longestShort = 8  // letters of a short form
	longestLong  = 80 // bytes of a long form
)

// IsShortForm reports whether a word looks like an abbreviation: it has two capitals
// or more, and few letters.
func IsShortForm(word string) bool {
	capitals := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return capitals >= 2 && utf8.RuneCountInString(word) <= longestShort
}

// ShortForms returns the abbreviations that s defines in brackets, in order: "Long Form (LF)" and
// "LF (long form)". The words of a long form begin with the letters of the short one, and may
// contain further ones of them.
func ShortForms(s string) []ShortForm {
	var out []ShortForm
	for at := 0; ; {
		open := strings.IndexByte(s[at:], '(')
		if open < 0 {
			return out
		}
		open += at
		at = open + 1
		end := strings.IndexAny(s[at:], "()")
		if end < 0 || end > longestLong || s[at+end] == '(' {
			continue
		}
		before, inside := s[max(0, open-longestLong):open], strings.Trim(s[at:at+end], quoteMarks)
		if IsShortForm(inside) {
			if long := longBefore(before, inside); long != "" {
				out = append(out, ShortForm{inside, long})
			}
			continue
		}
		if short := lastWord(before); IsShortForm(short) && initialsFit(short, inside) {
			out = append(out, ShortForm{short, inside})
		}
	}
}

const quoteMarks = " \t\n\"'“”‘’`*_"

func lastWord(s string) string {
	s = strings.TrimRight(s, quoteMarks)
	tokens := Tokens(s)
	if len(tokens) == 0 || tokens[len(tokens)-1].End != len(s) {
		return ""
	}
	return s[tokens[len(tokens)-1].Start:]
}

// longBefore returns the shortest end of s whose words fit a short form, preferably one in which
// every word gives one letter; "" without one.
func longBefore(s, short string) string {
	s = strings.TrimRight(s, quoteMarks)
	if at := strings.LastIndexAny(s, ".;:!?,"); at >= 0 {
		s = s[at+1:]
	}
	tokens := Tokens(s)
	best := ""
	for i := len(tokens) - 2; i >= 0; i-- {
		if long := s[tokens[i].Start:]; initialsFit(short, long) {
			if len(tokens)-i >= utf8.RuneCountInString(short) {
				return long
			}
			best = cmp.Or(best, long)
		}
	}
	return best
}

// initialsFit reports whether the words of a long form begin with the letters of a short one. A
// word may give more of its letters, if most begin words; small words may give none.
func initialsFit(short, long string) bool {
	if strings.ContainsAny(long, ".;:!?,=<>|") {
		return false
	}
	tokens := Tokens(long)
	letters := []rune(strings.ToLower(short))
	return len(tokens) >= 2 && 2*len(tokens) >= len(letters) && !DocStops.Has(tokens[len(tokens)-1].Text) && givesLetters(tokens, letters, true)
}

func givesLetters(words []Token, letters []rune, first bool) bool {
	if len(words) == 0 || len(letters) == 0 {
		return len(words) == len(letters)
	}
	word := []rune(words[0].Text)
	if word[0] == letters[0] {
		rest := letters[1:]
		if givesLetters(words[1:], rest, false) {
			return true
		}
		for _, r := range word[1:] {
			if len(rest) > 0 && r == rest[0] {
				if rest = rest[1:]; givesLetters(words[1:], rest, false) {
					return true
				}
			}
		}
	}
	return !first && DocStops.Has(words[0].Text) && givesLetters(words[1:], letters, false)
}

// shortNames are the short forms of days and months, which no text defines. "So" for Sonntag and
// "do" for Donnerstag are also words and are left out.
var shortNames = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for forms := range strings.SplitSeq(`
		monday mon, tuesday tue tues, wednesday wed weds, thursday thu thur thurs, friday fri, saturday sat, sunday sun,
		january jan, february feb, march mar, april apr, june jun, july jul, august aug, september sep sept, october oct, november nov, december dec,
		montag mo, dienstag di, mittwoch mi, freitag fr, samstag sa, januar jan, februar feb, april apr, oktober okt, dezember dez,
		lundi lun, mardi mar, mercredi mer, jeudi jeu, vendredi ven, samedi sam, dimanche dim, janvier janv, février févr, avril avr, juillet juil, septembre sept, octobre oct, novembre nov, décembre déc,
		lunes lun, martes mar, miércoles mié, jueves jue, viernes vie, sábado sáb, domingo dom, enero ene, febrero feb, abril abr, agosto ago, septiembre sept, octubre oct, noviembre nov, diciembre dic,
		lunedì lun, martedì mar, mercoledì mer, giovedì gio, venerdì ven, sabato sab, domenica dom, gennaio gen, febbraio feb, aprile apr, luglio lug, settembre set, ottobre ott, dicembre dic,
		maandag ma, dinsdag di, woensdag wo, vrijdag vr, zaterdag za, zondag zo, augustus aug,
		fevereiro fev, setembro set, outubro out, dezembro dez
	`, ",") {
		words := strings.Fields(forms)
		out[words[0]] = words[1:]
	}
	return out
})

// ShortNames returns the short forms of a day or month, given by its lower-case name.
func ShortNames(name string) []string { return shortNames()[name] }
