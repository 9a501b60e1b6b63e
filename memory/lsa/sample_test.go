package lsa

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.com/assay/memory/vector"
)

// sampled is a corpus of which the first n passages are given.
func sampled(c Corpus, n int) Corpus {
	c.Docs = c.Docs[:n]
	return c
}

// What a model of a sample knows is counted over the whole corpus, and its
// bytes do not depend on the processors.
func TestFitOfSample(t *testing.T) {
	texts := randomTexts(2000)
	c := corpusOf(texts...)
	var want []byte
	for _, procs := range []int{1, 8} {
		previous := runtime.GOMAXPROCS(procs)
		got, err := fitted(t, sampled(c, 300), 20).MarshalBinary()
		runtime.GOMAXPROCS(previous)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("with %d processors the model differs", procs)
		}
	}
	part, whole := fitted(t, sampled(c, 300), 20), fitted(t, c, 20)
	if part.Docs() != 2000 || len(part.terms) >= len(whole.terms) || len(part.terms) < len(whole.terms)/2 {
		t.Errorf("%d passages and %d terms of %d", part.Docs(), len(part.terms), len(whole.terms))
	}
	for i, term := range part.terms {
		if at, ok := slices.BinarySearch(whole.terms, term); !ok || part.df[i] != whole.df[at] {
			t.Fatalf("%q is in %d passages of the sample's model", term, part.df[i])
		}
	}
}

// Passages are placed by a sample's model as by the whole one's: among those
// of their topic.
func TestSampleKeepsTopics(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const topics = 8
	texts := make([][]string, 1600)
	for i := range texts {
		for range 12 {
			texts[i] = append(texts[i], fmt.Sprintf("t%dw%d", i%topics, rng.IntN(60)), fmt.Sprintf("w%d", rng.IntN(90)))
		}
	}
	m := fitted(t, sampled(corpusOf(texts...), 200), 20)
	same := 0
	for d := range 50 {
		for _, n := range nearest(m, texts, d) {
			if n%topics == d%topics {
				same++
			}
		}
	}
	if same < 490 {
		t.Errorf("of 500 nearest passages %d are of the topic; by chance %d would be", same, 500/topics)
	}
}

// nearest are the ten passages nearest to one.
func nearest(m *Model, texts [][]string, of int) []int {
	query, _ := m.Project(Bag(texts[of]))
	type match struct {
		d     int
		value float64
	}
	var all []match
	for d, words := range texts[:400] {
		v, _ := m.Project(Bag(words))
		all = append(all, match{d, vector.Dot(query, v)})
	}
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.d, b.d))
	})
	var out []int
	for _, m := range all[:10] {
		out = append(out, m.d)
	}
	return out
}
