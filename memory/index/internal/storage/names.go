package storage

import (
	"cmp"
	"maps"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/text"
)

// Members lists the passages of each document.
func (t *Table) Members() [][]int32 {
	ends := make([]int, len(t.Docs)+1)
	for ord := range int32(t.Len()) {
		ends[t.Doc(ord)+1]++
	}
	for doc := range t.Docs {
		ends[doc+1] += ends[doc]
	}
	out, flat := make([][]int32, len(t.Docs)), make([]int32, t.Len())
	for doc := range out {
		out[doc] = flat[ends[doc]:ends[doc]:ends[doc+1]]
	}
	for ord := range int32(t.Len()) {
		doc := t.Doc(ord)
		out[doc] = append(out[doc], ord)
	}
	return out
}

// nameDocuments finds the names of documents of several passages, and their terms.
// A table keeps them: cutting them up takes longer than all else that opening an
// index does.
func (t *Table) nameDocuments() {
	owner := make([]int, len(t.names)) // document + 1 of a source; -1 when several have it
	for ord := range int32(t.Len()) {
		source, doc := t.number(ord, rowSource), t.Doc(ord)
		switch owner[source] {
		case 0:
			owner[source] = doc + 1
		case doc + 1:
		default:
			owner[source] = -1
		}
	}
	t.NameOf = make([][]NameTerm, len(t.Docs))
	bags, number := make([][]lsa.Term, len(t.Docs)), map[string]int{}
	for doc, members := range t.Members() {
		if len(members) < 2 {
			continue
		}
		bags[doc] = lsa.Bag(analysis.Terms(t.documentName(members, owner), text.DocStops))
		for _, term := range bags[doc] {
			number[term.Text] = 0
		}
	}
	t.NameTerms = slices.Sorted(maps.Keys(number))
	for i, term := range t.NameTerms {
		number[term] = i
	}
	for doc, bag := range bags {
		for _, term := range bag {
			t.NameOf[doc] = append(t.NameOf[doc], NameTerm{int32(number[term.Text]), int32(term.N)})
		}
	}
}

// documentName is the title that all passages of a document share, or else
// the name of the file that is this document's alone.
func (t *Table) documentName(members []int32, owner []int) string {
	firstTitle, firstSource := t.number(members[0], rowTitle), t.number(members[0], rowSource)
	title, source := true, owner[firstSource] > 0
	for _, ord := range members {
		title = title && t.number(ord, rowTitle) == firstTitle
		source = source && t.number(ord, rowSource) == firstSource
	}
	if title && t.names[firstTitle] != "" {
		return t.names[firstTitle]
	}
	if source {
		return analysis.FileName(t.names[firstSource])
	}
	return ""
}

// maxTitleSharer is how many passages may share a title that names them.
const maxTitleSharer = 3

// FindTitles lists the titles that a text can mention: those that can reports of a passage
// and the number of passages with its title.
func (t *Table) FindTitles(can func(ord int32, sharers int) bool) {
	sharers := make(map[uint64]int)
	for ord := range int32(t.Len()) {
		sharers[t.keys[t.number(ord, rowTitle)]]++
	}
	t.Titles = nil
	for ord := range int32(t.Len()) {
		if key := t.keys[t.number(ord, rowTitle)]; key != 0 && can(ord, sharers[key]) {
			t.Titles = append(t.Titles, TitleRef{Key: key, Ord: ord})
		}
	}
	slices.SortFunc(t.Titles, func(a, b TitleRef) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Ord, b.Ord)) })
}

// A TitleRef says that a passage has the title with a key.
type TitleRef struct {
	Key uint64
	Ord int32
}
