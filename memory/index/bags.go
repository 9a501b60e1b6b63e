package index

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/memory/lsa"
)

// bagsMagic begins the file of bags; its last byte is the format's version.
const bagsMagic = "assay-bags\x01"

// A bag is a passage's terms with their counts. Bags are what the embedder is
// trained on; they are kept so that an update need not read and cut up every
// old passage again. Only Update reads them.
type bag []lsa.Term

// lexicon returns the sorted distinct terms of bags.
func lexicon(bags []bag) []string {
	seen := make(map[string]struct{})
	var out []string
	for _, b := range bags {
		for _, t := range b {
			if _, ok := seen[t.Text]; !ok {
				seen[t.Text] = struct{}{}
				out = append(out, t.Text)
			}
		}
	}
	slices.Sort(out)
	return out
}

// corpusOf numbers the terms of bags.
func corpusOf(bags []bag) lsa.Corpus {
	c := lsa.Corpus{Terms: lexicon(bags), Docs: make([][]lsa.Cell, len(bags))}
	number := make(map[string]int32, len(c.Terms))
	for i, t := range c.Terms {
		number[t] = int32(i)
	}
	for i, b := range bags {
		cells := make([]lsa.Cell, len(b))
		for j, t := range b { // sorted by text, hence by number
			cells[j] = lsa.Cell{Term: number[t.Text], N: int32(t.N)}
		}
		c.Docs[i] = cells
	}
	return c
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

func decodeBags(data []byte) ([]bag, error) {
	rest, ok := bytes.CutPrefix(data, []byte(bagsMagic))
	if !ok {
		return nil, errors.New("reading the bags: not a file of bags of this version")
	}
	d := &decoder{in: rest}
	terms := d.strs()
	bags := make([]bag, d.count())
	for i := range bags {
		b := make(bag, d.count())
		at := 0
		for j := range b {
			at += d.uint()
			n := d.uint()
			if d.err == nil && (at >= len(terms) || n == 0 || j > 0 && terms[at] <= b[j-1].Text) {
				d.fail(fmt.Errorf("bag %d is malformed", i))
			}
			if d.err != nil {
				break
			}
			b[j] = lsa.Term{Text: terms[at], N: n}
		}
		bags[i] = b
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading the bags: %w", err)
	}
	return bags, nil
}
