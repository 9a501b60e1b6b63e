package ranking

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// corpusOf stores passages and makes the corpus of them.
func corpusOf(t testing.TB, passages []state.Passage) *Corpus {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	b := storage.NewBuilder(t.Context(), dir, storage.Earlier{})
	must(b.Add(passages))
	must(b.Flush())
	slices.SortFunc(b.Fresh, func(a, b storage.Draft) int { return strings.Compare(a.ID, b.ID) })
	kept, places := make([]int32, len(b.Fresh)), make([]int32, len(b.Fresh))
	for i, d := range b.Fresh {
		kept[i], places[i] = -1, d.Place
	}
	terms, err := b.Settle(places)
	must(err)
	table := storage.NewTable(new(storage.Table), kept, b.Fresh, places, b.Places())
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	s, err := storage.Open(dir, table, b.Parts, read, func(err error) error { return err })
	must(err)
	t.Cleanup(func() { must(s.Close()) })

	docs := lsa.Corpus{Passages: table.Len(), Docs: make([][]lsa.Cell, table.Len())}
	docs.Terms, docs.DF = terms.Sorted()
	bags := make([][]lsa.Term, table.Len())
	for ord := range bags {
		p, err := s.Passage(int32(ord))
		must(err)
		a, err := storage.Analyse(p, citation.Labels{}, new(analysis.Stemmer))
		must(err)
		for bags[ord] = a.Bag; len(a.Bag) > 0; a.Bag = a.Bag[1:] {
			at, _ := slices.BinarySearch(docs.Terms, a.Bag[0].Text)
			docs.Docs[ord] = append(docs.Docs[ord], lsa.Cell{Term: int32(at), N: int32(a.Bag[0].N)})
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
	x := New(table, model, vectors, Rules{K1: 1.2, B: .7, Confidence: func(similarity, _ float64) float64 { return similarity }})
	must(x.ReadFrom(t.Context(), s))
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
