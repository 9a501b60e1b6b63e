package casestudies_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
)

// TestWhatTurnsRed changes one skill, one threshold or one route, and looks which
// golden traces are no longer those of the run: those that it should, and no other.
func TestWhatTurnsRed(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	cases, err := eval.FindCases(".", "")
	if err != nil {
		t.Fatal(err)
	}
	corpora := eval.NewCorpora(t.TempDir(), &eval.CorporaOptions{Open: memory.OpenOptions{Inspect: injection.Orders}})
	t.Cleanup(func() {
		if err := corpora.Close(); err != nil {
			t.Error(err)
		}
	})
	of := func(pipelines ...string) (names []string) {
		for _, c := range cases {
			if slices.Contains(pipelines, c.Pipeline) {
				names = append(names, c.Name)
			}
		}
		return names
	}
	for _, test := range []struct {
		name  string
		skill string // changed
		opts  eval.BenchOptions
		red   []string // nil: those whose golden trace has a call of the skill
	}{
		{name: "nothing", red: []string{}},
		{name: "a skill of every research run", skill: skills.ClassifyAndRoute},
		{name: "a skill of choices", skill: skills.SelectChoice},
		{name: "a skill of claims", skill: skills.JudgeClaim},
		{name: "a skill of edges", skill: skills.DevilsAdvocate},
		{name: "a skill of requirements", skill: skills.ComposeAnswer},
		{name: "a skill that no case asks", skill: skills.RefineExtraction, red: []string{}},
		{name: "the threshold of a research step", opts: eval.BenchOptions{Research: research.Options{ConfidenceThreshold: 1}}, red: answered(t, of(eval.Research))},
		{name: "the threshold of edges", opts: eval.BenchOptions{Edges: causal.Options{Threshold: .99}}, red: of(eval.Edges)},
		{name: "what becomes of claims without support", opts: eval.BenchOptions{Verify: verify.Options{Treatment: verify.StrikeUnsupported}}, red: of(eval.Verify)},
		{name: "the thresholds of fields", opts: eval.BenchOptions{Extract: extract.Options{Thresholds: extract.Thresholds{Confidence: 1}}}, red: of(eval.Extract)},
		{name: "a route around the check of the question", opts: eval.BenchOptions{Research: research.Options{SkipInjectionCheck: true}}, red: of(eval.Research)},
		{name: "a route around the adversarial pass", opts: eval.BenchOptions{Edges: causal.Options{SkipAdversarial: true}}, red: of(eval.Edges)},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.red
			if want == nil {
				want = asking(t, cases, test.skill)
				if len(want) == 0 || len(want) == len(cases) {
					t.Fatalf("the skill %s tells nothing apart: %q", test.skill, want)
				}
			}
			set, err := skills.Load(&skills.LoadOptions{Overlay: changed(t, test.skill)})
			if err != nil {
				t.Fatal(err)
			}
			bench, err := eval.NewBench(eval.Deps{Model: offline.New(nil), Skills: set, Corpora: corpora, Inspect: injection.Orders}, &test.opts)
			if err != nil {
				t.Fatal(err)
			}
			red := []string{}
			for _, c := range cases {
				ready, err := bench.Prepare(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				got, err := ready.Run(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				golden, err := c.ReadGolden()
				if err != nil {
					t.Fatal(err)
				}
				if _, differ := trace.First(golden, trace.Normalise(got.Trace)); differ {
					red = append(red, c.Name)
				}
			}
			if !slices.Equal(red, want) {
				t.Errorf("red are %q, and should be %q", red, want)
			}
		})
	}
}

// asking are the cases whose golden trace has a call of a skill.
func asking(t *testing.T, cases []eval.Case, skill string) (names []string) {
	t.Helper()
	for _, c := range cases {
		if strings.Contains(read(t, c.Golden()), `"kind":"model_call"`) && strings.Contains(read(t, c.Golden()), `"data":{"skill":"`+skill+`"`) {
			names = append(names, c.Name)
		}
	}
	return names
}

// answered are those of the cases that a step of the plan answers.
func answered(t *testing.T, names []string) (out []string) {
	t.Helper()
	for _, name := range names {
		if strings.Contains(read(t, filepath.Join(name, "golden.jsonl")), `"citations":[{`) {
			out = append(out, name)
		}
	}
	return out
}

// changed is a directory with a skill to which a line was added; empty without one.
func changed(t *testing.T, skill string) string {
	t.Helper()
	if skill == "" {
		return ""
	}
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join("..", "skills", skill+".md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, skill+".md"), string(data)+"\nTake your time.\n")
	return dir
}
