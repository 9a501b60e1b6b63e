package index

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// tableMagic begins the table's file; its last byte is the format's version.
const tableMagic = "assay-table\x03"

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
	rows   []row
	docs   []string // sorted document ids
	names  []string // sorted distinct titles and sources
	keys   []uint64 // titleKey of each name
	places []int32  // per row: its number among the passages of all parts, one part's after the other's
	drawn  []int32  // place → ordinal, or -1 where deleted

	nameTerms []string     // sorted stems of the names of documents
	nameOf    [][]nameTerm // per document: its name's terms, by their index in nameTerms; nil for none
	titles    []titleRef   // that a text can mention, sorted by key
}

// A nameTerm says how often a name holds a term.
type nameTerm struct{ term, count int32 }

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
	place                  int32 // its number among the passages of all parts
	old                    int32 // its ordinal in the earlier generation; -1 of a new one
}

// drafts takes a table apart.
func (t *table) drafts() []draft {
	out := make([]draft, len(t.rows))
	for i, r := range t.rows {
		out[i] = draft{
			id: r.id, doc: t.docs[r.doc], title: t.names[r.title], source: t.names[r.source],
			length: r.length, bigrams: r.bigrams, start: r.start, hash: r.hash, place: t.places[i], old: int32(i),
		}
	}
	return out
}

// newTable builds the table of drafts that are sorted by id. places is how many
// passages all parts have, deleted ones included.
func newTable(drafts []draft, places int) *table {
	t := &table{rows: make([]row, len(drafts)), places: make([]int32, len(drafts))}
	docs, names := map[string]int{}, map[string]int{}
	like := func(i int) bool { // neighbours are of one document, and need no look-up
		if i == 0 {
			return false
		}
		a, b := &drafts[i-1], &drafts[i]
		return a.doc == b.doc && a.title == b.title && a.source == b.source
	}
	for i := range drafts {
		if d := &drafts[i]; !like(i) {
			docs[d.doc], names[d.title], names[d.source] = 0, 0, 0
		}
	}
	t.docs, t.names = numbered(docs), numbered(names)
	t.keys = make([]uint64, len(t.names))
	for i, name := range t.names {
		t.keys[i] = titleKey(name)
	}
	for i := range drafts {
		d := &drafts[i]
		r := row{id: d.id, length: d.length, bigrams: d.bigrams, start: d.start, hash: d.hash}
		if like(i) {
			before := &t.rows[i-1]
			r.doc, r.title, r.source = before.doc, before.title, before.source
		} else {
			r.doc, r.title, r.source = docs[d.doc], names[d.title], names[d.source]
		}
		t.rows[i], t.places[i] = r, d.place
	}
	t.draw(places)
	t.nameDocuments()
	t.findTitles()
	return t
}

// numbered sorts the keys of a map and sets each one's place.
func numbered(set map[string]int) []string {
	list := slices.Sorted(maps.Keys(set))
	for i, s := range list {
		set[s] = i
	}
	return list
}

// draw makes drawn of places.
func (t *table) draw(places int) {
	t.drawn = make([]int32, places)
	for i := range t.drawn {
		t.drawn[i] = -1
	}
	for ord, at := range t.places {
		t.drawn[at] = int32(ord)
	}
}

func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Clip(slices.Compact(list))
}

func (t *table) encode() []byte {
	e := &encoder{out: make([]byte, 0, 128*len(t.rows)+1024)}
	e.raw([]byte(tableMagic))
	e.strs(t.docs)
	e.strs(t.names)
	for _, key := range t.keys {
		e.fixed64(key)
	}
	e.uint(len(t.rows))
	e.uint(len(t.drawn))
	for i, r := range t.rows {
		for _, v := range [rowNumbers]int{len(r.id), r.doc, r.title, r.source, r.length, r.bigrams, r.start, int(t.places[i])} {
			e.fixed32(uint32(v))
		}
		e.raw(r.hash[:])
	}
	for _, r := range t.rows {
		e.raw([]byte(r.id))
	}
	e.strs(t.nameTerms)
	for _, name := range t.nameOf {
		e.uint(len(name))
		for _, n := range name {
			e.uint(int(n.term))
			e.uint(int(n.count))
		}
	}
	e.uint(len(t.titles))
	for _, ref := range t.titles {
		e.fixed32(uint32(ref.ord))
	}
	return e.out
}

// A row takes so many numbers of four bytes, and its hash.
const (
	rowNumbers = 8
	rowSize    = 4*rowNumbers + hashSize
)

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
	n := d.count()
	places := d.uint()
	if places < n || places > 2*len(data) { // parts of which more is deleted are merged
		d.fail(fmt.Errorf("%d places of %d passages are not plausible", places, n))
	}
	t.decodeRows(d, n, places)
	if d.err == nil {
		t.draw(places)
	}
	t.decodeNames(d)
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading the passage table: %w", err)
	}
	return t, nil
}

// decodeRows reads the rows on all processors.
func (t *table) decodeRows(d *decoder, n, places int) {
	fixed := d.raw(n * rowSize)
	if d.err != nil {
		return
	}
	ends := make([]int, n+1)
	for i := range n {
		ends[i+1] = ends[i] + int(binary.LittleEndian.Uint32(fixed[i*rowSize:]))
	}
	ids := string(d.raw(ends[n]))
	if d.err != nil {
		return
	}
	t.rows, t.places = make([]row, n), make([]int32, n)
	taken := make([]bool, places)
	const chunk = 1 << 14
	errs := make([]error, (n+chunk-1)/chunk)
	parallel(len(errs), func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			in := fixed[i*rowSize : (i+1)*rowSize]
			var v [rowNumbers]int
			for j := range v {
				v[j] = int(binary.LittleEndian.Uint32(in[4*j:]))
			}
			r := row{id: ids[ends[i]:ends[i+1]], doc: v[1], title: v[2], source: v[3], length: v[4], bigrams: v[5], start: v[6]}
			copy(r.hash[:], in[4*rowNumbers:])
			if r.doc >= len(t.docs) || r.title >= len(t.names) || r.source >= len(t.names) || v[7] >= places {
				errs[c] = fmt.Errorf("row %d names what there is not", i)
				return
			}
			t.rows[i], t.places[i] = r, int32(v[7])
		}
	})
	for _, err := range errs {
		if err != nil {
			d.fail(err)
			return
		}
	}
	for i, at := range t.places {
		if taken[at] || i > 0 && t.rows[i-1].id >= t.rows[i].id {
			d.fail(fmt.Errorf("passage %q is out of order", t.rows[i].id))
			return
		}
		taken[at] = true
	}
}

// decodeNames reads what was derived from the rows when they were written.
func (t *table) decodeNames(d *decoder) {
	t.nameTerms = d.strs()
	t.nameOf = make([][]nameTerm, len(t.docs))
	var flat []nameTerm
	for doc := range t.nameOf {
		n := d.count()
		from := len(flat)
		for range n {
			flat = append(flat, nameTerm{int32(d.below(len(t.nameTerms))), int32(d.uint())})
		}
		if n > 0 {
			t.nameOf[doc] = flat[from:len(flat):len(flat)]
		}
	}
	ords := d.fixed32s(d.count())
	t.titles = make([]titleRef, len(ords))
	for i, ord := range ords {
		if int(ord) >= len(t.rows) {
			d.fail(fmt.Errorf("title %d is of no passage", i))
			return
		}
		t.titles[i] = titleRef{key: t.keys[t.rows[ord].title], ord: int32(ord)}
	}
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

// sameSpan reports whether two passages are the same bytes of one source.
func sameSpan(a, b state.Passage) bool {
	return a.Source == b.Source && a.Start == b.Start && a.End == b.End
}
