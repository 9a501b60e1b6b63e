package queryterms

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/served"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

const (
	definersRead = 128 // passages with a word that are read for what it stands for
	longestForm  = 6   // words of a question that may be a long form
)

// An OtherForm is a form of a query's word or phrase that the corpus says is the same:
// the long form of an abbreviation, or the abbreviation of a long form.
type OtherForm struct {
	written, as string   // in lower case
	Terms       []string // of what is written
	Other       []string // of the other form
}

// Shown lists what a query was searched for in place of its words, then beside them.
func (r Respelling) Shown() []state.Respelling {
	list := slices.Clip(r.list)
	for _, o := range r.Same {
		list = append(list, state.Respelling{Word: o.written, As: o.as, Also: true})
	}
	return list
}

// WithOthers adds the terms of other forms of what a text says.
func (r Respelling) WithOthers(terms []string) []string {
	out := slices.Clone(terms)
	for _, o := range r.Same {
		if slices.ContainsFunc(o.Terms, func(t string) bool { return slices.Contains(terms, t) }) {
			out = append(out, o.Other...)
		}
	}
	return analysis.Distinct(out)
}

// asWritten are the texts of a query that a person may have written.
func asWritten(q retrieval.Query) []string {
	out := []string{q.Primary}
	for _, group := range q.About {
		if len(group) > 0 {
			out = append(out, group[0])
		}
	}
	return analysis.Distinct(out)
}

// otherForms looks for abbreviations of texts that passages define, and for long forms
// of which they define the abbreviation. A text that has both needs neither.
func (x *Reader) otherForms(ctx context.Context, texts []string) ([]OtherForm, error) {
	var out []OtherForm
	add := func(s, written, as string) {
		o := OtherForm{written, as, analysis.Terms(written, text.DocStops), analysis.Terms(as, text.DocStops)}
		known := slices.ContainsFunc(out, func(p OtherForm) bool { return slices.Equal(p.Terms, o.Terms) && slices.Equal(p.Other, o.Other) })
		if as != "" && !known && len(o.Terms) > 0 && len(o.Other) > 0 && !holdsAll(analysis.Terms(s, text.DocStops), o.Other) {
			out = append(out, o)
		}
	}
	for _, s := range texts {
		tokens := text.Tokens(s)
		for i := 0; i < len(tokens); i++ {
			for _, short := range text.ShortNames(tokens[i].Text) {
				if x.source.Holds(x.Stems.Stem(text.English, short)) {
					add(s, tokens[i].Text, short)
				}
			}
			if word := s[tokens[i].Start:tokens[i].End]; text.IsShortForm(word) {
				long, err := x.longForm(ctx, word)
				if err != nil {
					return nil, err
				}
				add(s, tokens[i].Text, long)
			}
			for n := min(longestForm, len(tokens)-i); n >= 2; n-- {
				phrase := s[tokens[i].Start:tokens[i+n-1].End]
				short, err := x.shortForm(ctx, phrase)
				if err != nil {
					return nil, err
				}
				if short != "" {
					add(s, strings.ToLower(phrase), short)
					i += n - 1
					break
				}
			}
		}
	}
	return out, nil
}

func holdsAll(list, of []string) bool {
	return !slices.ContainsFunc(of, func(t string) bool { return !slices.Contains(list, t) })
}

// longForm is what most passages that define an abbreviation say that it stands for, in
// lower case.
func (x *Reader) longForm(ctx context.Context, short string) (string, error) {
	stem := x.Stems.Stem(text.English, strings.ToLower(short))
	meant := func(f text.ShortForm) string {
		if !strings.EqualFold(f.Short, short) {
			return ""
		}
		return strings.ToLower(strings.Join(strings.Fields(f.Long), " "))
	}
	if x.lexicon != nil {
		if !x.source.Holds(stem) {
			return "", nil
		}
		return x.lexicon.Defined(strings.ToLower(short), meant), nil
	}
	list, err := x.source.Postings(ctx, storage.BodyField, stem, nil)
	if err != nil {
		return "", err
	}
	slices.SortFunc(list, func(a, b storage.Posting) int { return cmp.Or(cmp.Compare(b.TF, a.TF), cmp.Compare(a.Ord, b.Ord)) })
	return x.mostDefined(list, meant)
}

// shortForm is the abbreviation that passages define for a phrase, in lower case. Only
// passages are read in which the initials stand beside the phrase.
func (x *Reader) shortForm(ctx context.Context, phrase string) (string, error) {
	if strings.ContainsAny(phrase, ".,;:?!()\"“”") {
		return "", nil
	}
	all := analysis.Words(phrase)
	stems := analysis.Terms(phrase, text.DocStops)
	if len(stems) < 2 || text.DocStops.Has(all[0]) || text.DocStops.Has(all[len(all)-1]) {
		return "", nil
	}
	tried := map[string]bool{}
	for _, from := range [][]string{all, stems} { // "board of pilots" is BOP or BP
		initials := ""
		for _, w := range from {
			initials += string(firstRune(w))
		}
		if tried[initials] {
			continue
		}
		tried[initials] = true
		stem := x.Stems.Stem(text.English, initials)
		if !x.source.Holds(stem) {
			continue
		}
		meant := func(f text.ShortForm) string {
			if !strings.EqualFold(f.Short, initials) || !slices.Equal(analysis.Terms(f.Long, text.DocStops), stems) {
				return ""
			}
			return initials
		}
		if x.lexicon != nil {
			if x.lexicon.Defined(initials, meant) != "" {
				return initials, nil
			}
			continue
		}
		for _, pair := range []string{stems[len(stems)-1] + " " + stem, stem + " " + stems[0]} {
			list, err := x.source.Postings(ctx, storage.BigramField, pair, nil)
			if err != nil {
				return "", err
			}
			short, err := x.mostDefined(list, meant)
			if short != "" || err != nil {
				return short, err
			}
		}
	}
	return "", nil
}

// mostDefined reads passages, and returns what fn makes of most of their definitions,
// of equals the first in the alphabet.
func (x *Reader) mostDefined(list []storage.Posting, fn func(text.ShortForm) string) (string, error) {
	counts := map[string]int{}
	for _, found := range list[:min(len(list), definersRead)] {
		p, err := x.source.Passage(found.Ord)
		if err != nil {
			return "", err
		}
		for _, s := range analysis.Texts(p) {
			for _, f := range text.ShortForms(s) {
				if form := fn(f); form != "" {
					counts[form]++
				}
			}
		}
	}
	return served.MostCounted(counts), nil
}
