package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
	"example.com/assay/memory/text/wordnet"
)

type tokenKind uint8

const (
	word   tokenKind = iota
	number           // digits, with separators inside
	sign             // everything else but space
)

// A token is a word, a number or a sign of a sentence.
type token struct {
	text       string // lower case, straight apostrophes, no possessive
	root       string // common root of a word's forms; words only
	stem       string // Porter2 stem of a word; a number without separators
	start, end int    // bytes of the sentence
	kind       tokenKind
	capital    bool // begins with an upper-case letter
	allCaps    bool // two or more letters, all upper case
	joined     bool // no space before it
	bases      []string
	content    bool // says what the sentence is about
	roles      roles
	clause     int // tokens of a clause have one number
}

// longestInput is how many bytes of one sentence are read. Anything longer is not a sentence.
const longestInput = 8 << 10

// roles are the checks that need a word.
type roles uint8

const (
	asNumber roles = 1 << iota
	asDate
	asNegator
	asQuantifier
	asModal
	asOpener // opens a clause
)

// A lexeme holds the properties of a word that do not depend on its place.
type lexeme struct {
	root, stem, plain string
	bases             []string // stems of its base forms, without its own
	content           bool
	roles             roles
	as                string // the English word that it stands for
}

// lexicon caches the words of one evidence, or of a claim.
type lexicon struct {
	language text.Language // "" is English
	words    map[string]lexeme
}

func newLexicon(l text.Language) *lexicon {
	if l == text.English {
		l = ""
	}
	return &lexicon{l, map[string]lexeme{}}
}

func (k *lexicon) lexeme(w string) lexeme {
	if k.language == "" {
		return newLexeme(w)
	}
	if as := grammar[k.language][w]; as != "" {
		l := newLexeme(as)
		l.as = as
		return l
	}
	if month(w) > 0 || weekdayOf(w) > 0 || len(values.UnitWords[w]) > 0 {
		return newLexeme(w)
	}
	w = k.language.Word(w)
	stem := k.language.Stem(w)
	return lexeme{root: cut(stem), stem: stem, plain: plainLetters.Replace(w), content: !k.language.Stops(w)}
}

func newLexeme(w string) lexeme {
	l := lexeme{root: rootOf(w), stem: text.Stem(w), plain: plainLetters.Replace(w), content: !function[w]}
	for _, b := range wordnet.Bases(w) {
		if stem := text.Stem(b); stem != l.stem && !slices.Contains(l.bases, stem) {
			l.bases = append(l.bases, stem)
		}
	}
	set := func(r roles, is bool) {
		if is {
			l.roles |= r
		}
	}
	_, part := parts[w]
	_, size := magnitudes[w]
	set(asNumber, isCardinal(w) || part || size || w == "a" || w == "dozen" || multiples[w] > 0)
	set(asDate, month(w) > 0 || weekdayOf(w) > 0 || values.Ordinals[w] > 0 || len(w) == 2 && w[0] == 'q')
	set(asNegator, negators[w] || failing[w] || strings.HasSuffix(w, "n't"))
	set(asQuantifier, extents[w] > 0)
	set(asModal, modalWords[w] > 0 || modalRoots[l.root] > 0 || w == "has" || w == "have" || w == "had")
	set(asOpener, opensClause[w])
	return l
}

// lex splits a sentence into tokens.
func lex(s string, known *lexicon) []token {
	if len(s) > longestInput {
		s = s[:longestInput]
	}
	toks := make([]token, 0, len(s)/5+1)
	last := -1
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		start := i
		switch {
		case unicode.IsSpace(r):
			i += size
			continue
		case unicode.IsDigit(r):
			i = text.Run(s, i, unicode.IsDigit, ".,")
			toks = append(toks, token{text: s[start:i], stem: strings.ReplaceAll(s[start:i], ",", ""), kind: number})
		case unicode.IsLetter(r):
			i = endOfWord(s, i)
			if list := unspacedWords(s[start:i], known); list != nil {
				for _, t := range list {
					t.start, t.end, t.joined = start+t.start, start+t.end, true
					toks = append(toks, t)
				}
				last = i
				continue
			}
			toks = append(toks, wordToken(s[start:i], known))
		default:
			i += size
			toks = append(toks, token{text: s[start:i], kind: sign})
		}
		t := &toks[len(toks)-1]
		t.start, t.end, t.joined = start, i, start == last
		last = i
	}
	markClauses(toks)
	return toks
}

// endOfWord returns the end of a word: letters and marks, digits after them ("B12"), and an
// apostrophe between letters.
func endOfWord(s string, i int) int {
	lower := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsDigit(r) && lower >= 3 && text.Run(s, i, unicode.IsDigit, "") >= i+4 {
			return i // "staged1990": a line break was lost
		}
		if unicode.IsUpper(r) && lower >= 4 && beginsMonth(s[i:]) {
			return i // "SoccerMay": the same
		}
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			if unicode.IsLower(r) {
				lower++
			} else {
				lower = 0
			}
			i += size
			continue
		}
		if r == '\'' || r == '’' {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			if unicode.IsLetter(next) {
				i += size
				continue
			}
		}
		break
	}
	return i
}

// beginsMonth reports whether a text begins with the name of a month.
func beginsMonth(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return end > 0 && month(strings.ToLower(s[:end])) > 0
}

func wordToken(s string, known *lexicon) token {
	first, _ := utf8.DecodeRuneInString(s)
	t := token{kind: word, capital: unicode.IsUpper(first)}
	bare := strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "’s")
	t.allCaps = len(bare) > 1 && strings.ToUpper(bare) == bare && strings.ToLower(bare) != bare
	t.text = strings.ToLower(strings.ReplaceAll(bare, "’", "'"))
	l, ok := known.words[t.text]
	if !ok {
		l = known.lexeme(t.text)
		known.words[t.text] = l
	}
	if l.as != "" {
		t.text = l.as
	}
	t.root, t.stem, t.bases, t.content, t.roles = l.root, l.stem, l.bases, l.content, l.roles
	return t
}

// rootLength is how many letters of a stem are compared: "notify" and "notification", "enrol" and
// "enrolment" agree in them.
const rootLength = 6

// rootOf returns the common root of the forms and close synonyms of a word.
func rootOf(w string) string {
	if base, ok := irregular[w]; ok {
		w = base
	}
	if root, ok := synonym[w]; ok {
		return root
	}
	w = text.Stem(w)
	if root, ok := synonym[w]; ok {
		return root
	}
	return cut(w)
}

// cut shortens a stem to rootLength runes.
func cut(stem string) string {
	n := 0
	for i := range stem {
		if n == rootLength {
			return stem[:i]
		}
		n++
	}
	return stem
}

// markClauses numbers the clauses. Signs end a clause, and so do words that open a new one.
func markClauses(toks []token) {
	clause := 0
	for i := range toks {
		t := &toks[i]
		if t.kind == sign && strings.Contains(",;:()[]—–.!?，。；：、（）！？", t.text) || t.kind == word && t.roles&asOpener != 0 {
			clause++
		}
		t.clause = clause
	}
}
