package casestudies_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/follow"
	"example.com/assay/skills"
	"example.com/assay/state"
)

const edgesCase = "public_health_edges"

// TestPublicHealthEdges verifies the sample offline: the table and the picture are
// those of its README, and the trace is the golden one, event by event, whatever
// runs beside what. The trace protects what each edge was searched by, what its
// judge said and why it was decided so.
func TestPublicHealthEdges(t *testing.T) {
	sample, err := casestudies.PublicHealth()
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(sample, "edges.json")
	if err != nil {
		t.Fatal(err)
	}
	edges, err := causal.ReadEdges("edges.json", data)
	if err != nil {
		t.Fatal(err)
	}
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpus := ingest(t, t.TempDir(), filepath.Join("corpora", "public-health", "docs"))
	var first string
	for _, concurrency := range []int{1, 8} {
		p, err := causal.New(causal.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus, Embedder: corpus}, &causal.Options{MaxConcurrent: concurrency})
		if err != nil {
			t.Fatal(err)
		}
		// One task at a time: events of tasks that run side by side come in no order.
		opts := &follow.Options[state.Causal]{Run: graph.RunOptions{RunID: "golden", Concurrency: 1}}
		var raw bytes.Buffer
		opts.Trace = trace.NewWriter(&raw, trace.Header{RunID: "golden"})
		final, _, err := follow.Run(context.Background(), p.Graph(), causal.Input(edges), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range final.Edges {
			for _, q := range e.Evidence.Quotes {
				if passage, ok, err := corpus.Passage(q.Passage); err != nil || !ok || passage.Text[q.Start-passage.Start:q.End-passage.Start] != q.Text {
					t.Errorf("%s: the quote %+v is not the bytes it names (%v)", e.ID, q, err)
				}
			}
		}
		records, err := trace.Read(&raw)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := trace.Write(&b, trace.Normalise(records)); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
			same(t, "golden.jsonl", first)
			readme(t, final)
		} else if first != b.String() {
			t.Error("a second run gives another trace")
		}
	}
}

// same compares a file of the case, or rewrites it.
func same(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(edgesCase, name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s:%d differs; rewrite it with -update and read the diff\nwant %s\ngot  %s", path, i+1, a[i], b[i])
		}
	}
	t.Fatalf("%s has %d lines and the run %d", path, len(a), len(b))
}

// readme holds the table and the picture of the case's README to the run.
func readme(t *testing.T, final state.Causal) {
	t.Helper()
	path := filepath.Join(edgesCase, "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	text = block(t, text, "```text\n", causal.Table(final.Edges, final.DAG))
	text = block(t, text, "```mermaid\n", causal.Mermaid(final.Edges, final.DAG))
	same(t, "README.md", text)
}

// block replaces what the first block of a kind holds.
func block(t *testing.T, text, opening, with string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, opening)
	_, tail, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatalf("the README has no %sblock", fmt.Sprintf("%q ", opening))
	}
	return head + opening + with + "```\n" + tail
}
