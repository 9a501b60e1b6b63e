package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// A Language is the two letters of ISO 639-1, "en", or "" where it is not known. What is
// not known is read as English.
type Language string

// English is the default language.
const English Language = "en"

var stemmers = map[Language]func(*snowballstem.Env) bool{
	"da": danish.Stem, "de": german.Stem, "es": spanish.Stem, "fi": finnish.Stem, "fr": french.Stem, "it": italian.Stem,
	"nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ru": russian.Stem, "sv": swedish.Stem, "tr": turkish.Stem,
}

// accents are letters that writers of Romance languages often type without accent: stems have none.
var accents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ó", "o", "ò", "o", "ô", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c")

// ParseLanguage returns the language of a tag such as "de", "pt-BR" or "nb"; English for an unknown
// one.
func ParseLanguage(tag string) Language {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if at := strings.IndexAny(tag, "-_"); at >= 0 {
		tag = tag[:at]
	}
	switch {
	case tag == "nb" || tag == "nn":
		return "no"
	case len(tag) != 2 || !IsASCII(tag):
		return English
	}
	return Language(tag)
}

// isEnglish reports whether a text is read as English.
func (l Language) isEnglish() bool { return l == "" || l == English }

// Stem returns the Snowball stem of a lower-case word in the language; the word itself if the
// language has no stemmer or the word is too long.
func (l Language) Stem(word string) string {
	if l.isEnglish() {
		return Stem(word)
	}
	stem := stemmers[l]
	if stem == nil || len(word) > longestWord {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	word = env.Current()
	if l == "fr" || l == "es" || l == "it" || l == "pt" {
		word = accents.Replace(word)
	}
	return word
}

// Stops reports whether a lower-case word is a function word of the language: it says
// nothing about a topic. The words that ask are among them.
func (l Language) Stops(word string) bool {
	if l.isEnglish() {
		return DocStops.Has(word)
	}
	if functionWords()[l].Has(word) {
		return true
	}
	switch l {
	case "zh": // two characters with a function word are not a word
		return len(word) <= 8 && strings.ContainsFunc(word, func(r rune) bool { return functionWords()[l].Has(string(r)) })
	case "ja":
		r, size := utf8.DecodeRuneInString(word)
		return size == len(word) && unicode.Is(unicode.Hiragana, r)
	case "fr", "it": // l'appartement: the token contains the article
		return false
	}
	return false
}

// Terms returns the stems of s in order, without the function words of the language.
func (l Language) Terms(s string) []string {
	tokens := Tokens(s)
	terms := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if w := l.Word(t.Text); !l.Stops(w) {
			terms = append(terms, l.Stem(w))
		}
	}
	return terms
}

// Word returns a token without the article or pronoun that French and Italian attach to it:
// "appartement" for "l'appartement".
func (l Language) Word(token string) string {
	if l != "fr" && l != "it" {
		return token
	}
	before, after, found := strings.Cut(token, "'")
	if found && after != "" && len(before) <= longestElided && (len(before) <= 2 || functionWords()[l].Has(before)) {
		return after
	}
	return token
}

// longestElided is the length of "quell'" in bytes.
const longestElided = 6

// languageSample bounds the text from which a language is detected, in bytes.
const languageSample = 4 << 10

// votes says how much a function word speaks for each of its languages: the fewer have
// it, the more.
var votes = sync.OnceValue(func() map[string]map[Language]float64 {
	out := map[string]map[Language]float64{}
	add := func(l Language, list StopList) {
		for w := range list {
			if out[w] == nil {
				out[w] = map[Language]float64{}
			}
			out[w][l] = 0
		}
	}
	add(English, QueryStops)
	add(English, stopList(`end man men son sin fin per dog fast over pour me sur ton mine line male sole come tale era dove ten ties tot met om`))
	for l, list := range functionWords() {
		add(l, list)
	}
	for _, of := range out {
		for l := range of {
			of[l] = 1 / float64(len(of))
		}
	}
	return out
})

// letters that few languages of those have.
var letters = map[rune][]Language{
	'ß': {"de"}, 'ä': {"de", "sv", "fi"}, 'ö': {"de", "sv", "fi", "tr"}, 'ü': {"de", "tr"}, 'ñ': {"es"}, '¿': {"es"}, '¡': {"es"}, 'ã': {"pt"}, 'õ': {"pt"},
	'å': {"sv", "da", "no"}, 'æ': {"da", "no"}, 'ø': {"da", "no"}, 'ç': {"fr", "pt", "tr"}, 'ê': {"fr", "pt"}, 'è': {"fr", "it"}, 'à': {"fr", "it", "pt"}, 'ù': {"it", "fr"}, 'ò': {"it"},
	'œ': {"fr"}, 'î': {"fr"}, 'û': {"fr"}, 'ô': {"fr", "pt"}, 'é': {"fr", "es", "pt"}, 'í': {"es", "pt"}, 'ó': {"es", "pt", "pl"}, 'ú': {"es", "pt"}, 'á': {"es", "pt"},
	'ı': {"tr"}, 'ş': {"tr"}, 'ğ': {"tr"}, 'ł': {"pl"}, 'ż': {"pl"}, 'ę': {"pl"}, 'ą': {"pl"}, 'ś': {"pl"}, 'ć': {"pl"}, 'ń': {"pl"},
}

const (
	letterVote = .5  // of a letter, against 1 of a function word unique to one language
	leastVotes = .6  // that a language needs
	leastLead  = 1.2 // times the votes of the next language
	fewWords   = 6   // of which one may decide
	manyWords  = 8   // of them, one vote in manyWords does not decide
)

// LanguageOf detects the language of a text by its script, function words and letters. It is "" if
// these are few or suggest several languages.
func LanguageOf(s string) Language {
	s = s[:min(len(s), languageSample)]
	scripts, all := map[Language]int{}, 0
	score := map[Language]float64{}
	for _, r := range s {
		if !unicode.IsLetter(r) {
			if r == '¿' || r == '¡' {
				score["es"] += 2 * letterVote
			}
			continue
		}
		all++
		if l := scriptLanguage(r); l != "" {
			scripts[l]++
		}
		for _, l := range letters[unicode.ToLower(r)] {
			score[l] += letterVote / float64(len(letters[unicode.ToLower(r)]))
		}
	}
	if l := byScript(scripts, all); l != "" {
		return l
	}
	words, telling := 0, map[Language]int{} // distinct words for each
	seen := map[string]bool{}
	for _, t := range Tokens(s) {
		words++
		if len(t.Text) == 1 {
			continue // labels and variables as well
		}
		for l, n := range votes()[t.Text] {
			score[l] += n
			if !seen[t.Text] {
				telling[l]++
			}
		}
		seen[t.Text] = true
		if before, _, found := strings.Cut(t.Text, "'"); found {
			for l, n := range votes()[before] {
				if l == "fr" || l == "it" {
					score[l] += n
				}
			}
		}
	}
	var best, next Language
	for _, l := range languages {
		switch {
		case score[l] > score[best]:
			best, next = l, best
		case score[l] > score[next]:
			next = l
		}
	}
	if score[best] < leastVotes || words > fewWords && telling[best] < 2 || score[best]*manyWords < float64(words) || score[best] < leastLead*score[next] {
		return ""
	}
	return best
}

// languages are those detected by function words, in order of preference.
var languages = []Language{English, "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "tr", "ru"}

// scriptLanguage returns the language indicated by a letter's script.
func scriptLanguage(r rune) Language {
	switch {
	case r < 0x370:
		return ""
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return "ja"
	case unicode.Is(unicode.Hangul, r):
		return "ko"
	case unicode.Is(unicode.Han, r):
		return "zh"
	case unicode.Is(unicode.Thai, r):
		return "th"
	case unicode.Is(unicode.Cyrillic, r):
		return "ru"
	case unicode.Is(unicode.Greek, r):
		return "el"
	case unicode.Is(unicode.Arabic, r):
		return "ar"
	case unicode.Is(unicode.Hebrew, r):
		return "he"
	}
	return ""
}

// byScript returns the language of a text with at least a third of its letters in that language's
// script. Chinese characters with Japanese letters among them are Japanese.
func byScript(scripts map[Language]int, all int) Language {
	if scripts["ja"] > 0 && 20*scripts["ja"] >= scripts["zh"] {
		scripts["ja"] += scripts["zh"]
		delete(scripts, "zh")
	}
	best, n := Language(""), 0
	for _, l := range []Language{"ja", "zh", "ko", "th", "ru", "el", "ar", "he"} {
		if scripts[l] > n {
			best, n = l, scripts[l]
		}
	}
	if 3*n < all {
		return ""
	}
	return best
}
