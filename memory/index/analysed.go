package index

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/lsa"
	"example.com/assay/state"
)

const (
	titleWeight = 2  // occurrences that a word of the title counts for
	hashSize    = 16 // bytes kept of a passage's hash
)

// An analysed passage is one that is ready to be stored.
type analysed struct {
	draft
	json   []byte
	bag    []lsa.Term // terms of the body, with the title's words repeated
	pairs  []uint64   // keys of the pairs of adjacent terms
	meta   []string   // terms of its metadata
	labels citation.Labels
}

// analyse prepares passages, with their labels.
func analyse(passages []state.Passage, labels []citation.Labels, stems stemmer) ([]analysed, error) {
	out := make([]analysed, len(passages))
	for i := range passages {
		var err error
		if out[i], err = analyseOne(passages[i], labels[i], stems); err != nil {
			return nil, err
		}
		if i > 0 { // neighbours share these, and drafts are many
			same, d := &out[i-1].draft, &out[i].draft
			d.doc, d.title, d.source = shared(same.doc, d.doc), shared(same.title, d.title), shared(same.source, d.source)
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

func analyseOne(p state.Passage, labels citation.Labels, stems stemmer) (analysed, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return analysed{}, fmt.Errorf("encoding passage %q: %w", p.ID, err)
	}
	a := analysed{json: data, meta: metaTerms(p), labels: labels}
	l := languageOf(p)
	body, title := stems.terms(l, p.Text), stems.terms(l, p.Title)
	a.pairs = appendPairs(appendPairs(make([]uint64, 0, len(body)+len(title)), body), title)
	all := slices.Clone(body)
	for range titleWeight {
		all = append(all, title...)
	}
	if heading := lastHeading(p); heading != "" {
		all = append(all, stems.terms(l, heading)...)
	}
	all = stems.appendLabels(all, l, p.Blocks)
	a.bag = lsa.Bag(all)
	// What is kept until the end must not hold the text of a whole file.
	a.draft = draft{
		id: strings.Clone(p.ID), doc: strings.Clone(p.Doc), title: strings.Clone(p.Title), source: strings.Clone(p.Source),
		length: len(all), bigrams: len(a.pairs), start: max(0, p.Start), hash: hashOf(data),
	}
	return a, nil
}

// times is how often a passage holds a term, or a pair with that key.
func (a *analysed) times(field, term string, pair uint64) (n int) {
	switch field {
	case bodyField:
		if at, ok := slices.BinarySearchFunc(a.bag, term, func(t lsa.Term, term string) int { return strings.Compare(t.Text, term) }); ok {
			return a.bag[at].N
		}
	case bigramField:
		for _, key := range a.pairs {
			if key == pair {
				n++
			}
		}
	default:
		list := map[string][]string{metaField: a.meta, ownField: a.labels.Own, withinField: a.labels.Within}[field]
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
