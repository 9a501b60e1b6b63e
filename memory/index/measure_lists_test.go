package index

import (
	"fmt"
	"math"
	"testing"
	"time"

	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
)

// What lists would miss of a real corpus's vectors for its real questions, and
// what they would save, were it large enough to get them.
func TestMeasureLists(t *testing.T) {
	records := readLines[record](t, "obliqa/corpus.jsonl.gz")
	x := buildMeasured(t, passagesOf(records, func(r record) string { return fmt.Sprint(r.DocID) }))
	var queries [][]float32
	for _, q := range readLines[struct{ Question string }](t, "obliqa/questions.jsonl") {
		if v, known := x.gen.model.Project(lsa.Bag(x.corpus.Reader.Terms(q.Question))); known > 0 {
			queries = append(queries, v)
		}
	}
	rows := make([]float32, 0, x.gen.vectors.Len()*x.gen.vectors.Dims())
	for ord := range int32(x.gen.vectors.Len()) {
		rows = append(rows, x.gen.vectors.Row(ord)...)
	}
	start := time.Now()
	lists, err := vector.Train(t.Context(), rows, x.gen.vectors.Dims())
	if err != nil {
		t.Fatal(err)
	}
	trained := time.Since(start)
	listed, err := vector.NewSet(rows, x.gen.vectors.Dims(), lists)
	if err != nil {
		t.Fatal(err)
	}
	const k = 10
	found, all := 0, 0
	var scan, look time.Duration
	for _, q := range queries {
		start = time.Now()
		want := x.gen.vectors.Top(q, k, math.Inf(-1), nil)
		scan += time.Since(start)
		start = time.Now()
		got := listed.Top(q, k, math.Inf(-1), nil)
		look += time.Since(start)
		have := make(map[int32]bool, k)
		for _, m := range got {
			have[m.Row] = true
		}
		for _, m := range want {
			if all++; have[m.Row] {
				found++
			}
		}
	}
	recall := float64(found) / float64(all)
	t.Logf("%d vectors, %d questions: %d lists, %d looked at, trained in %v; recall@%d %.4f, a scan takes %.1f times as long",
		x.gen.vectors.Len(), len(queries), lists.Count(), lists.Probes(), trained.Round(time.Millisecond), k, recall, float64(scan)/float64(look))
	if recall < .95 {
		t.Errorf("recall@%d %.4f, want at least .95", k, recall)
	}
}
