package queryterms

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

const (
	rareUpTo     = 1   // passages that may hold a word that is taken for another
	usualFrom    = 5   // passages that hold the other
	stemsTried   = 12  // stems like that of a word
	wordsRead    = 24  // passages that are read for the words of a stem
	variantsRead = 256 // and for one word of it
)

// A Respelling is what a query is searched for in place of words that the corpus does
// not have: misspelt ones, and British or American ones.
type Respelling struct {
	list []state.Respelling // in the order of the query
	as   map[string]string
	kept map[string]bool // stems of the words that a passage holds all the same
	Same []OtherForm     // abbreviations and long forms that are searched for as well
	by   *Reader
	made map[string][]string // for terms that no passage holds: those that they are made of, or are a part of
}

// Terms are the stems that a text of the query is searched for by.
func (r Respelling) Terms(s string) []string {
	list := r.by.Terms(text.Respelt(s, r.as))
	for term, parts := range r.made {
		for i := len(list) - 1; i >= 0; i-- {
			if list[i] == term {
				list = slices.Replace(list, i, i+1, parts...)
			}
		}
	}
	if len(r.kept) == 0 {
		return list
	}
	for _, t := range text.Tokens(s) {
		if stem := text.Stem(t.Text); r.kept[stem] {
			list = append(list, stem)
		}
	}
	return list
}

// Respell finds what to search for in place of words that the corpus lacks. It looks every
// word up by its stem. For a word that is missing it reads passages with similar stems, and
// compares their words.
func (x *Reader) Respell(ctx context.Context, q retrieval.Query) (r Respelling, err error) {
	r.by = x
	texts := append([]string{q.Primary}, slices.Concat(q.About...)...)
	if !x.IsEnglish(q.Primary) { // what follows knows English alone
		r.made, err = x.compounds(append(texts, q.Alternatives...))
		return r, err
	}
	r.as, r.kept = map[string]string{}, map[string]bool{}
	names := map[string]bool{}
	for _, s := range texts {
		for _, t := range text.Tokens(s) {
			names[t.Text] = names[t.Text] || isName(s, t)
		}
	}
	looked := map[string]bool{}
	for _, s := range texts {
		for _, t := range text.Tokens(s) {
			if looked[t.Text] || names[t.Text] || text.QueryStops.Has(t.Text) || !analysis.IsPlain(t.Text) {
				continue
			}
			looked[t.Text] = true
			stem := text.Stem(t.Text)
			n, err := x.source.Frequency(ctx, storage.BodyField, stem)
			if err != nil {
				return r, err
			}
			if n > rareUpTo {
				continue
			}
			as, err := x.meant(ctx, t.Text)
			if err != nil {
				return r, err
			}
			if as == "" || slices.Contains(analysis.Words(s), as) { // who writes both words means two
				continue
			}
			r.as[t.Text] = as
			r.list = append(r.list, state.Respelling{Word: t.Text, As: as})
			if n > 0 {
				r.kept[stem] = true
			}
		}
	}
	r.Same, err = x.otherForms(ctx, asWritten(q))
	return r, err
}

// isName reports whether a word is written with a capital though no sentence begins
// with it, or with one inside.
func isName(s string, t text.Token) bool {
	first, size := utf8.DecodeRuneInString(s[t.Start:])
	if strings.ContainsFunc(s[t.Start+size:t.End], unicode.IsUpper) {
		return true
	}
	if !unicode.IsUpper(first) {
		return false
	}
	before := strings.TrimRight(s[:t.Start], " \t\n\"'“‘(*-")
	last, _ := utf8.DecodeLastRuneInString(before)
	return before != "" && !strings.ContainsRune(".!?:", last)
}

// meant is the word of the corpus that an unknown one is taken for, "" for none: the
// same word as others spell it, a stop word with two letters swapped, or the word that
// the fewest errors make of it, of equals the one that the most passages hold. A word
// of English is not misspelt.
func (x *Reader) meant(ctx context.Context, word string) (string, error) {
	for _, v := range text.Variants(word) {
		has := false
		err := x.wordsOf(ctx, text.Stem(v), variantsRead, func(w string) bool { has = has || w == v; return !has })
		if err != nil || has {
			return v, err
		}
	}
	if stop := swappedStop(word); stop != "" {
		return stop, nil
	}
	if len(wordnet.Bases(word)) > 0 {
		return "", nil
	}
	stems, err := x.stemsLike(ctx, word)
	if err != nil {
		return "", err
	}
	best, least, most := "", mostErrors+1, uint64(0)
	for _, c := range stems {
		err := x.wordsOf(ctx, c.term, wordsRead, func(w string) bool {
			d := errorsBetween(word, w)
			if d < least || d == least && d <= mostErrors && (c.held > most || c.held == most && w < best) {
				best, least, most = w, d, c.held
			}
			return true
		})
		if err != nil {
			return "", err
		}
	}
	return best, nil
}

// A likeStem is a stem of the corpus, how far it is from another, and how many
// passages hold it.
type likeStem struct {
	term  string
	edits int
	held  uint64
}

// stemsLike lists the stems that may be those of the word that another was meant to
// be: those that differ little from its stem, and those that it begins with, for an
// error at the end of a word hides its stem.
func (x *Reader) stemsLike(ctx context.Context, word string) ([]likeStem, error) {
	stem := text.Stem(word)
	var found []string
	for _, form := range analysis.Distinct([]string{word, stem}) {
		var err error
		if found, err = x.source.Similar(storage.BodyField, form, editsIn(word), found); err != nil {
			return nil, err
		}
	}
	for at := range word {
		if at >= analysis.LeastLetters {
			found = append(found, word[:at])
		}
	}
	var out []likeStem
	for _, term := range analysis.Distinct(found) {
		n, err := x.source.Frequency(ctx, storage.BodyField, term)
		if err != nil {
			return nil, err
		}
		if n >= usualFrom {
			out = append(out, likeStem{term, min(text.Edits(stem, term), text.Edits(word, term)), n})
		}
	}
	slices.SortFunc(out, func(a, b likeStem) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.held, a.held), cmp.Compare(a.term, b.term))
	})
	return out[:min(len(out), stemsTried)], nil
}

// wordsOf reads passages for the words of a stem, as long as fn wants more.
func (x *Reader) wordsOf(ctx context.Context, stem string, passages int, fn func(word string) bool) error {
	if x.lexicon != nil {
		for _, w := range x.lexicon.Words(stem) {
			if !fn(w) {
				break
			}
		}
		return nil
	}
	list, err := x.source.Postings(ctx, storage.BodyField, stem, nil)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b storage.Posting) int { return cmp.Compare(a.Ord, b.Ord) })
	for _, found := range list[:min(len(list), passages)] {
		p, err := x.source.Passage(found.Ord)
		if err != nil {
			return err
		}
		for _, s := range analysis.Texts(p) {
			for _, t := range text.Tokens(s) {
				if x.Stems.Stem(text.English, t.Text) == stem && !fn(t.Text) {
					return nil
				}
			}
		}
	}
	return nil
}
