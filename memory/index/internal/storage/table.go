package storage

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"sort"

	"example.com/assay/memory/index/internal/analysis"
)

// A Table holds the rows of a generation, sorted by id: the position of a
// row, its ordinal, stands for the passage everywhere. Rows are what ranking must
// know of a passage without reading it. They stay as they are in the file: of a
// million passages, taking them apart costs more than all that a query asks of them.
type Table struct {
	fixed []byte   // rowSize bytes a row
	ids   []byte   // of the rows, one after the other
	ends  []uint32 // per row: where its id ends

	Docs  []string // sorted document ids
	names []string // sorted distinct titles and sources
	keys  []uint64 // TitleKey of each name
	Drawn []int32  // place → ordinal, or -1 where deleted

	NameTerms []string     // sorted stems of the names of documents
	NameOf    [][]NameTerm // per document: its name's terms, by their index in NameTerms; nil for none
	Titles    []TitleRef   // that a text can mention, sorted by key
}

// Numbers of a row, four bytes each. Its hash follows them.
const (
	rowID = 4 * iota // bytes of its id
	rowDoc
	rowTitle // index into table.names, as rowSource
	rowSource
	rowLength  // terms in the body, with the title's weight
	rowBigrams // bigrams
	rowStart   // byte in the source
	rowPlace   // its number among the passages of all parts, one part's after the other's
	rowHash
	rowSize = rowHash + hashSize
)

// A NameTerm says how often a name holds a term.
type NameTerm struct{ Term, Count int32 }

// Len is the number of rows.
func (t *Table) Len() int { return len(t.fixed) / rowSize }

// number returns one of a row's numbers.
func (t *Table) number(ord int32, at int) int {
	return int(binary.LittleEndian.Uint32(t.fixed[int(ord)*rowSize+at:]))
}

func (t *Table) set(ord int32, at, v int) {
	binary.LittleEndian.PutUint32(t.fixed[int(ord)*rowSize+at:], uint32(v))
}

// Doc returns the number of a passage's document.
func (t *Table) Doc(ord int32) int { return t.number(ord, rowDoc) }

// Place returns the position of a passage in its document.
func (t *Table) Place(ord int32) int32 { return int32(t.number(ord, rowPlace)) }

// Title returns the title of a passage's document.
func (t *Table) Title(ord int32) string { return t.names[t.number(ord, rowTitle)] }

// Source returns the name of a passage's document.
func (t *Table) Source(ord int32) string { return t.names[t.number(ord, rowSource)] }

// ID returns the ID of a passage.
func (t *Table) ID(ord int32) string { return string(t.idBytes(ord)) }

func (t *Table) idBytes(ord int32) []byte {
	end := t.ends[ord]
	return t.ids[end-uint32(t.number(ord, rowID)) : end]
}

func (t *Table) hash(ord int32) []byte {
	return t.fixed[int(ord)*rowSize+rowHash : (int(ord)+1)*rowSize]
}

// Find returns the ordinal of a passage, or where it would be.
func (t *Table) Find(id string) (int32, bool) {
	at := sort.Search(t.Len(), func(i int) bool { return string(t.idBytes(int32(i))) >= id })
	return int32(at), at < t.Len() && string(t.idBytes(int32(at))) == id
}

// ByPlace orders the passages of a document as they stand in it.
func (t *Table) ByPlace(a, b int32) int {
	return cmp.Or(
		cmp.Compare(t.number(a, rowSource), t.number(b, rowSource)), cmp.Compare(t.number(a, rowStart), t.number(b, rowStart)), cmp.Compare(a, b))
}

// Length is the number of a passage's terms.
func (t *Table) Length(ord int32) int { return t.number(ord, rowLength) }

// Pairs is the number of a passage's pairs of terms.
func (t *Table) Pairs(ord int32) int { return t.number(ord, rowBigrams) }

// OfSources marks the passages of some sources.
func (t *Table) OfSources(sources []string, mark []bool) {
	names := make([]bool, len(t.names))
	for _, source := range sources {
		if at, ok := slices.BinarySearch(t.names, source); ok {
			names[at] = true
		}
	}
	for ord := range mark {
		mark[ord] = mark[ord] || names[t.number(int32(ord), rowSource)]
	}
}

// Fingerprint hashes the passages in the order of their ids.
func (t *Table) Fingerprint() string {
	h := sha256.New()
	for ord := range int32(t.Len()) {
		h.Write(t.hash(ord))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Draft is a passage's row before it has a place in a table.
type Draft struct {
	ID, doc, title, Source string
	length, bigrams, start int
	hash                   [hashSize]byte
	Place                  int32 // its number among the passages of all parts
}

// NewTable builds the table of rows of an earlier one and of drafts, both sorted by
// id. Of each row kept tells its ordinal in the earlier table, -1 of the next draft,
// and places its place; total is how many places all parts have, those of deleted
// passages included.
func NewTable(old *Table, kept []int32, drafts []Draft, places []int32, total int) *Table {
	t := &Table{fixed: make([]byte, len(kept)*rowSize), ends: make([]uint32, len(kept))}
	docs, names := t.gather(old, kept, drafts)
	size := 0
	for i := range drafts {
		size += len(drafts[i].ID)
	}
	t.ids = make([]byte, 0, size+len(old.ids))
	for i, from := range kept {
		ord := int32(i)
		if from < 0 {
			t.draft(ord, &drafts[0])
			drafts = drafts[1:]
		} else {
			copy(t.fixed[i*rowSize:], old.fixed[int(from)*rowSize:int(from+1)*rowSize])
			t.set(ord, rowDoc, int(docs[old.Doc(from)]))
			t.set(ord, rowTitle, int(names[old.number(from, rowTitle)]))
			t.set(ord, rowSource, int(names[old.number(from, rowSource)]))
			t.ids = append(t.ids, old.idBytes(from)...)
		}
		t.set(ord, rowPlace, int(places[i]))
		t.ends[i] = uint32(len(t.ids))
	}
	t.Drawn = slices.Repeat([]int32{-1}, total)
	for i, at := range places {
		t.Drawn[at] = int32(i)
	}
	t.nameDocuments()
	t.FindTitles(func(_ int32, sharers int) bool { return sharers <= maxTitleSharer })
	return t
}

// TableOf is the table of passages alone, sorted by id.
func TableOf(read []Analysed) *Table {
	drafts, kept, places := make([]Draft, len(read)), make([]int32, len(read)), make([]int32, len(read))
	for i := range read {
		drafts[i], kept[i], places[i] = read[i].Draft, -1, int32(i)
	}
	return NewTable(new(Table), kept, drafts, places, len(read))
}

// Renumber gives the documents the numbers that they have among others, sorted, and those
// that are not among them the numbers behind. The names become those of the others.
func (t *Table) Renumber(docs, nameTerms []string, nameOf [][]NameTerm) {
	numbers := make([]int, len(t.Docs))
	own := t.Docs
	t.Docs, t.NameTerms, t.NameOf = slices.Clip(docs), nameTerms, slices.Clip(nameOf)
	for i, doc := range own {
		at, ok := slices.BinarySearch(docs, doc)
		if !ok {
			at = len(t.Docs)
			t.Docs, t.NameOf = append(t.Docs, doc), append(t.NameOf, nil)
		}
		numbers[i] = at
	}
	for ord := range int32(t.Len()) {
		t.set(ord, rowDoc, numbers[t.Doc(ord)])
	}
}

// draft writes a row; its doc and names are looked up unless they are those of the
// row before.
func (t *Table) draft(ord int32, d *Draft) {
	t.set(ord, rowID, len(d.ID))
	t.set(ord, rowDoc, indexOf(t.Docs, d.doc, ord, func(before int32) int { return t.Doc(before) }))
	t.set(ord, rowTitle, indexOf(t.names, d.title, ord, func(before int32) int { return t.number(before, rowTitle) }))
	t.set(ord, rowSource, indexOf(t.names, d.Source, ord, func(before int32) int { return t.number(before, rowSource) }))
	t.set(ord, rowLength, d.length)
	t.set(ord, rowBigrams, d.bigrams)
	t.set(ord, rowStart, d.start)
	copy(t.hash(ord), d.hash[:])
	t.ids = append(t.ids, d.ID...)
}

// indexOf finds a value in a sorted list that has it, at first where the row before
// has its own.
func indexOf(list []string, value string, ord int32, at func(before int32) int) int {
	if ord > 0 {
		if before := at(ord - 1); list[before] == value {
			return before
		}
	}
	i, _ := slices.BinarySearch(list, value)
	return i
}

// gather lists the documents and names, and returns where those of an earlier table
// are among them.
func (t *Table) gather(old *Table, kept []int32, drafts []Draft) (docs, names []int32) {
	usedDocs, usedNames := make([]bool, len(old.Docs)), make([]bool, len(old.names))
	for _, from := range kept {
		if from >= 0 {
			usedDocs[old.Doc(from)] = true
			usedNames[old.number(from, rowTitle)], usedNames[old.number(from, rowSource)] = true, true
		}
	}
	newDocs, newNames := map[string]bool{}, map[string]bool{}
	for i := range drafts {
		d := &drafts[i]
		if i > 0 && d.doc == drafts[i-1].doc && d.title == drafts[i-1].title && d.Source == drafts[i-1].Source {
			continue // neighbours are of one document, and need no look-up
		}
		newDocs[d.doc], newNames[d.title], newNames[d.Source] = true, true, true
	}
	t.Docs, docs = union(old.Docs, usedDocs, newDocs)
	t.names, names = union(old.names, usedNames, newNames)
	t.keys = make([]uint64, len(t.names))
	for i, at := range names {
		if usedNames[i] {
			t.keys[at] = old.keys[i]
			delete(newNames, t.names[at])
		}
	}
	for name := range newNames {
		at, _ := slices.BinarySearch(t.names, name)
		t.keys[at] = analysis.TitleKey(name)
	}
	return docs, names
}

// union merges what is used of a sorted list with others, and tells where each is.
func union(list []string, used []bool, others map[string]bool) (out []string, places []int32) {
	more := slices.Sorted(maps.Keys(others))
	out, places = make([]string, 0, len(list)+len(more)), make([]int32, len(list))
	for i, s := range list {
		if !used[i] {
			continue
		}
		for len(more) > 0 && more[0] < s {
			out, more = append(out, more[0]), more[1:]
		}
		if len(more) > 0 && more[0] == s {
			more = more[1:]
		}
		places[i] = int32(len(out))
		out = append(out, s)
	}
	return append(out, more...), places
}
