package index

import (
	"cmp"
	"slices"

	"example.com/assay/memory/lsa"
	"example.com/assay/memory/text"
)

// members lists the passages of each document.
func (t *table) members() [][]int32 {
	ends := make([]int, len(t.docs)+1)
	for ord := range int32(t.len()) {
		ends[t.doc(ord)+1]++
	}
	for doc := range t.docs {
		ends[doc+1] += ends[doc]
	}
	out, flat := make([][]int32, len(t.docs)), make([]int32, t.len())
	for doc := range out {
		out[doc] = flat[ends[doc]:ends[doc]:ends[doc+1]]
	}
	for ord := range int32(t.len()) {
		doc := t.doc(ord)
		out[doc] = append(out[doc], ord)
	}
	return out
}

// nameDocuments finds the names of documents of several passages, and their terms.
// A table keeps them: cutting them up takes longer than all else that opening an
// index does.
func (t *table) nameDocuments() {
	owner := make([]int, len(t.names)) // document + 1 of a source; -1 when several have it
	for ord := range int32(t.len()) {
		source, doc := t.number(ord, rowSource), t.doc(ord)
		switch owner[source] {
		case 0:
			owner[source] = doc + 1
		case doc + 1:
		default:
			owner[source] = -1
		}
	}
	t.nameOf = make([][]nameTerm, len(t.docs))
	bags, number := make([][]lsa.Term, len(t.docs)), map[string]int{}
	for doc, members := range t.members() {
		if len(members) < 2 {
			continue
		}
		bags[doc] = lsa.Bag(terms(t.documentName(members, owner), text.DocStops))
		for _, term := range bags[doc] {
			number[term.Text] = 0
		}
	}
	t.nameTerms = numbered(number)
	for doc, bag := range bags {
		for _, term := range bag {
			t.nameOf[doc] = append(t.nameOf[doc], nameTerm{int32(number[term.Text]), int32(term.N)})
		}
	}
}

// documentName is the title that all passages of a document share, or else
// the name of the file that is this document's alone.
func (t *table) documentName(members []int32, owner []int) string {
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
		return fileName(t.names[firstSource])
	}
	return ""
}

// maxTitleSharer is how many passages may share a title that names them.
const maxTitleSharer = 3

// findTitles lists the titles that a text can mention: those that can reports of a passage
// and the number of passages with its title.
func (t *table) findTitles(can func(ord int32, sharers int) bool) {
	sharers := make(map[uint64]int)
	for ord := range int32(t.len()) {
		sharers[t.keys[t.number(ord, rowTitle)]]++
	}
	t.titles = nil
	for ord := range int32(t.len()) {
		if key := t.keys[t.number(ord, rowTitle)]; key != 0 && can(ord, sharers[key]) {
			t.titles = append(t.titles, titleRef{key: key, ord: ord})
		}
	}
	slices.SortFunc(t.titles, func(a, b titleRef) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.ord, b.ord)) })
}

// A titleRef says that a passage has the title with a key.
type titleRef struct {
	key uint64
	ord int32
}
