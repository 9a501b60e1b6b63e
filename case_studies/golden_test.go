package casestudies_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

var update = flag.Bool("update", false, "rewrite the golden traces; read the diff before it is committed")

// orders finds orders in texts, as cmd/agent does.
func orders(text string) []retrieval.Order {
	var out []retrieval.Order
	for _, o := range injection.Instructions(text) {
		out = append(out, retrieval.Order{Kind: o.Category, Start: o.Start, End: o.End})
	}
	return out
}

// TestCases runs every case study offline: its expectations must hold, and its
// trace must be the golden one, event by event, whatever runs side by side.
func TestCases(t *testing.T) {
	cases, err := eval.FindCases(".", "")
	if err != nil {
		t.Fatal(err)
	}
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpora := eval.NewCorpora(t.TempDir(), nil)
	t.Cleanup(func() {
		if err := corpora.Close(); err != nil {
			t.Error(err)
		}
	})
	nodes, pipelines := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		pipelines[c.Pipeline] = true
		t.Run(c.Name, func(t *testing.T) {
			var first []byte
			for _, concurrency := range []int{1, 8} {
				bench, err := eval.NewBench(eval.Deps{Model: offline.New(nil), Skills: set, Corpora: corpora, Inspect: orders}, nil)
				if err != nil {
					t.Fatal(err)
				}
				ready, err := bench.Prepare(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				got, err := ready.Run(t.Context(), &graph.RunOptions{Concurrency: concurrency})
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
					golden(t, c, records)
					shown(t, c, got)
				} else if !bytes.Equal(first, b.Bytes()) {
					t.Error("a second run gives another trace")
				}
			}
		})
	}
	if got := slices.Sorted(maps.Keys(pipelines)); !slices.Equal(got, []string{eval.Comply, eval.Edges, eval.Extract, eval.Research, eval.Verify}) {
		t.Errorf("cases are of %q: a pipeline has none", got)
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

// golden compares a trace with that of the case's folder.
func golden(t *testing.T, c eval.Case, records []trace.Record) {
	t.Helper()
	if *update {
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
}

// preface is the first paragraph of the case's README as comment lines: what
// the golden trace protects.
func preface(t *testing.T, c eval.Case) string {
	t.Helper()
	_, body, _ := strings.Cut(read(t, filepath.Join(c.Dir, "README.md")), "\n\n")
	paragraph, _, _ := strings.Cut(body, "\n\n")
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(paragraph), "\n") {
		b.WriteString("# " + line + "\n")
	}
	return b.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
