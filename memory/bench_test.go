package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// go test -run xxx -bench . ./memory
//
// With ASSAY_DATA, retrieval is measured on the 13,732 records of ObliQA, else
// on as many synthesised passages. TestGrowth measures more of them.

const likeObliqa = 13732

// BenchmarkRetrieval compares a whole search (three wordings, pooled, all
// signals fused, near duplicates dropped, five passages read) with bleve as it
// comes, which gets the question alone.
func BenchmarkRetrieval(b *testing.B) {
	passages, questions, ok := obliqa(b)
	name := "obliqa"
	if !ok {
		passages = indextest.Synthesise(likeObliqa, 1)
		questions, name = indextest.Questions(1000, passages, 2), "synthesised"
	}
	c := ingestPassages(b, passages).corpus
	defer closeCorpus(b, c)
	raw, err := indextest.NewBleve(filepath.Join(b.TempDir(), "raw"), passages)
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	b.Run(name+"/assay", func(b *testing.B) {
		benchQueries(b, questions, func(q string) error {
			all := threeWordings(q)
			_, err := c.Search(b.Context(), retrieval.Query{Primary: all[0], Alternatives: all[1:]})
			return err
		})
	})
	b.Run(name+"/bleve", func(b *testing.B) {
		benchQueries(b, questions, func(q string) error {
			_, err := raw.Search(q, index.DefaultK)
			return err
		})
	})
}

// benchQueries reports the 50th and 95th percentile of a query's time.
func benchQueries(b *testing.B, questions []string, ask func(q string) error) {
	var took []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		if err := ask(questions[i%len(questions)]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		i++
	}
	slices.Sort(took)
	for _, percent := range []int{50, 95} {
		b.ReportMetric(float64(took[len(took)*percent/100])/float64(time.Millisecond), fmt.Sprintf("p%d-ms", percent))
	}
}

// BenchmarkIngest reads and indexes a corpus, and trains its embedder.
func BenchmarkIngest(b *testing.B) {
	passages := indextest.Synthesise(likeObliqa, 1)
	for b.Loop() {
		g := ingestPassages(b, passages)
		b.ReportMetric(float64(g.passages)/g.took.Seconds(), "passages/s")
		closeCorpus(b, g.corpus)
	}
}

// BenchmarkOpen opens a corpus, checks every byte of it, and closes it.
func BenchmarkOpen(b *testing.B) {
	g := ingestPassages(b, indextest.Synthesise(likeObliqa, 1))
	store := g.corpus.store
	closeCorpus(b, g.corpus)
	home := filepath.Dir(filepath.Dir(store.dir))
	for b.Loop() {
		c, err := Open(home, store.name)
		if err != nil {
			b.Fatal(err)
		}
		closeCorpus(b, c)
	}
}

// The measuring itself, on a corpus that takes no time.
func TestGrowthOfLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	passages := indextest.Synthesise(200, 1)
	if again := indextest.Synthesise(100, 1); !slices.EqualFunc(again, passages[:100], func(a, b state.Passage) bool { return a.Text == b.Text && a.ID == b.ID }) {
		t.Error("a smaller corpus is not the beginning of a larger one")
	}
	g := ingestPassages(t, passages)
	defer closeCorpus(t, g.corpus)
	if g.passages != 200 || g.took <= 0 || g.open <= 0 || g.disk < 200*100 {
		t.Errorf("%+v", g)
	}
	questions := indextest.Questions(10, passages, 2)
	m, raw := timeQueries(t, g.corpus, questions), timeRaw(t, passages, questions, theQuestion)
	if m.p50 <= 0 || m.p95 < m.p50 || raw.p50 <= 0 {
		t.Errorf("%+v, raw %+v", m, raw)
	}
	found := 0
	for _, q := range questions {
		r, err := g.corpus.Search(t.Context(), retrieval.Query{Primary: q})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) > 0 && r.Confidence > .35 {
			found++
		}
	}
	if found < 8 {
		t.Errorf("%d of 10 questions find their passage", found)
	}
}
