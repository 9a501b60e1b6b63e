package storage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/lsa"
)

// bagsMagic begins the file of bags; its last byte is the format's version.
const bagsMagic = "assay-bags\x02"

// A bagWriter encodes the bags of a part's passages: their terms with their
// counts, sorted by the terms, which are numbered in the order in which they are
// met.
//
// Bags are what the embedder is trained on; they are kept in a part so that an
// update need not read and cut up every old passage again. Only Update reads
// them.
type bagWriter struct {
	terms  []string
	number map[string]int32
	df     []int // passages with each term
	rows   codec.Encoder
	count  int
}

func newBagWriter() *bagWriter { return &bagWriter{number: make(map[string]int32)} }

func (w *bagWriter) numberOf(term string) int32 {
	n, ok := w.number[term]
	if !ok {
		n = int32(len(w.terms))
		term = strings.Clone(term) // not a part of the passage's text
		w.number[term] = n
		w.terms, w.df = append(w.terms, term), append(w.df, 0)
	}
	return n
}

// add encodes a bag, which is sorted by term.
func (w *bagWriter) add(bag []lsa.Term) {
	w.begin(len(bag))
	for _, t := range bag {
		w.cell(w.numberOf(t.Text), t.N)
	}
}

func (w *bagWriter) begin(size int) {
	w.count++
	w.rows.Uint(size)
}

func (w *bagWriter) cell(term int32, n int) {
	w.df[term]++
	w.rows.Uint(int(term))
	w.rows.Uint(n)
}

func (w *bagWriter) encode() []byte {
	e := &codec.Encoder{Out: []byte(bagsMagic)}
	e.Strs(w.terms)
	for _, n := range w.df {
		e.Uint(n)
	}
	e.Uint(w.count)
	e.Raw(w.rows.Out)
	return e.Out
}

// Bags are what a bagWriter encoded. Their rows are read one after the other.
type Bags struct {
	Terms []string
	df    []int
	count int
	rows  []byte
}

func decodeBags(data []byte) (*Bags, error) {
	d := codec.NewDecoder(data, bagsMagic)
	b := &Bags{Terms: d.Strs()}
	b.df = make([]int, len(b.Terms))
	for i := range b.df {
		b.df[i] = d.Uint()
	}
	b.count = d.Count()
	b.rows = d.In
	if d.Err != nil {
		return nil, fmt.Errorf("reading the bags: %w", d.Err)
	}
	return b, nil
}

// Each calls fn for every row. It keeps none of the cells.
func (b *Bags) Each(fn func(row int, cells []lsa.Cell)) error {
	d := &codec.Decoder{In: b.rows}
	var cells []lsa.Cell
	for row := range b.count {
		cells = cells[:0]
		for range d.Count() {
			cells = append(cells, lsa.Cell{Term: int32(d.Below(len(b.Terms))), N: int32(d.Uint())})
		}
		if d.Err != nil {
			break
		}
		fn(row, cells)
	}
	if err := d.End(); err != nil {
		return fmt.Errorf("reading the bags: %w", err)
	}
	return nil
}

// into adds the rows that stay to others.
func (b *Bags) into(w *bagWriter, stays func(row int) bool) error {
	place := slices.Repeat([]int32{-1}, len(b.Terms))
	return b.Each(func(row int, cells []lsa.Cell) {
		if !stays(row) {
			return
		}
		w.begin(len(cells))
		for _, c := range cells {
			if place[c.Term] < 0 {
				place[c.Term] = w.numberOf(b.Terms[c.Term])
			}
			w.cell(place[c.Term], int(c.N))
		}
	})
}

// A Vocabulary counts in how many passages of a corpus each term occurs.
type Vocabulary map[string]int

// add counts a part's terms.
func (v Vocabulary) add(b *Bags) {
	for i, n := range b.df {
		v[b.Terms[i]] += n
	}
}

// drop takes rows of a part away.
func (v Vocabulary) drop(b *Bags, dropped func(row int) bool) error {
	return b.Each(func(row int, cells []lsa.Cell) {
		if !dropped(row) {
			return
		}
		for _, c := range cells {
			if term := b.Terms[c.Term]; v[term] > 1 {
				v[term]--
			} else {
				delete(v, term)
			}
		}
	})
}

// vocabularyMagic begins the file of a vocabulary; its last byte is the format's
// version.
const vocabularyMagic = "assay-terms\x01"

// Encode returns the file of a vocabulary.
func (v Vocabulary) Encode() []byte {
	terms, df := v.Sorted()
	e := &codec.Encoder{Out: []byte(vocabularyMagic)}
	e.Strs(terms)
	for _, n := range df {
		e.Uint(n)
	}
	return e.Out
}

// DecodeVocabulary reads a file of Encode.
func DecodeVocabulary(data []byte) (Vocabulary, error) {
	d := codec.NewDecoder(data, vocabularyMagic)
	terms := d.Strs()
	v := make(Vocabulary, len(terms))
	for _, t := range terms {
		v[t] = d.Uint()
	}
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("reading the terms: %w", err)
	}
	return v, nil
}

// Sorted returns the terms in order, with their counts.
func (v Vocabulary) Sorted() (terms []string, df []int) {
	terms = slices.Sorted(maps.Keys(v))
	df = make([]int, len(terms))
	for i, t := range terms {
		df[i] = v[t]
	}
	return terms, df
}
