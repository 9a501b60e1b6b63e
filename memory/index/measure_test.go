package index

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// The tests of this file measure on public collections that are not part of
// the project. They need ASSAY_DATA, the folder that holds them.

// dataFile opens a file below ASSAY_DATA, unpacking .gz, or skips the test.
func dataFile(t testing.TB, name string) io.Reader {
	t.Helper()
	root := os.Getenv("ASSAY_DATA")
	if root == "" {
		t.Skip("set ASSAY_DATA to the folder of evaluation data to measure retrieval")
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("no data to measure on: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	scan := bufio.NewScanner(dataFile(t, name))
	scan.Buffer(nil, 1<<24)
	var out []T
	for scan.Scan() {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

type record struct {
	ID    string `json:"id"`
	DocID int    `json:"doc_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// passagesOf makes passages of records; group names the document of each.
func passagesOf(records []record, group func(record) string) []state.Passage {
	var out []state.Passage
	for _, r := range records {
		if strings.TrimSpace(r.Text) != "" {
			out = append(out, state.Passage{ID: r.ID, Doc: group(r), Title: r.Title, Text: r.Text, End: len(r.Text), Source: r.ID})
		}
	}
	return out
}

type judgedQuery struct {
	text string
	gold map[string]bool
}

type measured struct{ recall, ap, ndcg float64 }

// measure means the metrics at k over queries, with the primary query only.
func measure(t testing.TB, x *Index, queries []judgedQuery, k int) (measured, []time.Duration) {
	t.Helper()
	var sum measured
	var took []time.Duration
	for _, q := range queries {
		start := time.Now()
		res, err := x.Search(t.Context(), retrieval.Query{Primary: q.text, K: k})
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(start))
		var found, dcg, ideal, ap float64
		for i, h := range res.Hits {
			if q.gold[h.Passage.ID] {
				found++
				ap += found / float64(i+1)
				dcg += 1 / math.Log2(float64(i+2))
			}
		}
		for i := range min(k, len(q.gold)) {
			ideal += 1 / math.Log2(float64(i+2))
		}
		n := float64(len(q.gold))
		sum.recall += found / n
		sum.ap += ap / n
		sum.ndcg += dcg / ideal
	}
	n := float64(len(queries))
	slices.Sort(took)
	return measured{sum.recall / n, sum.ap / n, sum.ndcg / n}, took
}

func buildMeasured(t testing.TB, passages []state.Passage) *Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gen")
	start, phase := time.Now(), ""
	var phases []string
	last := start
	stats, err := Update(t.Context(), UpdateOptions{Dir: dir, Add: passages, Progress: func(p string, _, _ int) {
		if p != phase {
			if phase != "" {
				phases = append(phases, fmt.Sprintf("%s %.1fs", phase, time.Since(last).Seconds()))
			}
			phase, last = p, time.Now()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	built := time.Since(start)
	start = time.Now()
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	t.Logf("%d passages, %d documents, %d terms: built in %v (%s), opened in %v, peak RSS %d MiB",
		stats.Passages, stats.Documents, stats.Terms, built.Round(time.Millisecond), strings.Join(phases, ", "), time.Since(start).Round(time.Millisecond), peakRSS())
	return x
}

// peakRSS is the process's largest resident size in MiB, where Linux says it.
func peakRSS() int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb / 1024
}

func p50(took []time.Duration) time.Duration { return took[len(took)/2].Round(10 * time.Microsecond) }

func TestMeasureObliqa(t *testing.T) {
	records := readLines[record](t, "obliqa/corpus.jsonl.gz")
	passages := passagesOf(records, func(r record) string { return fmt.Sprint(r.DocID) })
	x := buildMeasured(t, passages)
	var queries []judgedQuery
	for _, q := range readLines[struct {
		Question string         `json:"question"`
		Qrels    map[string]int `json:"qrels"`
	}](t, "obliqa/questions.jsonl") {
		queries = append(queries, judgedQuery{q.Question, goldOf(q.Qrels)})
	}
	m, took := measure(t, x, queries, 10)
	t.Logf("obliqa: R@10 %.4f MAP@10 %.4f nDCG@10 %.4f, p50 %v, n %d", m.recall, m.ap, m.ndcg, p50(took), len(queries))
	if m.recall < .785 || m.ap < .65 {
		t.Errorf("R@10 %.4f MAP@10 %.4f, want at least .785 and .65", m.recall, m.ap)
	}
}

func goldOf(qrels map[string]int) map[string]bool {
	gold := make(map[string]bool, len(qrels))
	for id := range qrels {
		gold[id] = true
	}
	return gold
}

func TestMeasureScifact(t *testing.T) {
	passages := passagesOf(readLines[record](t, "scifact/corpus.jsonl.gz"), func(r record) string { return r.ID })
	x := buildMeasured(t, passages)
	var queries []judgedQuery
	for _, q := range readLines[struct {
		Claim string         `json:"claim"`
		Qrels map[string]int `json:"qrels"`
	}](t, "scifact/claims.jsonl") {
		queries = append(queries, judgedQuery{q.Claim, goldOf(q.Qrels)})
	}
	m, took := measure(t, x, queries, 10)
	t.Logf("scifact: R@10 %.4f MAP@10 %.4f nDCG@10 %.4f, p50 %v, n %d", m.recall, m.ap, m.ndcg, p50(took), len(queries))
	if m.ndcg < .70 {
		t.Errorf("nDCG@10 %.4f, want at least .70", m.ndcg)
	}
}

// Adding one document to an index of 5,000 passages and more.
func TestMeasureIncrement(t *testing.T) {
	passages := passagesOf(readLines[record](t, "scifact/corpus.jsonl.gz"), func(r record) string { return r.ID })
	from := build(t, passages[1:])
	start := time.Now()
	stats, err := Update(t.Context(), UpdateOptions{Dir: filepath.Join(t.TempDir(), "new"), From: from, Add: passages[:1]})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("adding one document to %d passages took %v", stats.Passages-1, took.Round(time.Millisecond))
	if stats.Refit || took > 3*time.Second {
		t.Errorf("it took %v, trained anew: %v", took, stats.Refit)
	}
}

func TestMeasureMorehopqa(t *testing.T) {
	passages := passagesOf(readLines[record](t, "morehopqa/corpus.jsonl.gz"), func(r record) string { return r.ID })
	x := buildMeasured(t, passages)
	var queries []judgedQuery
	for _, q := range readLines[struct {
		Question string   `json:"question"`
		Gold     []string `json:"gold_passage_ids"`
	}](t, "morehopqa/questions.jsonl") {
		gold := make(map[string]bool)
		for _, id := range q.Gold {
			gold[id] = true
		}
		queries = append(queries, judgedQuery{q.Question, gold})
	}
	m, took := measure(t, x, queries, 5)
	t.Logf("morehopqa: R@5 %.4f, p50 %v, n %d", m.recall, p50(took), len(queries))
	if m.recall < .95 {
		t.Errorf("R@5 %.4f, want at least .95", m.recall)
	}
}

func TestMeasureLegalbench(t *testing.T) {
	texts := make(map[string][]rune)
	var passages []state.Passage
	for _, r := range readLines[record](t, "legalbench_rag/corpus.jsonl.gz") {
		texts[r.ID] = []rune(r.Text)
		passages = append(passages, chunks(r.ID, texts[r.ID])...)
	}
	x := buildMeasured(t, passages)
	queries := readLines[struct {
		Query    string `json:"query"`
		Snippets []struct {
			Doc        string `json:"doc_id"`
			Start, End int
		} `json:"snippets"`
	}](t, "legalbench_rag/queries.jsonl")
	var recall, docs float64
	for _, q := range queries {
		res, err := x.Search(t.Context(), retrieval.Query{Primary: q.Query, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		var found, total int
		for _, s := range q.Snippets {
			total += s.End - s.Start
			for _, h := range res.Hits {
				if h.Passage.Doc == s.Doc {
					found += max(0, min(s.End, h.Passage.End)-max(s.Start, h.Passage.Start))
				}
			}
		}
		recall += float64(found) / float64(total)
		if len(res.Hits) > 0 && res.Hits[0].Passage.Doc == q.Snippets[0].Doc {
			docs++
		}
	}
	n := float64(len(queries))
	t.Logf("legalbench: character recall@10 %.4f, right document first %.4f, n %d", recall/n, docs/n, len(queries))
	if recall/n < .60 {
		t.Errorf("character recall@10 %.4f, want at least .60", recall/n)
	}
}

// chunks cuts a text after punctuation or a line break into passages of at
// most 500 code points; their offsets count code points too.
func chunks(doc string, s []rune) []state.Passage {
	const size = 500
	var out []state.Passage
	for start := 0; start < len(s); {
		end := min(start+size, len(s))
		for i := end - 1; end < len(s) && i > start; i-- {
			if s[i] == '\n' || i+1 < len(s) && s[i+1] == ' ' && strings.ContainsRune(".;:!?", s[i]) {
				end = i + 1
				break
			}
		}
		out = append(out, state.Passage{
			ID: fmt.Sprintf("%s#%06d", doc, start), Doc: doc, Text: string(s[start:end]), Start: start, End: end, Source: doc,
		})
		start = end
	}
	return out
}
