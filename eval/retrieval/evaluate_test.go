package retrieval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/memory/index"
)

// scripted answers each text with a list.
type scripted map[string][]Scored

func (s scripted) Rank(_ context.Context, query string, k int) ([]Scored, error) {
	list, ok := s[query]
	if !ok {
		return nil, fmt.Errorf("ranking %q: the script does not know it", query)
	}
	return list[:min(k, len(list))], nil
}

func byName(t *testing.T, e Evaluation) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, m := range e.Metrics {
		out[m.Name] = m.Value
		if m.Lo > m.Value || m.Hi < m.Value {
			t.Errorf("%s: %+v", m.Name, m)
		}
	}
	return out
}

func TestEvaluate(t *testing.T) {
	d := fixture(t, "beir")
	r := scripted{
		"How long does a lantern permit last?": {{"p2", 3}, {"p1", 2}},
		"When are bollards painted?":           {{"p2", 1}},
	}
	seen := 0
	e, err := Evaluate(t.Context(), d, r, &EvaluateOptions{K: 3, Progress: func(_ string, done, total int) { seen = 10*done + total }})
	if err != nil {
		t.Fatal(err)
	}
	ideal := 1 + 1/math.Log2(3) + .5 // q2 has three relevant passages, two of them not in the corpus
	want := map[string]float64{
		"nDCG@3": (1/math.Log2(3) + 1/ideal) / 2, "MAP@3": (.5 + 1./3) / 2, "MRR@3": .75,
		"R@1": (0 + 1./3) / 2, "R@2": (1 + 1./3) / 2, "R@3": (1 + 1./3) / 2, "doc_hit@1": .5, "doc_hit@2": 1, "doc_hit@3": 1,
	}
	got := byName(t, e)
	for name, value := range got {
		if math.Abs(value-want[name]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, value, want[name])
		}
	}
	if len(got) != len(want) || seen != 22 || e.P50 > e.P95 {
		t.Errorf("metrics %v, progress %d, p50 %v, p95 %v", got, seen, e.P50, e.P95)
	}
	if _, err := Evaluate(t.Context(), d, scripted{}, nil); err == nil || !strings.Contains(err.Error(), `evaluating query "q1"`) {
		t.Errorf("a ranker's error: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(ctx, d, r, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestEvaluateSpans(t *testing.T) {
	d := fixture(t, "legalbench")
	e, err := Evaluate(t.Context(), d, scripted{"Are secrets kept?": {{"f/c.txt#0-6", 2}, {"f/a b.txt#0-41", 1}}}, &EvaluateOptions{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := byName(t, e)
	for name, want := range map[string]float64{
		"char_recall@1": 0, "char_recall@2": 1, "char_precision@1": 0, "char_precision@2": 22. / 42, "doc_hit@1": 0, "doc_hit@2": 1, "R@2": 1, "MRR@2": .5,
	} {
		if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
}

// Records of equal length are texts of their own: none hides another.
func TestEqualLengths(t *testing.T) {
	d, err := Read(t.Context(), files(t, "obliqa", [3]string{
		`{"id":"u1","doc_id":1,"text":"Lanterns are lit at dusk."}` + "\n" + `{"id":"u2","doc_id":1,"text":"Lanterns are put out now."}`,
		`{"id":"a","question":"When are lanterns lit and put out?","qrels":{"u1":1,"u2":1}}`, "",
	}, false), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewIndex(t.Context(), filepath.Join(t.TempDir(), "index"), d, index.BM25{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got, err := x.Rank(t.Context(), d.Queries[0].Texts[0], 5); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCutoffs(t *testing.T) {
	for k, want := range map[int][]int{1: {1}, 5: {1, 2, 5}, 10: {1, 2, 5, 10}, 7: {1, 2, 5, 7}, 200: {1, 2, 5, 10, 20, 50, 100, 200}} {
		if diff := cmp.Diff(want, cutoffs(k)); diff != "" {
			t.Errorf("%d: %s", k, diff)
		}
	}
}

// Pooling adds what each wording found, relative to its best.
func TestPooled(t *testing.T) {
	r := scripted{"a": {{"x", 10}, {"y", 5}}, "b": {{"y", .2}, {"z", .1}}, "none": nil, "zero": {{"w", 0}}}
	got, err := Pool(t.Context(), r, []string{"a", "none", "b", "zero"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Scored{{"y", 1.5}, {"x", 1}, {"z", .5}}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Pool(t.Context(), r, []string{"a", "unknown"}, 3); err == nil {
		t.Error("an error of the second wording is lost")
	}
}

// Both rankers find what every fixture asks for, and the same on one
// processor and on several.
func TestRankers(t *testing.T) {
	measure := func(t *testing.T, d *Dataset) (out []string) {
		x, err := NewIndex(t.Context(), filepath.Join(t.TempDir(), "index"), d, index.BM25{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}()
		bm25, err := NewBM25(t.Context(), d, index.BM25{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, ranker := range []Ranker{x, bm25} {
			e, err := Evaluate(t.Context(), d, ranker, nil)
			if err != nil {
				t.Fatal(err)
			}
			if v := byName(t, e)["doc_hit@2"]; v != 1 {
				t.Errorf("%T: doc_hit@2 is %v", ranker, v)
			}
			var run bytes.Buffer
			if err := writeRun(&run, d, e, "test"); err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(e.Metrics), run.String())
		}
		return out
	}
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			d := fixture(t, format)
			first := measure(t, d)
			old := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(old)
			if diff := cmp.Diff(first, measure(t, d)); diff != "" {
				t.Errorf("on one processor (-several +one):\n%s", diff)
			}
		})
	}
}
