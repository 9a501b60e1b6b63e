package retrieval

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/memory/index"
)

// dataset reads a public collection that is not part of the project, or
// skips. Without files of that name the test is skipped, too.
func dataset(t *testing.T, format, corpus, queries string) *Dataset {
	t.Helper()
	root := os.Getenv("ASSAY_DATA")
	if root == "" {
		t.Skip("set ASSAY_DATA to the folder of evaluation data to measure retrieval")
	}
	f := Files{Format: format, Corpus: filepath.Join(root, filepath.FromSlash(corpus)), Queries: filepath.Join(root, filepath.FromSlash(queries))}
	for _, path := range []string{f.Corpus, f.Queries} {
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no data to measure on: %v", err)
		}
	}
	d, err := Read(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The baseline reproduces the published figures of BM25: SciFact in BEIR (flat
// index of Anserini), ObliQA by its authors.
func TestPublishedBM25(t *testing.T) {
	const tolerance = .005
	for _, tt := range []struct {
		format, corpus, queries string
		want                    map[string]float64
	}{
		{"scifact", "scifact/corpus.jsonl.gz", "scifact/claims.jsonl", map[string]float64{"nDCG@10": .679}},
		{"obliqa", "obliqa/corpus.jsonl.gz", "obliqa/questions.jsonl", map[string]float64{"R@10": .7611, "MAP@10": .6237}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			d := dataset(t, tt.format, tt.corpus, tt.queries)
			ranker, err := NewBM25(t.Context(), d, index.BM25{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Evaluate(t.Context(), d, ranker, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range got.Metrics {
				if want, ok := tt.want[m.Name]; ok {
					t.Logf("%s %.4f [%.4f, %.4f], published %.4f, n %d, p50 %v", m.Name, m.Value, m.Lo, m.Hi, want, len(got.Items), got.P50)
					if math.Abs(m.Value-want) > tolerance {
						t.Errorf("%s is %.4f, published %.4f", m.Name, m.Value, want)
					}
					delete(tt.want, m.Name)
				}
			}
			if len(tt.want) > 0 {
				t.Errorf("not measured: %v", tt.want)
			}
		})
	}
}
