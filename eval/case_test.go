package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

func TestLoadCase(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"good", "pipeline: research\ncorpus: docs\nquestion: Who?\nwant: {status: answered, steps: 2}\n", ""},
		{"unknown key", "pipeline: research\ncorpus: docs\nquestion: Who?\nwants: {}\n", `case.yaml:4: unknown key "wants"; known keys: pipeline, notes, corpus, question, filter,`},
		{"unknown expectation", "pipeline: research\nwant:\n  stats: answered\n", `case.yaml:3: unknown key "want.stats"; known keys: want.status, want.grounding, want.choice,`},
		{"twice", "corpus: a\ncorpus: b\n", `case.yaml:2: key "corpus" is already set in line 1`},
		{"no number", "want:\n  steps: two\n", "case.yaml:2: want.steps must be a whole number"},
		{"no list", "want: {path: {a: b}}\n", "case.yaml:1: want.path must be a list of texts"},
		{"no boolean", "skip_injection_check: perhaps\n", "case.yaml:1: skip_injection_check must be true or false"},
		{"no text", "question: [a]\n", "case.yaml:1: question must be a text"},
		{"no exit code", "want: {exit_code: [1]}\n", "case.yaml:1: want.exit_code must be a whole number"},
		{"no time", "want: {max_latency: 5}\n", `case.yaml:1: want.max_latency is "5": it must be a time`},
		{"no cost", "want: {max_cost: free}\n", "case.yaml:1: want.max_cost must be a number"},
		{"negative cost", "pipeline: research\ncorpus: d\nquestion: q\nwant: {max_cost: -1}\n", "want.max_cost must be 0 or more"},
		{"negative count", "pipeline: research\ncorpus: d\nquestion: q\nwant: {max_calls: -1}\n", "below 0"},
		{"large exit code", "pipeline: research\ncorpus: d\nquestion: q\nwant: {exit_code: 256}\n", "0 to 255"},
		{"unknown status", "pipeline: research\ncorpus: d\nquestion: q\nwant: {status: fine}\n", `want.status is "fine"; known are ["answered" `},
		{"expectations are a text", "want: all\n", "case.yaml:1: want needs lines of"},
		{"no lines", "- a\n", "case.yaml:1: a case needs lines of"},
		{"two documents", "corpus: a\n---\ncorpus: b\n", "case.yaml:2: a second document"}, // where YAML counts it to begin
		{"no YAML", "corpus: [\n", "case.yaml"},
		{"no question", "pipeline: research\ncorpus: docs\n", "question is empty"},
		{"no corpus", "pipeline: research\nquestion: Who?\n", "corpus is empty"},
		{"a key of no registered graph", "pipeline: poetry\nschema: s\n", `schema does nothing in "poetry", which is none of research, comply, edges, extract, verify; it is for extract`},
		{"a setting of no registered graph", "pipeline: poetry\nsettings: {top_k: 3}\n", `settings.top_k does nothing in "poetry"`},
		{"an input of a pipeline", "pipeline: research\ncorpus: d\nquestion: q\ninput: {a: 1}\n", "input does nothing in research; it is for registered graphs"},
		{"an input that is no JSON", "pipeline: poetry\nquestion: q\ninput:\n  1: .nan\n", "case.yaml:4: input cannot be written as JSON"},
		{"an input in a circle", "pipeline: poetry\ninput: &x [*x]\n", "case.yaml:2: input cannot be written as JSON"},
		{"empty", "", "pipeline is empty; it is research, comply, edges, extract, verify, or the name of a registered graph"},
		{"a key of another pipeline", "pipeline: comply\ncorpus: d\nquestion: q\nschema: s\n", "schema does nothing in comply; it is for extract"},
		{"a setting of another pipeline", "pipeline: research\ncorpus: d\nquestion: q\nsettings: {top_k: 3}\n", "settings.top_k does nothing in research; it is for edges"},
		{"no edges", "pipeline: edges\ncorpus: d\n", "edges is empty: edges needs it"},
		{"no evidence", "pipeline: verify\nresponse: r.md\n", "there is no evidence"},
		{"no threshold", "pipeline: verify\nresponse: r.md\ncontext: [c.md]\nsettings: {verification_threshold: 2}\n", "settings.verification_threshold must be above 0 and up to 1"},
		{"unknown metric", "pipeline: research\ncorpus: d\nquestion: q\nwant: {metrics: {beauty: 1}}\n", "want.metrics.beauty is not known; known are answer_f1,"},
		{"no metric", "pipeline: research\ncorpus: d\nquestion: q\nwant: {metrics: {field_f1: high}}\n", "want.metrics must be lines of \"name: number\""},
		{"unknown verdict", "pipeline: verify\nresponse: r.md\ncontext: [c.md]\ngold: {claims: {x: true}}\n", `gold.claims: "x" is "true"; known are supported,`},
		{"unknown decision", "pipeline: edges\ncorpus: d\nedges: e.json\ngold: {edges: {e1: yes}}\n", `gold.edges: e1 is "yes"; known are grounded and rejected`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "case.yaml"), []byte(tc.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := eval.LoadCase(dir)
		if tc.want == "" {
			if err != nil || c.Name != filepath.Base(dir) || c.Want.Steps != 2 || c.CorpusDir() != filepath.Join(dir, "docs") {
				t.Errorf("%s: %+v, %v", tc.name, c, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "case.yaml") {
			t.Errorf("%s: error %v, want %q and the file in it", tc.name, err, tc.want)
		}
	}
	if _, err := eval.LoadCase(t.TempDir()); err == nil {
		t.Error("a folder without a case was loaded")
	}
}

func TestCheckNamesEveryMiss(t *testing.T) {
	run := eval.Run{
		Answer: state.Answer{
			End: state.End{Status: state.StatusNoEvidence}, Choice: "A", Answer: "text", Sources: []state.Source{{Doc: "a.md"}},
			Verification: state.Verification{QuotesChecked: 2, QuotesExact: 1},
			Metrics:      state.RunMetrics{Metrics: state.Metrics{StepsFailed: 1, ModelUsage: state.ModelUsage{Calls: 4}}},
		},
		Result: []byte(`{"n": 1}`), Grounding: evidence.GroundedLow, Scores: map[string]float64{eval.MetricFieldF1: .5},
		Path: []string{"classify", "plan"}, Steps: 1,
	}
	want := eval.Want{
		Grounding: evidence.GroundedHigh, JSONContains: []string{"beads"}, NoUnsupportedClaim: true,
		Metrics: map[string]float64{eval.MetricFieldF1: .6, eval.MetricEdgeAccuracy: .1}, Status: state.StatusAnswered, Choice: "B", Steps: 2, Failed: 2, Calls: 5, Path: []string{"plan"}, Cites: []string{"b.md"}, Contains: []string{"other"},
	}
	misses := strings.Join(run.Check(want), "\n")
	for _, part := range []string{"status", "choice", "number of steps", "failed steps", "model calls", "path", "b.md", `"other"`, "1 of 2 quotes", "grounding", "beads", "claims were not checked", "field_f1 is 0.5, expected at least 0.6", "edge_accuracy was not measured"} {
		if !strings.Contains(misses, part) {
			t.Errorf("no miss about %s:\n%s", part, misses)
		}
	}
	run.Answer.Verification.QuotesExact = 2
	fits := eval.Want{Status: state.StatusNoEvidence, Choice: "A", Steps: 1, Failed: 1, Calls: 4, Path: run.Path, Cites: []string{"a.md"}, Contains: []string{"ex"}}
	if misses := run.Check(fits); misses != nil {
		t.Errorf("misses of a run that fits: %v", misses)
	}
	if misses := run.Check(eval.Want{}); misses != nil {
		t.Errorf("misses of no expectation: %v", misses)
	}
}
