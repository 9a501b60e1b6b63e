package storage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	bindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	"example.com/assay/memory/index/internal/codec"
)

// A Part is some passages of a generation, numbered from 0, in four files that
// are written once: bleve's segment, the pairs of terms, the bags of terms, and
// the check sums of the segment's postings. Generations share parts by links; an
// update adds the part of what is new, and merges parts when many are small.
type Part struct {
	Name     string `json:"name"`
	Passages int    `json:"passages"` // those that a later generation left out included
}

// Files of a part: its name with these endings.
const (
	segmentExt = ".zap"
	pairsExt   = ".pairs"
	bagsExt    = ".bags"
	SumsExt    = ".sums"
)

var partExts = []string{segmentExt, pairsExt, bagsExt, SumsExt}

const partPrefix = "part-"

func partName(number int) string { return fmt.Sprintf("%s%06d", partPrefix, number) }

// Fields of a bleve document.
const (
	idField      = "_id"     // bleve wants one; passages are found by their number
	BodyField    = "body"    // terms
	passageField = "passage" // the passage as JSON, stored and not indexed
	MetaField    = "meta"    // key, zero byte, value
	OwnField     = "own"     // keys of the numbered parts that the passage is
	WithinField  = "within"  // and of those that it lies in

	BigramField = "bigram" // pairs of terms; not bleve's, whose dictionary of them costs six times all the rest
)

// A storedField is a field of which the terms are known.
type storedField struct {
	name    string
	value   []byte
	terms   bindex.TokenFrequencies
	options bindex.FieldIndexingOptions
}

func (f *storedField) Name() string                                      { return f.name }
func (f *storedField) Value() []byte                                     { return f.value }
func (f *storedField) ArrayPositions() []uint64                          { return nil }
func (f *storedField) EncodedFieldType() byte                            { return 't' }
func (f *storedField) Analyze()                                          {}
func (f *storedField) Options() bindex.FieldIndexingOptions              { return f.options }
func (f *storedField) AnalyzedLength() int                               { return len(f.terms) }
func (f *storedField) AnalyzedTokenFrequencies() bindex.TokenFrequencies { return f.terms }
func (f *storedField) NumPlainTextBytes() uint64                         { return 0 }

// A passageDocument is a passage as its segment takes it. It stands in for the document of
// bleve's own, whose package links what it needs for geography.
type passageDocument []*storedField

func (d passageDocument) VisitFields(visit bindex.FieldVisitor) {
	for _, f := range d {
		visit(f)
	}
}

func (d passageDocument) ID() string                                  { return "" }
func (d passageDocument) VisitComposite(bindex.CompositeFieldVisitor) {}
func (d passageDocument) HasComposite() bool                          { return false }
func (d passageDocument) AddIDField()                                 {}
func (d passageDocument) Indexed() bool                               { return true }
func (d passageDocument) Size() int                                   { return 0 }
func (d passageDocument) NumPlainTextBytes() uint64                   { return 0 }
func (d passageDocument) StoredFieldsBytes() uint64                   { return 0 }

func newDocument(a *Analysed) passageDocument {
	body := make(bindex.TokenFrequencies, len(a.Bag))
	counts := make([]bindex.TokenFreq, len(a.Bag))
	for i, t := range a.Bag {
		counts[i].SetFrequency(t.N)
		body[t.Text] = &counts[i]
	}
	doc := passageDocument{
		{name: idField, options: bindex.IndexField | bindex.StoreField, terms: onceEach([]string{""})},
		{name: BodyField, options: bindex.IndexField, terms: body},
		{name: passageField, options: bindex.StoreField, value: a.json},
	}
	for _, f := range []struct {
		name  string
		terms []string
	}{{MetaField, a.Meta}, {OwnField, a.labels.Own}, {WithinField, a.labels.Within}} {
		if len(f.terms) > 0 {
			doc = append(doc, &storedField{name: f.name, options: bindex.IndexField, terms: onceEach(f.terms)})
		}
	}
	return doc
}

func onceEach(terms []string) bindex.TokenFrequencies {
	out := make(bindex.TokenFrequencies, len(terms))
	for _, t := range terms {
		f := new(bindex.TokenFreq)
		f.SetFrequency(1)
		out[t] = f
	}
	return out
}

// writePart writes a part of passages in their order.
func writePart(dir, name string, passages []Analysed) error {
	docs := make([]bindex.Document, len(passages))
	bags := newBagWriter()
	var pairs []pairAt
	for i := range passages {
		a := &passages[i]
		docs[i] = newDocument(a)
		bags.add(a.Bag)
		for _, key := range a.pairs {
			pairs = append(pairs, pairAt{key, int32(i)})
		}
	}
	made, _, err := new(zap.ZapPlugin).New(docs)
	if err != nil {
		return err
	}
	if err := made.(segment.UnpersistedSegment).Persist(filepath.Join(dir, name+segmentExt)); err != nil {
		return err
	}
	slices.SortFunc(pairs, func(a, b pairAt) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.doc, b.doc)) })
	w, err := newPairWriter(filepath.Join(dir, name+pairsExt))
	if err != nil {
		return err
	}
	for i := 0; i < len(pairs) && err == nil; {
		key := pairs[i].key
		var list []Posting
		for ; i < len(pairs) && pairs[i].key == key; i++ {
			if n := len(list); n > 0 && list[n-1].Ord == pairs[i].doc {
				list[n-1].TF++
				continue
			}
			list = append(list, Posting{Ord: pairs[i].doc, TF: 1})
		}
		err = w.add(key, list)
	}
	if err := errors.Join(err, w.close()); err != nil {
		return err
	}
	if err := codec.Write(dir, name+bagsExt, bags.encode()); err != nil {
		return err
	}
	return writeSums(dir, name)
}

// checkedFields are those whose postings are read when an index is searched.
var checkedFields = []string{BodyField, MetaField, OwnField, WithinField}

// sumsMagic begins the file of check sums; its last byte is the format's
// version. Keys and sums follow, sorted by key, eight bytes each. A segment is too
// large to be checked whole whenever it is opened: its postings are checked when
// they are read.
const sumsMagic = "assay-sums\x01"

const sumSize = 16

// writeSums reads a segment back and writes the sums of its postings.
func writeSums(dir, name string) (err error) {
	seg, err := new(zap.ZapPlugin).Open(filepath.Join(dir, name+segmentExt))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, seg.Close()) }()
	var sums [][2]uint64
	for _, field := range checkedFields {
		dict, err := seg.Dictionary(field)
		if err != nil {
			return err
		}
		terms := dict.AutomatonIterator(nil, nil, nil)
		for entry, err := terms.Next(); entry != nil || err != nil; entry, err = terms.Next() {
			if err != nil {
				return err
			}
			var sum uint64
			if err := eachPosting(dict, entry.Term, func(doc uint64, tf int32) { sum += mixed(doc, tf) }); err != nil {
				return err
			}
			sums = append(sums, [2]uint64{termKey(field, entry.Term), sum})
		}
	}
	slices.SortFunc(sums, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	out := append(make([]byte, 0, len(sumsMagic)+sumSize*len(sums)), sumsMagic...)
	for i, s := range sums {
		if i > 0 && s[0] == sums[i-1][0] {
			return fmt.Errorf("two terms of %s have the key %x", name, s[0])
		}
		out = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(out, s[0]), s[1])
	}
	return codec.Write(dir, name+SumsExt, out)
}

// eachPosting reads the postings of a term.
func eachPosting(dict segment.TermDictionary, term string, fn func(doc uint64, tf int32)) error {
	list, err := dict.PostingsList([]byte(term), nil, nil)
	if err != nil {
		return err
	}
	it := list.Iterator(true, false, false, nil)
	for p, err := it.Next(); p != nil || err != nil; p, err = it.Next() {
		if err != nil {
			return err
		}
		fn(p.Number(), int32(p.Frequency()))
	}
	return nil
}

// mixed is a posting's share in the sum of its term.
func mixed(doc uint64, tf int32) uint64 {
	x := (doc<<20 + uint64(tf) + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	return x ^ x>>32
}

// termKey is FNV-1a of a field, a zero byte and a term.
func termKey(field, term string) uint64 {
	return keyOf(keyOf(keyStart, field)*keyPrime, term)
}

const (
	keyStart uint64 = 14695981039346656037
	keyPrime uint64 = 1099511628211
)

func keyOf(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * keyPrime
	}
	return h
}
