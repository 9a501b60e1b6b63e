package index

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// languageKey is the key of metadata that says in which language a passage is. Passages
// without it are English, or of a language that is not known.
const languageKey = "language"

// languageSample is how much of a document tells its language, in bytes.
const languageSample = 4 << 10

// withLanguages adds to the passages of each document in another language than English
// which one that is, unless their metadata say it. A document that is too short to tell
// has the language of its source. The passages handed in stay as they are.
func withLanguages(passages []state.Passage) []state.Passage {
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
				own := map[string]string{languageKey: string(l)}
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
	if l, ok := p.Metadata[languageKey]; ok {
		return l
	}
	for key, value := range p.Metadata {
		if len(key) == len(languageKey) && text.Key(key) == languageKey {
			return value
		}
	}
	return ""
}

// languageOf is the language that a passage is analysed in.
func languageOf(p state.Passage) text.Language {
	if len(p.Metadata) == 0 {
		return text.English
	}
	return text.ParseLanguage(declared(p))
}

// findLanguages notes the languages of the passages: nil where all are English.
func (x *Index) findLanguages(ctx context.Context) error {
	held := uint64(0)
	var failed error
	prefix := metaTerm(languageKey, "")
	err := x.store.terms(metaField, prefix, func(term string) (string, bool) {
		var n uint64
		n, failed = x.store.frequency(ctx, metaField, term)
		if l := text.ParseLanguage(strings.TrimPrefix(term, prefix)); n > 0 && l != text.English {
			held += n
			x.languages = append(x.languages, l)
		}
		return "", failed == nil
	})
	if len(x.languages) > 0 && held < uint64(x.passages) {
		x.languages = append(x.languages, text.English)
	}
	slices.Sort(x.languages)
	x.languages = slices.Compact(x.languages)
	return errors.Join(err, failed)
}

// spoken are the languages that a text of a query is read in: its own where the corpus
// has it, and else all that the corpus has.
func (x *Index) spoken(s string) []text.Language {
	if x == nil || len(x.languages) == 0 {
		return []text.Language{text.English}
	}
	if l := text.LanguageOf(s); slices.Contains(x.languages, l) {
		return []text.Language{l}
	}
	return x.languages
}

// isEnglish reports whether a query is read as English and is not in another language.
func (x *Index) isEnglish(s string) bool {
	spoken := x.spoken(s)
	if len(spoken) > 1 || spoken[0] != text.English {
		return false
	}
	l := text.LanguageOf(s)
	return l == "" || l == text.English
}

// terms are the stems of a query that it is searched for by. Where it may be of several
// languages these are the stems of each word that passages hold, or its first.
func (x *Index) terms(s string) []string {
	spoken := x.spoken(s)
	if len(spoken) == 1 && spoken[0] == text.English {
		return queryTerms(s)
	}
	own := text.LanguageOf(s)
	stops := func(word string) bool {
		return own != "" && own.Stops(word) || slices.ContainsFunc(spoken, func(l text.Language) bool { return l.Stops(l.Word(word)) })
	}
	list := x.stemsOf(s, spoken, stops)
	if len(list) == 0 {
		list = x.stemsOf(s, spoken, func(string) bool { return false })
	}
	return list
}

func (x *Index) stemsOf(s string, spoken []text.Language, stops func(word string) bool) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		if stops(t.Text) {
			continue
		}
		var stems []string
		for _, l := range spoken {
			if stem := bounded(l.Stem(l.Word(t.Text))); !slices.Contains(stems, stem) {
				stems = append(stems, stem)
			}
		}
		if held := slices.DeleteFunc(slices.Clone(stems), func(stem string) bool { return x.store == nil || !x.store.holds(stem) }); len(held) > 0 {
			stems = held
		} else {
			stems = stems[:1]
		}
		out = append(out, stems...)
	}
	return out
}

// Mentions reports whether a passage has a word, in any inflection and in any language of
// the index.
func (x *Index) Mentions(ctx context.Context, word string) (bool, error) {
	if x.store == nil {
		return false, nil
	}
	for _, stem := range x.stemsOf(word, x.spoken(word), func(string) bool { return false }) {
		if n, err := x.store.frequency(ctx, bodyField, stem); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// compounding are languages that write several words as one.
var compounding = []text.Language{"da", "de", "fi", "nl", "no", "sv"}

const (
	leastCompound = 8 // letters of a word that may be made of others
	leastPart     = 4 // and of each of these
	mostCompounds = 3 // words of the corpus that begin with one of the query
)

// compounds finds, for the words of texts that no passage holds, what passages hold of
// them: the longest word that they end or begin with, or the first words that begin
// with them.
func (x *Index) compounds(texts []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, s := range texts {
		spoken := x.spoken(s)
		if !slices.ContainsFunc(spoken, func(l text.Language) bool { return slices.Contains(compounding, l) }) {
			continue
		}
		for _, term := range x.terms(s) {
			if out[term] != nil || x.store.holds(term) || !isPlain(term) {
				continue
			}
			if part := x.partOf(term, spoken); part != "" {
				out[term] = []string{part}
				continue
			}
			var found []string
			if err := x.store.terms(bodyField, term, func(t string) (string, bool) {
				found = append(found, t)
				return "", len(found) < mostCompounds
			}); err != nil {
				return nil, err
			}
			if len(found) > 0 {
				out[term] = found
			}
		}
	}
	return out, nil
}

// partOf is the longest end of a word, or else its longest beginning, that passages hold.
func (x *Index) partOf(word string, spoken []text.Language) string {
	letters := []rune(word)
	if len(letters) < leastCompound {
		return ""
	}
	held := func(part string) string {
		for _, l := range spoken {
			if stem := l.Stem(part); utf8.RuneCountInString(stem) >= leastPart-1 && !l.Stops(part) && x.store.holds(stem) {
				return stem
			}
		}
		return ""
	}
	for i := leastPart; i <= len(letters)-leastPart; i++ {
		if stem := held(string(letters[i:])); stem != "" {
			return stem
		}
	}
	for i := len(letters) - leastPart; i >= leastPart; i-- {
		if stem := held(string(letters[:i])); stem != "" {
			return stem
		}
	}
	return ""
}
