// Package analysis turns texts of passages into what they are found by: stems in the language
// of their document, pairs of stems, keys of titles and terms of metadata. Every change of what
// it returns is a new format of the index. It reads no files and no queries.
package analysis

import (
	"cmp"
	"hash/fnv"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// LeastLetters are those of a word that can be told from others.
const LeastLetters = 4

// maxTerm is the longest term, in bytes. Longer runs are cut: they are not words.
const maxTerm = 64

// bounded is a term of at most maxTerm bytes.
func bounded(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	n := maxTerm
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}

// Terms are the stems of s without stop words, of bounded length.
func Terms(s string, stop text.StopList) []string {
	list := text.Terms(s, stop)
	for i, t := range list {
		list[i] = bounded(t)
	}
	return list
}

// Bigrams joins adjacent terms. No term holds a space.
func Bigrams(list []string) []string {
	var out []string
	for i := 1; i < len(list); i++ {
		out = append(out, list[i-1]+" "+list[i])
	}
	return out
}

// LastHeading is the innermost heading above a passage, unless it repeats the
// document's title.
func LastHeading(p state.Passage) string {
	_, last, found := text.CutLast(p.Section, " > ")
	if !found {
		last = p.Section
	}
	if strings.EqualFold(strings.TrimSpace(last), strings.TrimSpace(p.Title)) {
		return ""
	}
	return last
}

// Texts are what a passage's words are read from: its text, its heading and its title.
func Texts(p state.Passage) []string { return []string{p.Text, LastHeading(p), p.Title} }

// FileName turns the name of a file into words: "acmeCo_NDA-2.txt" gives
// "acme Co NDA 2".
func FileName(source string) string {
	base := path.Base(source)
	base = strings.TrimSuffix(base, path.Ext(base))
	var b strings.Builder
	var last rune
	for _, r := range base {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last), unicode.IsDigit(r) != unicode.IsDigit(last) && last != ' ' && last != 0:
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// Words are the words of a text as tokens have them.
func Words(s string) []string {
	tokens := text.Tokens(s)
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Text
	}
	return out
}

// Distinct sorts a list and leaves out what repeats.
func Distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Clip(slices.Compact(list))
}

// IsPlain reports whether a word is of letters alone, and of enough to be told from
// others.
func IsPlain(word string) bool {
	return utf8.RuneCountInString(word) >= LeastLetters && !strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsLetter(c) })
}

// Metadata are the terms that a passage's metadata is found by.
func Metadata(p state.Passage) []string {
	var out []string
	for key, values := range p.Metadata {
		key = text.Key(key)
		if key == "" || strings.IndexByte(key, 0) >= 0 {
			continue
		}
		for value := range strings.Lines(values) {
			if value = strings.TrimSpace(value); value != "" {
				out = append(out, MetaTerm(key, value))
			}
		}
	}
	return Distinct(out)
}

// MetaTerm is the term of a value of metadata.
func MetaTerm(key, value string) string { return key + "\x00" + value }

// LanguageKey is the key of metadata that says in which language a passage is. Passages
// without it are English, or of a language that is not known.
const LanguageKey = "language"

// languageSample is how much of a document tells its language, in bytes.
const languageSample = 4 << 10

// WithLanguages adds to the passages of each document in another language than English
// which one that is, unless their metadata say it. A document that is too short to tell
// has the language of its source. The passages handed in stay as they are.
func WithLanguages(passages []state.Passage) []state.Passage {
	copied := false
	var source text.Language
	for from, to := 0, 0; from < len(passages); from = to {
		if first := passages[from]; from == 0 || passages[from-1].Source != first.Source {
			source, _ = sampled(passages[from:], func(p state.Passage) bool { return p.Source == first.Source })
		}
		l, n := sampled(passages[from:], func(p state.Passage) bool { return p.Doc == passages[from].Doc })
		to = from + n
		if l = cmp.Or(l, source); l == "" || l == text.English {
			continue
		}
		if !copied {
			passages, copied = slices.Clone(passages), true
		}
		for i := from; i < to; i++ {
			if p := &passages[i]; declared(*p) == "" {
				own := map[string]string{LanguageKey: string(l)}
				maps.Copy(own, p.Metadata)
				p.Metadata = own
			}
		}
	}
	return passages
}

// sampled is the language of the first passages, as many as belong together.
func sampled(passages []state.Passage, together func(state.Passage) bool) (l text.Language, n int) {
	var sample strings.Builder
	for ; n < len(passages) && together(passages[n]); n++ {
		if sample.Len() < languageSample {
			sample.WriteString(passages[n].Text + "\n")
		}
	}
	return text.LanguageOf(sample.String()), n
}

// declared is what the metadata of a passage say that its language is.
func declared(p state.Passage) string {
	if l, ok := p.Metadata[LanguageKey]; ok {
		return l
	}
	for key, value := range p.Metadata {
		if len(key) == len(LanguageKey) && text.Key(key) == LanguageKey {
			return value
		}
	}
	return ""
}

// LanguageOf is the language that a passage is analysed in.
func LanguageOf(p state.Passage) text.Language {
	if len(p.Metadata) == 0 {
		return text.English
	}
	return text.ParseLanguage(declared(p))
}

// maxTitleWords bounds the titles that are looked for.
const maxTitleWords = 8

// TitleKey hashes the words of a title, without what stands in brackets. It
// is 0 for a title that no text can be said to mention.
func TitleKey(title string) uint64 {
	words := titleWords(title)
	if len(words) == 0 || len(words) > maxTitleWords {
		return 0
	}
	if len(words) == 1 && (len(words[0]) <= 3 || text.DocStops.Has(words[0])) {
		return 0
	}
	return wordsKey(words)
}

func titleWords(title string) []string {
	var b strings.Builder
	depth := 0
	for _, r := range title {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return Words(b.String())
}

func wordsKey(words []string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	return max(1, h.Sum64())
}

// EachRun calls fn for the keys of the runs of words of s that may be a title.
func EachRun(s string, fn func(key uint64)) {
	list := Words(s)
	for i := range list {
		for n := 1; n <= maxTitleWords && i+n <= len(list); n++ {
			fn(wordsKey(list[i : i+n]))
		}
	}
}
