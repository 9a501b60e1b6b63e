package casestudies_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

var update = flag.Bool("update", false, "rewrite the golden traces; read the diff before it is committed")

// TestCases runs every case study offline: its expectations must hold, and its
// trace must be the golden one, event by event, whatever runs side by side.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("*/case.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding cases: %v, %v", files, err)
	}
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpora := map[string]*memory.Corpus{}
	home := t.TempDir()
	nodes := map[string]bool{}
	for _, file := range files {
		c, err := eval.LoadCase(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		corpus := corpora[c.CorpusDir()]
		if corpus == nil {
			corpus = ingest(t, home, c.CorpusDir())
			corpora[c.CorpusDir()] = corpus
		}
		t.Run(c.Name, func(t *testing.T) {
			p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus, Memory: forgetful{}}, &research.Options{SkipInjectionCheck: c.SkipInjectionCheck})
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for _, concurrency := range []int{1, 8} {
				got, err := eval.RunCase(context.Background(), c, p, set, corpus, &eval.RunOptions{Graph: graph.RunOptions{Concurrency: concurrency}})
				if err != nil {
					t.Fatal(err)
				}
				for _, miss := range got.Check(c.Want) {
					t.Errorf("%s", miss)
				}
				for _, node := range got.Path {
					nodes[node] = true
				}
				var b bytes.Buffer
				records := trace.Normalise(got.Trace)
				if err := trace.Write(&b, records); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = b.Bytes()
					golden(t, c, records, got.Answer.Answer)
				} else if !bytes.Equal(first, b.Bytes()) {
					t.Error("a second run gives another trace")
				}
			}
		})
	}
	for _, node := range []string{
		research.NodeDetectInjection, research.NodeClassify, research.NodePlan, research.NodeExecute, research.NodeEvaluate,
		research.NodeReplan, research.NodeSelectChoice, research.NodeWriteMemory, research.NodeObserve,
	} {
		if !nodes[node] {
			t.Errorf("no case passes through node %q", node)
		}
	}
}

// golden compares a trace and an answer with what the case's folder holds.
func golden(t *testing.T, c eval.Case, records []trace.Record, answer string) {
	t.Helper()
	answerFile := filepath.Join(c.Dir, "answer.md")
	if *update {
		write(t, answerFile, answer+"\n")
		var b bytes.Buffer
		if err := trace.Write(&b, records); err != nil {
			t.Fatal(err)
		}
		write(t, c.Golden(), preface(t, c)+b.String())
		return
	}
	f, err := os.Open(c.Golden())
	if err != nil {
		t.Fatalf("%v: make it with `go test ./case_studies -update`, and read it", err)
	}
	defer f.Close()
	want, err := trace.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", c.Golden(), err)
	}
	if diff, differ := trace.First(want, records); differ {
		t.Errorf("the trace is not the golden one; `go test ./case_studies -update` rewrites it\n%s", diff)
	}
	kept, err := os.ReadFile(answerFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != answer+"\n" {
		t.Errorf("the answer is not that of %s", answerFile)
	}
}

// preface is the first paragraph of the case's README as comment lines: what
// the golden trace protects.
func preface(t *testing.T, c eval.Case) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(c.Dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(readme), "\n\n")
	paragraph, _, _ := strings.Cut(body, "\n\n")
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(paragraph), "\n") {
		b.WriteString("# " + line + "\n")
	}
	return b.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ingest(t *testing.T, home, dir string) *memory.Corpus {
	t.Helper()
	name := strings.ToLower(filepath.Base(dir))
	if _, err := memory.Ingest(context.Background(), memory.IngestOptions{Home: home, Corpus: name, Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	corpus, err := memory.Open(home, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := corpus.Close(); err != nil {
			t.Error(err)
		}
	})
	return corpus
}

// forgetful is a memory that has never heard of anything and keeps nothing, so
// that a case's trace does not depend on the cases before it.
type forgetful struct{}

func (forgetful) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

func (forgetful) Store(context.Context, string, research.Recall, float64) error { return nil }
