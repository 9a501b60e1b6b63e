package evaltest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/evaltest"
	"example.com/assay/graph"
	"example.com/assay/memory"
)

type word struct{ Text string }

// bench has a graph that says what say returns for the case's question, in each run anew.
func bench(t *testing.T, say func(question string) string) *eval.Bench {
	t.Helper()
	b, err := eval.NewBench(eval.Deps{}, &eval.BenchOptions{Label: "none"})
	if err != nil {
		t.Fatal(err)
	}
	text := graph.LastValue("text", func(w *word) *string { return &w.Text })
	err = eval.Register(b, "parrot", func(_ context.Context, c eval.Case, _ *memory.Corpus) (eval.Job[word], error) {
		return eval.Job[word]{
			Graph: func() (*graph.Compiled[word], error) {
				said := say(c.Question)
				g := graph.NewStateGraph[word](text)
				g.AddNode("say", func(context.Context, word) (graph.Update[word], error) {
					return graph.Update[word]{text.Set(said)}, nil
				})
				g.AddEdge(graph.Start, "say")
				return g.Compile(nil)
			},
			Input:  graph.Update[word]{text.Set("")},
			Result: eval.TextOf(func(w word) string { return w.Text }),
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func repeated(question string) string { return "Polly says " + question }

// folder has a case that is a file, with notes, and one that is a folder, with a README.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"greeting.case.yaml": "pipeline: parrot\nquestion: hello\nnotes: |\n  A greeting is\n  repeated.\nwant: {contains: [hello]}\n",
		"question/case.yaml": "pipeline: parrot\nquestion: who?\nnotes: not this\nwant: {contains: [who], status: answered}\n",
		"question/README.md": "# Question\n\nA question is\nrepeated, too.\n\nMore.\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	evaltest.Run(t, bench(t, repeated), dir, &evaltest.Options{Update: true})
	return dir
}

func TestRun(t *testing.T) {
	dir := folder(t)
	for file, begin := range map[string]string{"greeting.golden.jsonl": "# A greeting is\n# repeated.\n{", "question/golden.jsonl": "# A question is\n# repeated, too.\n{"} {
		if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))); err != nil || !strings.HasPrefix(string(data), begin) {
			t.Errorf("%s: %v\n%s", file, err, data)
		}
	}
	var seen []string
	evaltest.Run(t, bench(t, repeated), dir, &evaltest.Options{Each: func(_ *testing.T, c eval.Case, got eval.Run) {
		seen = append(seen, c.Name+": "+got.Answer.Answer)
	}})
	if got := strings.Join(seen, "; "); got != "greeting: Polly says hello; question: Polly says who?" {
		t.Error(got)
	}
	seen = nil
	evaltest.Run(t, bench(t, repeated), dir, &evaltest.Options{Filter: "greet", Each: func(_ *testing.T, c eval.Case, _ eval.Run) { seen = append(seen, c.Name) }})
	if strings.Join(seen, " ") != "greeting" {
		t.Error(seen)
	}
}

// Environment of the test that is run as a program of its own: what is wrong, and where the
// cases are.
const wrong, where = "EVALTEST_WRONG", "EVALTEST_WHERE"

// TestInside is run by TestRunTurnsRed, in a process of its own.
func TestInside(t *testing.T) {
	says := map[string]func(string) string{
		"nothing": repeated, "golden": repeated, "pipeline": repeated,
		"trace":  func(q string) string { return repeated(q) + "!" },
		"answer": func(string) string { return "Polly says nothing" },
	}
	var runs atomic.Int32
	says["chance"] = func(q string) string {
		return strings.TrimSuffix(repeated(q)+strings.Repeat("!", int(runs.Add(1))), "!")
	}
	if say := says[os.Getenv(wrong)]; say != nil {
		evaltest.Run(t, bench(t, say), os.Getenv(where), &evaltest.Options{Filter: "greeting"})
	}
}

// What is wrong with a run turns its test red, and the test says what it is.
func TestRunTurnsRed(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"nothing":  nil,
		"answer":   {`the answer does not hold "hello"`, "the trace is not the golden one"},
		"trace":    {"the trace is not the golden one", `node_update of node "say" in step 1`, `was: "Polly says hello"`, `is:  "Polly says hello!"`},
		"chance":   {"a second run gives another trace", `is:  "Polly says hello!"`},
		"golden":   {"reading the golden trace", "Options.Update writes it"},
		"pipeline": {`pipeline is "parot"; known are parrot`},
	} {
		dir := folder(t)
		switch name {
		case "golden":
			if err := os.Remove(filepath.Join(dir, "greeting.golden.jsonl")); err != nil {
				t.Fatal(err)
			}
		case "pipeline":
			if err := os.WriteFile(filepath.Join(dir, "greeting.case.yaml"), []byte("pipeline: parot\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		inside := exec.CommandContext(t.Context(), program, "-test.run=^TestInside$", "-test.v")
		inside.Env = append(os.Environ(), wrong+"="+name, where+"="+dir)
		out, err := inside.CombinedOutput()
		if (err == nil) != (want == nil) || !strings.Contains(string(out), "TestInside/greeting") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, text := range want {
			if !strings.Contains(string(out), text) {
				t.Errorf("%s: no %q in\n%s", name, text, out)
			}
		}
	}
}
