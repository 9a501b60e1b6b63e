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

// The sample is of content: it is the same in every order of the passages,
// and a corpus that grows keeps of it what it has room for.
func TestSample(t *testing.T) {
	texts := randomTexts(900)
	drawn := func(texts [][]string, n int) []string {
		var out []string
		for _, d := range sample(corpusOf(texts...), n) {
			out = append(out, stringOf(texts[d]))
		}
		slices.Sort(out)
		return out
	}
	want := drawn(texts, 100)
	shuffled := slices.Clone(texts)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := drawn(shuffled, 100); len(got) != 100 || !slices.Equal(got, want) {
		t.Error("another order of the passages gives another sample")
	}
	grown := append(slices.Clone(texts), randomTexts(1400)[900:]...) // half as many again
	kept := 0
	for _, s := range drawn(grown, 100) {
		if slices.Contains(want, s) {
			kept++
		}
	}
	if kept < 50 || kept > 85 {
		t.Errorf("of a sample of 100 a corpus that grew by a half keeps %d", kept)
	}
	if got := sample(corpusOf(texts...), 900); len(got) != 900 || !slices.IsSorted(got) {
		t.Errorf("%d of 900 passages", len(got))
	}
}

func stringOf(words []string) string {
	var b bytes.Buffer
	for _, t := range Bag(words) {
		b.WriteString(t.Text)
		b.WriteByte(byte(t.N))
	}
	return b.String()
}

// What a model of a sample knows is counted over the whole corpus, and its
// bytes do not depend on the processors.
func TestFitOfSample(t *testing.T) {
	texts := randomTexts(2000)
	c := corpusOf(texts...)
	opts := &FitOptions{Dimensions: 20, Sample: 300}
	var want []byte
	for _, procs := range []int{1, 8} {
		previous := runtime.GOMAXPROCS(procs)
		got, err := fit(t, c, opts).MarshalBinary()
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
	part, whole := fit(t, c, opts), fit(t, c, &FitOptions{Dimensions: 20})
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
	m := fit(t, corpusOf(texts...), &FitOptions{Dimensions: 20, Sample: 200})
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

// Beyond the sample, passages cost next to nothing to train on.
func TestMemoryOfFitIsBounded(t *testing.T) {
	allocated := func(n int) uint64 {
		c := corpusOf(randomTexts(n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fit(t, c, &FitOptions{Dimensions: 20, Sample: 1000})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := allocated(2000), allocated(20000)
	if per := float64(large-small) / 18000; per > 64 {
		t.Errorf("training allocates %.0f bytes for each passage beyond the sample (%d and %d in all)", per, small, large)
	}
}
