package index

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	rows   encoder
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
	w.rows.uint(size)
}

func (w *bagWriter) cell(term int32, n int) {
	w.df[term]++
	w.rows.uint(int(term))
	w.rows.uint(n)
}

func (w *bagWriter) encode() []byte {
	e := &encoder{out: []byte(bagsMagic)}
	e.strs(w.terms)
	for _, n := range w.df {
		e.uint(n)
	}
	e.uint(w.count)
	e.raw(w.rows.out)
	return e.out
}

// bags are what a bagWriter encoded. Their rows are read one after the other.
type bags struct {
	terms []string
	df    []int
	count int
	rows  []byte
}

func decodeBags(data []byte) (*bags, error) {
	rest, ok := bytes.CutPrefix(data, []byte(bagsMagic))
	if !ok {
		return nil, errors.New("reading the bags: not a file of bags of this version")
	}
	d := &decoder{in: rest}
	b := &bags{terms: d.strs()}
	b.df = make([]int, len(b.terms))
	for i := range b.df {
		b.df[i] = d.uint()
	}
	b.count = d.count()
	b.rows = d.in
	if d.err != nil {
		return nil, fmt.Errorf("reading the bags: %w", d.err)
	}
	return b, nil
}

// each calls fn for every row. It keeps none of the cells.
func (b *bags) each(fn func(row int, cells []lsa.Cell)) error {
	d := &decoder{in: b.rows}
	var cells []lsa.Cell
	for row := range b.count {
		cells = cells[:0]
		for range d.count() {
			cells = append(cells, lsa.Cell{Term: int32(d.below(len(b.terms))), N: int32(d.uint())})
		}
		if d.err != nil {
			break
		}
		fn(row, cells)
	}
	if err := d.end(); err != nil {
		return fmt.Errorf("reading the bags: %w", err)
	}
	return nil
}

// into adds the rows that stay to others.
func (b *bags) into(w *bagWriter, stays func(row int) bool) error {
	place := make([]int32, len(b.terms))
	for i := range place {
		place[i] = -1
	}
	return b.each(func(row int, cells []lsa.Cell) {
		if !stays(row) {
			return
		}
		w.begin(len(cells))
		for _, c := range cells {
			if place[c.Term] < 0 {
				place[c.Term] = w.numberOf(b.terms[c.Term])
			}
			w.cell(place[c.Term], int(c.N))
		}
	})
}

// A vocabulary counts in how many passages of a corpus each term occurs.
type vocabulary map[string]int

// add counts a part's terms.
func (v vocabulary) add(b *bags) {
	for i, n := range b.df {
		v[b.terms[i]] += n
	}
}

// drop takes rows of a part away.
func (v vocabulary) drop(b *bags, dropped func(row int) bool) error {
	return b.each(func(row int, cells []lsa.Cell) {
		if !dropped(row) {
			return
		}
		for _, c := range cells {
			if term := b.terms[c.Term]; v[term] > 1 {
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

func (v vocabulary) encode() []byte {
	terms, df := v.sorted()
	e := &encoder{out: []byte(vocabularyMagic)}
	e.strs(terms)
	for _, n := range df {
		e.uint(n)
	}
	return e.out
}

func decodeVocabulary(data []byte) (vocabulary, error) {
	rest, ok := bytes.CutPrefix(data, []byte(vocabularyMagic))
	if !ok {
		return nil, errors.New("reading the terms: not a file of terms of this version")
	}
	d := &decoder{in: rest}
	terms := d.strs()
	v := make(vocabulary, len(terms))
	for _, t := range terms {
		v[t] = d.uint()
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading the terms: %w", err)
	}
	return v, nil
}

// sorted returns the terms in order, with their counts.
func (v vocabulary) sorted() (terms []string, df []int) {
	terms = slices.Sorted(maps.Keys(v))
	df = make([]int, len(terms))
	for i, t := range terms {
		df[i] = v[t]
	}
	return terms, df
}
