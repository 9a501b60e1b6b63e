package facts

import (
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// A name is a run of capitalised words, without titles.
type name struct {
	parts      []int // tokens that distinguish it
	first, end int   // tokens
	weak       bool  // a single word that may be capitalised only because it begins the sentence
}

// titles precede names and do not distinguish them.
var titles = text.Set(`dr mr mrs ms miss sir dame lord lady prof professor captain president mayor king queen
	prince princess judge justice senator general colonel major minister saint st rev reverend inspector
	doctor chancellor count baron father sister brother director chairman ltd inc llc corp co plc as ag gmbh sa`)

// within are words inside names.
var within = text.Set(`of the de la le van von der den di da du for del bin al & -`)

// names finds the names of a sentence. Dates and numbers are taken.
func names(toks []token, taken []bool) []name {
	var out []name
	first := firstWord(toks)
	for i := 0; i < len(toks) && len(out) < mostValues; i++ {
		if !startsName(toks, taken, i) {
			continue
		}
		n := name{first: i, end: i + 1}
		for j := i; j < len(toks); j++ {
			t := toks[j]
			if t.kind == word && t.capital && !taken[j] {
				n.end = j + 1
				if !titles[t.text] && !function[t.text] && !(t.text == "i") {
					n.parts = append(n.parts, j)
				}
				continue
			}
			if t.kind == number && j > i && t.joined && toks[j-1].text == "-" {
				n.end = j + 1
				n.parts = append(n.parts, j) // COVID-19
				continue
			}
			if !(within[t.text] || t.text == "." && j > 0 && utf8.RuneCountInString(toks[j-1].text) == 1) || !continues(toks, taken, j+1) {
				break
			}
		}
		if len(n.parts) > 0 {
			n.weak = len(n.parts) == 1 && n.parts[0] == first && !toks[n.parts[0]].allCaps
			out = append(out, n)
		}
		i = n.end - 1
	}
	return out
}

// firstWord returns the token that would be capitalised in any case.
func firstWord(toks []token) int {
	for i, t := range toks {
		if t.kind == word {
			return i
		}
	}
	return -1
}

func startsName(toks []token, taken []bool, i int) bool {
	t := toks[i]
	return t.kind == word && t.capital && !taken[i] && !function[t.text] && t.text != "i"
}

// continues reports whether a capitalised word follows within two tokens.
func continues(toks []token, taken []bool, i int) bool {
	for j := i; j < len(toks) && j < i+2; j++ {
		if toks[j].kind == word && toks[j].capital && !taken[j] {
			return true
		}
		if toks[j].kind == number && toks[j].joined {
			return true
		}
		if !within[toks[j].text] {
			return false
		}
	}
	return false
}

// initials returns the initials of a name's capitalised words: its possible acronym.
func (n name) initials(toks []token) string {
	var b strings.Builder
	for i := n.first; i < n.end; i++ {
		if t := toks[i]; t.kind == word && t.capital {
			r, _ := utf8.DecodeRuneInString(t.text)
			b.WriteRune(r)
		}
	}
	return b.String()
}

var plainLetters = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ä", "a", "ã", "a", "å", "a", "ā", "a",
	"é", "e", "è", "e", "ê", "e", "ë", "e", "ē", "e", "ę", "e", "í", "i", "ì", "i", "î", "i", "ï", "i", "ī", "i",
	"ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ø", "o", "ō", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ū", "u",
	"ç", "c", "č", "c", "ć", "c", "ñ", "n", "ń", "n", "š", "s", "ś", "s", "ž", "z", "ż", "z", "ź", "z", "ł", "l", "ý", "y", "ß", "ss")

// sameSpelling reports whether two words are spellings of one name: they differ in accents, in one
// letter of six or more, or one is an adjective made from the other.
func sameSpelling(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if rest, ok := strings.CutPrefix(b, strings.TrimRight(a, "aey")); ok && len(a) >= 4 {
		switch rest {
		case "n", "an", "ian", "ean", "ese", "ish", "i", "s", "es", "ic":
			return true
		}
	}
	return len(a) >= 6 && len(b)-len(a) <= 1 && oneEdit(a, b)
}

// oneEdit reports whether b is a with one byte replaced or inserted.
func oneEdit(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return a[min(i+1, len(a)):] == b[min(i+1, len(b)):]
	}
	return a[i:] == b[i+1:]
}
