package index

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// A reader turns the texts of queries into the terms that they are searched for by. It is
// safe for concurrent use.
type reader struct {
	source    source
	lexicon   *lexicon        // what is known of passages on a server; nil of files
	languages []text.Language // of the passages; nil where all are English
	stems     stemCache       // of words that were read
}

// newReader makes the reader of the queries for so many passages of a source.
func newReader(ctx context.Context, from source, l *lexicon, passages int) (*reader, error) {
	x := &reader{source: from, lexicon: l}
	held := uint64(0)
	var failed error
	prefix := metaTerm(languageKey, "")
	err := from.terms(metaField, prefix, func(term string) (string, bool) {
		var n uint64
		n, failed = from.frequency(ctx, metaField, term)
		if l := text.ParseLanguage(strings.TrimPrefix(term, prefix)); n > 0 && l != text.English {
			held += n
			x.languages = append(x.languages, l)
		}
		return "", failed == nil
	})
	if len(x.languages) > 0 && held < uint64(passages) {
		x.languages = append(x.languages, text.English)
	}
	slices.Sort(x.languages)
	x.languages = slices.Compact(x.languages)
	return x, errors.Join(err, failed)
}

// spoken are the languages that a text of a query is read in: its own where the corpus
// has it, and else all that the corpus has.
func (x *reader) spoken(s string) []text.Language {
	if len(x.languages) == 0 {
		return []text.Language{text.English}
	}
	if l := text.LanguageOf(s); slices.Contains(x.languages, l) {
		return []text.Language{l}
	}
	return x.languages
}

// isEnglish reports whether a query is read as English and is not in another language.
func (x *reader) isEnglish(s string) bool {
	spoken := x.spoken(s)
	if len(spoken) > 1 || spoken[0] != text.English {
		return false
	}
	l := text.LanguageOf(s)
	return l == "" || l == text.English
}

// terms are the stems of a query that it is searched for by. Where it may be of several
// languages these are the stems of each word that passages hold, or its first.
func (x *reader) terms(s string) []string {
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

func (x *reader) stemsOf(s string, spoken []text.Language, stops func(word string) bool) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		if stops(t.Text) {
			continue
		}
		var stems []string
		for _, l := range spoken {
			if stem := stemOf(l, t.Text); !slices.Contains(stems, stem) {
				stems = append(stems, stem)
			}
		}
		if held := slices.DeleteFunc(slices.Clone(stems), func(stem string) bool { return !x.source.holds(stem) }); len(held) > 0 {
			stems = held
		} else {
			stems = stems[:1]
		}
		out = append(out, stems...)
	}
	return out
}

// mentions reports whether a passage has a word, in any inflection and in any language of
// the passages.
func (x *reader) mentions(ctx context.Context, word string) (bool, error) {
	for _, stem := range x.stemsOf(word, x.spoken(word), func(string) bool { return false }) {
		if n, err := x.source.frequency(ctx, bodyField, stem); err != nil || n > 0 {
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
func (x *reader) compounds(texts []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, s := range texts {
		spoken := x.spoken(s)
		if !slices.ContainsFunc(spoken, func(l text.Language) bool { return slices.Contains(compounding, l) }) {
			continue
		}
		for _, term := range x.terms(s) {
			if out[term] != nil || x.source.holds(term) || !isPlain(term) {
				continue
			}
			if part := x.partOf(term, spoken); part != "" {
				out[term] = []string{part}
				continue
			}
			var found []string
			if err := x.source.terms(bodyField, term, func(t string) (string, bool) {
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
func (x *reader) partOf(word string, spoken []text.Language) string {
	letters := []rune(word)
	if len(letters) < leastCompound {
		return ""
	}
	held := func(part string) string {
		for _, l := range spoken {
			if stem := l.Stem(part); utf8.RuneCountInString(stem) >= leastPart-1 && !l.Stops(part) && x.source.holds(stem) {
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

// queryTerms are the stems of an English query without the words that questions are
// wrapped in; if nothing else is left, those count too.
func queryTerms(s string) []string {
	for _, stop := range []text.StopList{text.QueryStops, text.DocStops} {
		if list := terms(s, stop); len(list) > 0 {
			return list
		}
	}
	return nil
}
