package index

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/lsa"
)

// bagsMagic begins the file of bags; its last byte is the format's version.
const bagsMagic = "assay-bags\x01"

// A lexicon numbers terms in the order in which it meets them. A passage's bag,
// its terms with their counts, is kept in those numbers, sorted by the terms:
// that is a third of the memory of terms, of which a corpus has few.
//
// Bags are what the embedder is trained on; they are kept in a generation so
// that an update need not read and cut up every old passage again. Only Update
// reads them.
type lexicon struct {
	terms  []string
	number map[string]int32
}

// newLexicon numbers terms as they stand.
func newLexicon(terms []string) *lexicon {
	l := &lexicon{terms: terms, number: make(map[string]int32, len(terms))}
	for i, t := range terms {
		l.number[t] = int32(i)
	}
	return l
}

// cells puts a bag, which is sorted by term, in numbers.
func (l *lexicon) cells(bag []lsa.Term) []lsa.Cell {
	out := make([]lsa.Cell, len(bag))
	for i, t := range bag {
		n, ok := l.number[t.Text]
		if !ok {
			n = int32(len(l.terms))
			term := strings.Clone(t.Text) // not a part of the passage's text
			l.number[term] = n
			l.terms = append(l.terms, term)
		}
		out[i] = lsa.Cell{Term: n, N: int32(t.N)}
	}
	return out
}

// corpus sorts the terms that rows hold and numbers them anew. It changes the
// rows, which keep their order and that of their cells.
func (l *lexicon) corpus(rows [][]lsa.Cell) lsa.Corpus {
	used := make([]bool, len(l.terms))
	for _, row := range rows {
		for _, cell := range row {
			used[cell.Term] = true
		}
	}
	var order []int32
	for n, u := range used {
		if u {
			order = append(order, int32(n))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(l.terms[a], l.terms[b]) })
	c := lsa.Corpus{Terms: make([]string, len(order)), Docs: rows}
	place := make([]int32, len(l.terms))
	for i, n := range order {
		c.Terms[i], place[n] = l.terms[n], int32(i)
	}
	for _, row := range rows {
		for i := range row {
			row[i].Term = place[row[i].Term]
		}
	}
	return c
}

// bagOf is a row in terms.
func bagOf(c lsa.Corpus, row int) []lsa.Term {
	out := make([]lsa.Term, len(c.Docs[row]))
	for i, cell := range c.Docs[row] {
		out[i] = lsa.Term{Text: c.Terms[cell.Term], N: int(cell.N)}
	}
	return out
}

func encodeBags(c lsa.Corpus) []byte {
	e := &encoder{out: []byte(bagsMagic)}
	e.strs(c.Terms)
	e.uint(len(c.Docs))
	for _, cells := range c.Docs {
		e.uint(len(cells))
		last := int32(0)
		for _, cell := range cells {
			e.uint(int(cell.Term - last))
			e.uint(int(cell.N))
			last = cell.Term
		}
	}
	return e.out
}

func decodeBags(data []byte) (lsa.Corpus, error) {
	rest, ok := bytes.CutPrefix(data, []byte(bagsMagic))
	if !ok {
		return lsa.Corpus{}, errors.New("reading the bags: not a file of bags of this version")
	}
	d := &decoder{in: rest}
	c := lsa.Corpus{Terms: d.strs()}
	for i := 1; i < len(c.Terms) && d.err == nil; i++ {
		if c.Terms[i-1] >= c.Terms[i] {
			d.fail(fmt.Errorf("term %d is out of order", i))
		}
	}
	c.Docs = make([][]lsa.Cell, d.count())
	for i := range c.Docs {
		row := make([]lsa.Cell, d.count())
		at := 0
		for j := range row {
			step, n := d.uint(), d.uint()
			at += step
			if d.err == nil && (at >= len(c.Terms) || n == 0 || j > 0 && step == 0) {
				d.fail(fmt.Errorf("bag %d is malformed", i))
			}
			if d.err != nil {
				break
			}
			row[j] = lsa.Cell{Term: int32(at), N: int32(n)}
		}
		c.Docs[i] = row
	}
	if err := d.end(); err != nil {
		return lsa.Corpus{}, fmt.Errorf("reading the bags: %w", err)
	}
	return c, nil
}
