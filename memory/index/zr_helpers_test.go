package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// corpusOf stores passages and makes the corpus of them.
func corpusOf(t testing.TB, passages []state.Passage) *corpus {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	b := newBuilder(t.Context(), dir, earlier{})
	must(b.add(passages))
	must(b.flush())
	slices.SortFunc(b.fresh, func(a, b draft) int { return strings.Compare(a.id, b.id) })
	kept, places := make([]int32, len(b.fresh)), make([]int32, len(b.fresh))
	for i, d := range b.fresh {
		kept[i], places[i] = -1, d.place
	}
	table := newTable(nil, kept, b.fresh, places, b.places())
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	s, err := openStore(dir, table, b.parts, read, func(err error) error { return err })
	must(err)
	t.Cleanup(func() { must(s.close()) })

	terms, err := b.vocabulary(slices.Repeat([]bool{true}, table.len()))
	must(err)
	docs := lsa.Corpus{Passages: table.len(), Docs: make([][]lsa.Cell, table.len())}
	docs.Terms, docs.DF = terms.sorted()
	bags := make([][]lsa.Term, table.len())
	for ord := range bags {
		p, err := s.passage(int32(ord))
		must(err)
		a, err := analyseOne(p, citation.Labels{}, stemmer{})
		must(err)
		for bags[ord] = a.bag; len(a.bag) > 0; a.bag = a.bag[1:] {
			at, _ := slices.BinarySearch(docs.Terms, a.bag[0].Text)
			docs.Docs[ord] = append(docs.Docs[ord], lsa.Cell{Term: int32(at), N: int32(a.bag[0].N)})
		}
	}
	model, err := lsa.Fit(t.Context(), docs)
	must(err)
	var rows []float32
	for _, bag := range bags {
		row, _ := model.Project(bag)
		rows = append(rows, row...)
	}
	vectors, err := vector.NewSet(rows, model.Dims(), nil)
	must(err)
	x := newCorpus(table, model, vectors, rules{k1: 1.2, b: .7, confidence: func(similarity, _ float64) float64 { return similarity }})
	must(x.readFrom(t.Context(), s))
	return x
}

// documentsOf makes passages of texts, each its own document.
func documentsOf(texts ...string) []state.Passage {
	var out []state.Passage
	for i, s := range texts {
		id := fmt.Sprintf("p%02d", i)
		out = append(out, state.Passage{ID: id, Doc: id, Text: s, End: len(s), Source: id + ".txt"})
	}
	return out
}
