package index

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"example.com/assay/memory/lsa"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// tableMagic begins the table's file; its last byte is the format's version.
const tableMagic = "assay-table\x02"

// A row is what ranking must know of a passage without reading it.
type row struct {
	id            string
	doc           int // index into table.docs
	title, source int // indexes into table.names
	length        int // terms in the body, with the title's weight
	bigrams       int // bigrams
	start         int // byte in the source
	hash          [hashSize]byte
}

// A table holds the rows of a generation, sorted by id: the position of a
// row, its ordinal, stands for the passage everywhere.
type table struct {
	rows  []row
	docs  []string // sorted document ids
	names []string // sorted distinct titles and sources
	keys  []uint64 // titleKey of each name
	drawn []int    // bleve's document number → ordinal, or -1 where deleted
}

func (t *table) find(id string) (int, bool) {
	return slices.BinarySearchFunc(t.rows, id, func(r row, id string) int { return strings.Compare(r.id, id) })
}

// fingerprint hashes the passages in the order of their ids.
func (t *table) fingerprint() string {
	h := sha256.New()
	for i := range t.rows {
		h.Write(t.rows[i].hash[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A draft is a passage's row before it has a place in a table.
type draft struct {
	id, doc, title, source string
	length, bigrams, start int
	hash                   [hashSize]byte
	bag                    []lsa.Cell // in the numbers of a lexicon
}

// drafts takes a table apart.
func (t *table) drafts(bags [][]lsa.Cell) []draft {
	out := make([]draft, len(t.rows))
	for i, r := range t.rows {
		out[i] = draft{
			id: r.id, doc: t.docs[r.doc], title: t.names[r.title], source: t.names[r.source],
			length: r.length, bigrams: r.bigrams, start: r.start, hash: r.hash, bag: bags[i],
		}
	}
	return out
}

// newTable builds the table of drafts that are sorted by id.
func newTable(drafts []draft) *table {
	t := &table{rows: make([]row, len(drafts))}
	var docs, names []string
	for _, d := range drafts {
		docs = append(docs, d.doc)
		names = append(names, d.title, d.source)
	}
	t.docs, t.names = distinct(docs), distinct(names)
	t.keys = make([]uint64, len(t.names))
	for i, name := range t.names {
		t.keys[i] = titleKey(name)
	}
	for i, d := range drafts {
		doc, _ := slices.BinarySearch(t.docs, d.doc)
		title, _ := slices.BinarySearch(t.names, d.title)
		source, _ := slices.BinarySearch(t.names, d.source)
		t.rows[i] = row{id: d.id, doc: doc, title: title, source: source, length: d.length, bigrams: d.bigrams, start: d.start, hash: d.hash}
	}
	return t
}

func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Clip(slices.Compact(list))
}

func (t *table) encode() []byte {
	e := &encoder{out: []byte(tableMagic)}
	e.strs(t.docs)
	e.strs(t.names)
	for _, key := range t.keys {
		e.fixed64(key)
	}
	e.uint(len(t.rows))
	for _, r := range t.rows {
		e.str(r.id)
		e.uint(r.doc)
		e.uint(r.title)
		e.uint(r.source)
		e.uint(r.length)
		e.uint(r.bigrams)
		e.uint(r.start)
		e.raw(r.hash[:])
	}
	e.uint(len(t.drawn))
	for _, ord := range t.drawn {
		e.uint(ord + 1)
	}
	return e.out
}

func decodeTable(data []byte) (*table, error) {
	rest, ok := bytes.CutPrefix(data, []byte(tableMagic))
	if !ok {
		return nil, errors.New("reading the passage table: not a passage table of this version")
	}
	d := &decoder{in: rest}
	t := &table{docs: d.strs(), names: d.strs()}
	t.keys = make([]uint64, len(t.names))
	for i := range t.keys {
		t.keys[i] = d.fixed64()
	}
	t.rows = make([]row, d.count())
	for i := range t.rows {
		r := row{id: d.str(), doc: d.below(len(t.docs)), title: d.below(len(t.names)), source: d.below(len(t.names)), length: d.uint(), bigrams: d.uint(), start: d.uint()}
		copy(r.hash[:], d.raw(hashSize))
		if d.err == nil && i > 0 && t.rows[i-1].id >= r.id {
			d.fail(fmt.Errorf("passage %q is out of order", r.id))
		}
		if d.err != nil {
			break
		}
		t.rows[i] = r
	}
	t.drawn = make([]int, d.count())
	for i := range t.drawn {
		t.drawn[i] = d.below(len(t.rows)+1) - 1
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading the passage table: %w", err)
	}
	return t, nil
}

// titleKey hashes the words of a title, without what stands in brackets. It
// is 0 for a title that no text can be said to mention.
func titleKey(title string) uint64 {
	words := titleWords(title)
	if len(words) == 0 || len(words) > maxTitleWords {
		return 0
	}
	if len(words) == 1 && (len(words[0]) <= 3 || text.DocStops.Has(words[0])) {
		return 0
	}
	return wordsKey(words)
}

func titleWords(title string) []string {
	var b strings.Builder
	depth := 0
	for _, r := range title {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return words(b.String())
}

func words(s string) []string {
	tokens := text.Tokens(s)
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Text
	}
	return out
}

func wordsKey(words []string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	return max(1, h.Sum64())
}

func newDraft(a analysed, bag []lsa.Cell) draft {
	return draft{
		id: a.passage.ID, doc: a.passage.Doc, title: a.passage.Title, source: a.passage.Source,
		length: len(a.terms), bigrams: len(a.bigrams), start: max(0, a.passage.Start), hash: a.hash, bag: bag,
	}
}

// sameSpan reports whether two passages are the same bytes of one source.
func sameSpan(a, b state.Passage) bool {
	return a.Source == b.Source && a.Start == b.Start && a.End == b.End
}
