package eval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

// TestObliqaPipeline measures the whole pipeline's retrieval on 13,732 rulebook
// passages: what its first step reads, planned and rewritten offline, when it
// may read ten. Plain BM25 finds .762 of the relevant passages.
func TestObliqaPipeline(t *testing.T) {
	data := os.Getenv("ASSAY_DATA")
	if data == "" {
		t.Skip("ASSAY_DATA is not set: point it at a folder with obliqa/corpus.jsonl.gz and obliqa/questions.jsonl to measure")
	}
	home := t.TempDir()
	began := time.Now()
	opts := memory.IngestOptions{Home: home, Corpus: "obliqa", Paths: []string{filepath.Join(data, "obliqa", "corpus.jsonl.gz")}}
	report, err := memory.Ingest(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ingested %d passages in %v", report.Passages, time.Since(began))
	corpus, err := memory.Open(home, "obliqa")
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus}, &research.Options{Passages: 10})
	if err != nil {
		t.Fatal(err)
	}

	var first, any, squares float64
	var times []time.Duration
	status := map[string]int{}
	questions := readQuestions(t, filepath.Join(data, "obliqa", "questions.jsonl"))
	for _, q := range questions {
		began := time.Now()
		final, _, err := p.Ask(context.Background(), q.Question, nil)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, time.Since(began))
		status[string(research.Result(final, nil, corpus).Status)]++
		firstFound, anyFound := 0, 0
		for id := range q.Qrels {
			for i, step := range final.Plan {
				for _, h := range step.Hits {
					if record(h.Passage.ID) == id {
						anyFound++
						if i == 0 {
							firstFound++
						}
					}
				}
			}
		}
		recall := float64(min(firstFound, len(q.Qrels))) / float64(len(q.Qrels))
		first += recall
		squares += recall * recall
		any += float64(min(anyFound, len(q.Qrels))) / float64(len(q.Qrels))
	}
	n := float64(len(questions))
	slices.Sort(times)
	spread := 1.96 * math.Sqrt((squares/n-first/n*first/n)/n) // 95 %, normal approximation
	t.Logf("n %d, R@10 of the first step %.4f ± %.4f, recall of all steps %.4f, median %v, p95 %v, status %v", len(questions), first/n, spread, any/n, times[len(times)/2], times[len(times)*95/100], status)
	if first/n < .762 {
		t.Errorf("R@10 is %.4f, below plain BM25's .762", first/n)
	}
}

// record is the id of the record that a passage was cut from: a long one gives
// several passages, id, id~2, id~3.
func record(passage string) string {
	if at := slices.Index([]byte(passage), '~'); at > 0 {
		return passage[:at]
	}
	return passage
}

type question struct {
	ID       string         `json:"id"`
	Question string         `json:"question"`
	Qrels    map[string]int `json:"qrels"`
}

func readQuestions(t *testing.T, path string) []question {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []question
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		out = append(out, q)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
