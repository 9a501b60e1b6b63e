package storage

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/lsa"
	"example.com/assay/state"
)

const (
	titleWeight = 2  // occurrences that a word of the title counts for
	hashSize    = 16 // bytes kept of a passage's hash
)

// An Analysed passage is one that is ready to be stored.
type Analysed struct {
	Draft
	json   []byte
	Bag    []lsa.Term // terms of the body, with the title's words repeated
	pairs  []uint64   // keys of the pairs of adjacent terms
	Meta   []string   // terms of its metadata
	labels citation.Labels
}

// analyseAll prepares passages, with their labels.
func analyseAll(passages []state.Passage, labels []citation.Labels, stems *analysis.Stemmer) ([]Analysed, error) {
	out := make([]Analysed, len(passages))
	for i := range passages {
		var err error
		if out[i], err = Analyse(passages[i], labels[i], stems); err != nil {
			return nil, err
		}
		if i > 0 { // neighbours share these, and drafts are many
			same, d := &out[i-1].Draft, &out[i].Draft
			d.doc, d.title, d.Source = shared(same.doc, d.doc), shared(same.title, d.title), shared(same.Source, d.Source)
		}
	}
	return out, nil
}

// shared is b, as a where they are equal.
func shared(a, b string) string {
	if a == b {
		return a
	}
	return b
}

// Analyse prepares a passage. labels are the keys of the numbered parts that it is of.
func Analyse(p state.Passage, labels citation.Labels, stems *analysis.Stemmer) (Analysed, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return Analysed{}, fmt.Errorf("encoding passage %q: %w", p.ID, err)
	}
	a := Analysed{json: data, Meta: analysis.Metadata(p), labels: labels}
	l := analysis.LanguageOf(p)
	body, title := stems.Terms(l, p.Text), stems.Terms(l, p.Title)
	a.pairs = appendPairs(appendPairs(make([]uint64, 0, len(body)+len(title)), body), title)
	all := slices.Clone(body)
	for range titleWeight {
		all = append(all, title...)
	}
	if heading := analysis.LastHeading(p); heading != "" {
		all = append(all, stems.Terms(l, heading)...)
	}
	all = stems.AppendLabels(all, l, p.Blocks)
	a.Bag = lsa.Bag(all)
	// What is kept until the end must not hold the text of a whole file.
	a.Draft = Draft{
		ID: strings.Clone(p.ID), doc: strings.Clone(p.Doc), title: strings.Clone(p.Title), Source: strings.Clone(p.Source),
		length: len(all), bigrams: len(a.pairs), start: max(0, p.Start), hash: hashOf(data),
	}
	return a, nil
}

// Times is how often a passage holds a term, or a pair with that key.
func (a *Analysed) Times(field, term string, pair uint64) (n int) {
	switch field {
	case BodyField:
		if at, ok := slices.BinarySearchFunc(a.Bag, term, func(t lsa.Term, term string) int { return strings.Compare(t.Text, term) }); ok {
			return a.Bag[at].N
		}
	case BigramField:
		for _, key := range a.pairs {
			if key == pair {
				n++
			}
		}
	default:
		list := map[string][]string{MetaField: a.Meta, OwnField: a.labels.Own, WithinField: a.labels.Within}[field]
		if slices.Contains(list, term) {
			return 1
		}
	}
	return n
}

// hashOf is what a stored passage is recognised by.
func hashOf(data []byte) (hash [hashSize]byte) {
	sum := sha256.Sum256(data)
	copy(hash[:], sum[:])
	return hash
}
