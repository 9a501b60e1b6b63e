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
	for i := range t.rows {
		ends[t.rows[i].doc+1]++
	}
	for doc := range t.docs {
		ends[doc+1] += ends[doc]
	}
	out, flat := make([][]int32, len(t.docs)), make([]int32, len(t.rows))
	for doc := range out {
		out[doc] = flat[ends[doc]:ends[doc]:ends[doc+1]]
	}
	for ord := range t.rows {
		doc := t.rows[ord].doc
		out[doc] = append(out[doc], int32(ord))
	}
	return out
}

// nameDocuments finds the names of documents of several passages, and their terms.
// A table keeps them: cutting them up takes longer than all else that opening an
// index does.
func (t *table) nameDocuments() {
	owner := make([]int, len(t.names)) // document + 1 of a source; -1 when several have it
	for i := range t.rows {
		switch r := &t.rows[i]; owner[r.source] {
		case 0:
			owner[r.source] = r.doc + 1
		case r.doc + 1:
		default:
			owner[r.source] = -1
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
	first := t.rows[members[0]]
	title, source := true, owner[first.source] > 0
	for _, ord := range members {
		r := &t.rows[ord]
		title = title && r.title == first.title
		source = source && r.source == first.source
	}
	if title && t.names[first.title] != "" {
		return t.names[first.title]
	}
	if source {
		return fileName(t.names[first.source])
	}
	return ""
}

// findTitles lists the titles that a text can mention.
func (t *table) findTitles() {
	sharers := make(map[uint64]int)
	for i := range t.rows {
		if key := t.keys[t.rows[i].title]; key != 0 {
			sharers[key]++
		}
	}
	for ord := range t.rows {
		if key := t.keys[t.rows[ord].title]; key != 0 && sharers[key] <= maxTitleSharer {
			t.titles = append(t.titles, titleRef{key: key, ord: int32(ord)})
		}
	}
	slices.SortFunc(t.titles, func(a, b titleRef) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.ord, b.ord))
	})
}
