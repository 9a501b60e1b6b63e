// Package queryterms turns the texts of a query into the terms that they are searched for by:
// stems in the languages that the passages have, words that the passages have in place of
// misspelt ones, and abbreviations in both forms. It does not rank, and does not translate.
package queryterms

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/served"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/text"
)

// A Reader turns the texts of queries into the terms that they are searched for by. It is
// safe for concurrent use.
type Reader struct {
	source    storage.Source
	lexicon   *served.Lexicon  // what is known of passages on a server; nil of files
	languages []text.Language  // of the passages; nil where all are English
	Stems     analysis.Stemmer // of words that were read
}

// New makes the reader of the queries for so many passages of a source.
func New(ctx context.Context, from storage.Source, l *served.Lexicon, passages int) (*Reader, error) {
	x := &Reader{source: from, lexicon: l}
	held := uint64(0)
	var failed error
	prefix := analysis.MetaTerm(analysis.LanguageKey, "")
	err := from.Terms(storage.MetaField, prefix, func(term string) (string, bool) {
		var n uint64
		n, failed = from.Frequency(ctx, storage.MetaField, term)
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

// Spoken are the languages that a text of a query is read in: its own where the corpus
// has it, and else all that the corpus has.
func (x *Reader) Spoken(s string) []text.Language {
	if len(x.languages) == 0 {
		return []text.Language{text.English}
	}
	if l := text.LanguageOf(s); slices.Contains(x.languages, l) {
		return []text.Language{l}
	}
	return x.languages
}

// IsEnglish reports whether a query is read as English and is not in another language.
func (x *Reader) IsEnglish(s string) bool {
	spoken := x.Spoken(s)
	if len(spoken) > 1 || spoken[0] != text.English {
		return false
	}
	l := text.LanguageOf(s)
	return l == "" || l == text.English
}

// Terms are the stems of a query that it is searched for by. Where it may be of several
// languages these are the stems of each word that passages hold, or its first.
func (x *Reader) Terms(s string) []string {
	spoken := x.Spoken(s)
	if len(spoken) == 1 && spoken[0] == text.English {
		return english(s)
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

func (x *Reader) stemsOf(s string, spoken []text.Language, stops func(word string) bool) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		if stops(t.Text) {
			continue
		}
		var stems []string
		for _, l := range spoken {
			if stem := analysis.Stem(l, t.Text); !slices.Contains(stems, stem) {
				stems = append(stems, stem)
			}
		}
		if held := slices.DeleteFunc(slices.Clone(stems), func(stem string) bool { return !x.source.Holds(stem) }); len(held) > 0 {
			stems = held
		} else {
			stems = stems[:1]
		}
		out = append(out, stems...)
	}
	return out
}

// Mentions reports whether a passage has a word, in any inflection and in any language of
// the passages.
func (x *Reader) Mentions(ctx context.Context, word string) (bool, error) {
	for _, stem := range x.stemsOf(word, x.Spoken(word), func(string) bool { return false }) {
		if n, err := x.source.Frequency(ctx, storage.BodyField, stem); err != nil || n > 0 {
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
func (x *Reader) compounds(texts []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, s := range texts {
		spoken := x.Spoken(s)
		if !slices.ContainsFunc(spoken, func(l text.Language) bool { return slices.Contains(compounding, l) }) {
			continue
		}
		for _, term := range x.Terms(s) {
			if out[term] != nil || x.source.Holds(term) || !analysis.IsPlain(term) {
				continue
			}
			if part := x.partOf(term, spoken); part != "" {
				out[term] = []string{part}
				continue
			}
			var found []string
			if err := x.source.Terms(storage.BodyField, term, func(t string) (string, bool) {
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
func (x *Reader) partOf(word string, spoken []text.Language) string {
	letters := []rune(word)
	if len(letters) < leastCompound {
		return ""
	}
	held := func(part string) string {
		for _, l := range spoken {
			if stem := l.Stem(part); utf8.RuneCountInString(stem) >= leastPart-1 && !l.Stops(part) && x.source.Holds(stem) {
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

// english are the stems of an English query without the words that questions are
// wrapped in; if nothing else is left, those count too.
func english(s string) []string {
	for _, stop := range []text.StopList{text.QueryStops, text.DocStops} {
		if list := analysis.Terms(s, stop); len(list) > 0 {
			return list
		}
	}
	return nil
}
