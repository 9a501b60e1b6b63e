package weaviate_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/index/sourcetest"
	"example.com/assay/memory/index/weaviate/weaviatetest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// scale is how many passages TestScale loads.
var scale = flag.Int("scale", 0, "passages that TestScale synthesises and loads; 0 skips it")

// read reads a file of JSON lines below ASSAY_DATA, or skips the test.
func read[T any](t testing.TB, name string) []T {
	t.Helper()
	root := os.Getenv("ASSAY_DATA")
	if root == "" {
		t.Skip("set ASSAY_DATA to the folder of evaluation data to measure retrieval")
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("no data to measure on: %v", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	in := bufio.NewReader(f)
	if filepath.Ext(name) == ".gz" {
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		in = bufio.NewReader(z)
	}
	var out []T
	for d := json.NewDecoder(in); d.More(); {
		var v T
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

type judged struct {
	Question string         `json:"question"`
	Qrels    map[string]int `json:"qrels"`
}

// regulations are the passages of ObliQA.
func regulations(t testing.TB) (out []state.Passage) {
	t.Helper()
	for _, r := range read[struct {
		ID    string `json:"id"`
		DocID int    `json:"doc_id"`
		Text  string `json:"text"`
	}](t, "obliqa/corpus.jsonl.gz") {
		if strings.TrimSpace(r.Text) != "" {
			out = append(out, state.Passage{ID: r.ID, Doc: fmt.Sprint(r.DocID), Text: r.Text, End: len(r.Text), Source: r.ID})
		}
	}
	return out
}

// recall is the mean recall at 10 of the whole pipeline, and the median time of a search.
func recall(t testing.TB, x *index.Index, questions []judged) (float64, time.Duration) {
	t.Helper()
	var sum float64
	var took []time.Duration
	for _, q := range questions {
		from := time.Now()
		found, err := x.Search(t.Context(), retrieval.Query{Primary: q.Question, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(from))
		hit := 0
		for _, h := range found.Hits {
			if q.Qrels[h.Passage.ID] > 0 {
				hit++
			}
		}
		sum += float64(hit) / float64(len(q.Qrels))
	}
	slices.Sort(took)
	return sum / float64(len(questions)), took[len(took)/2]
}

// The whole pipeline finds on one node, and on three, what it finds in files.
func TestRecall(t *testing.T) {
	questions := read[judged](t, "obliqa/questions.jsonl")
	passages := regulations(t)
	for _, c := range []struct {
		nodes    int
		settings string
	}{{1, ""}, {3, "?shards=3&replicas=2"}} {
		nodes := weaviatetest.Start(t, c.nodes)
		from := time.Now()
		p := sourcetest.Publish(t, connect(t, nodes.Address(c.settings)).Collection(className()), passages)
		t.Logf("%d nodes: %d passages ingested, written and settled in %v", c.nodes, len(passages), time.Since(from).Round(time.Second))
		files, inFiles := recall(t, p.Files, questions)
		served, asked := recall(t, p.Served, questions)
		t.Logf("%d nodes: R@10 %.4f, in files %.4f, n %d; p50 %v, in files %v", c.nodes, served, files, len(questions), asked, inFiles)
		if served < files-.005 {
			t.Errorf("%d nodes: R@10 %.4f is more than .005 below that of the files, %.4f", c.nodes, served, files)
		}
	}
}

// A corpus of many passages is loaded once.
func TestScale(t *testing.T) {
	if *scale == 0 {
		t.Skip("give -scale N to load N passages")
	}
	const asked, stream = 200, 50000
	nodes := weaviatetest.Start(t, 1)
	dir := t.TempDir()
	files, served := filepath.Join(dir, "files"), filepath.Join(dir, "served")
	from := time.Now()
	if _, err := index.Update(t.Context(), index.UpdateOptions{Dir: files, Stream: func(add func([]state.Passage) error) ([]string, error) {
		for at := 0; at < *scale; at += stream {
			if err := add(indextest.Part(at, min(at+stream, *scale), 1)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d passages indexed in files in %v", *scale, time.Since(from).Round(time.Second))
	to := connect(t, nodes.Address("")).Collection(className())
	var phase string
	if err := index.Publish(t.Context(), index.PublishOptions{From: files, Dir: served, To: to, Progress: func(name string, done, total int) {
		if name != phase {
			t.Logf("%s after %v", name, time.Since(from).Round(time.Second))
			phase = name
		}
	}}); err != nil {
		t.Fatal(err)
	}
	x, err := index.OpenServed(served, to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	y, err := index.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.Close() })
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	questions := indextest.Questions(asked, indextest.Part(0, min(*scale, stream), 1), 5)
	var took []time.Duration
	same := 0
	for _, q := range questions {
		at := time.Now()
		found, err := x.Search(t.Context(), retrieval.Query{Primary: q})
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(at))
		want, err := y.Search(t.Context(), retrieval.Query{Primary: q})
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Hits) > 0 && len(found.Hits) > 0 && want.Hits[0].Passage.ID == found.Hits[0].Passage.ID {
			same++
		}
	}
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	info, err := os.Stat(filepath.Join(served, "lexicon"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ended after %v: %.1f GB on the node's disk, lexicon %d MB, search p50 %v, p95 %v; first hit as in files in %d of %d",
		time.Since(from).Round(time.Second), float64(nodes.Bytes())/1e9, info.Size()>>20, took[asked/2], took[asked*95/100], same, asked)
}
