package casestudies_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/eval/evaltest"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

var update = flag.Bool("update", false, "rewrite the golden traces; read the diff before it is committed")

// TestCases runs every case study offline: its expectations must hold, and its
// trace must be the golden one, event by event, whatever runs side by side.
func TestCases(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpora := eval.NewCorpora(t.TempDir(), &eval.CorporaOptions{Open: memory.OpenOptions{Inspect: injection.Orders}})
	t.Cleanup(func() {
		if err := corpora.Close(); err != nil {
			t.Error(err)
		}
	})
	bench, err := eval.NewBench(eval.Deps{Model: offline.New(nil), Skills: set, Corpora: corpora, Inspect: injection.Orders}, nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes, pipelines := map[string]bool{}, map[string]bool{}
	evaltest.Run(t, bench, ".", &evaltest.Options{Update: *update, Each: func(t *testing.T, c eval.Case, got eval.Run) {
		pipelines[c.Pipeline] = true
		for _, node := range got.Path {
			nodes[node] = true
		}
		shown(t, c, got)
	}})
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
