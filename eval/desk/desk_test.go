package desk

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/state"
)

var update = flag.Bool("update", false, "rewrite the baselines of the papers in case_studies/desk; read the diff before it is committed")

// Both halves of the papers are answered as well as their baselines say. The larger one, which takes
// minutes, is left out by default.
func TestPapers(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	for _, half := range []string{"dev", "held"} {
		t.Run(half, func(t *testing.T) {
			if half == "dev" && !*update && os.Getenv("ASSAY_TEST_ALL") == "" {
				t.Skip("ASSAY_TEST_ALL is not set: it makes this test read the larger half of the papers, too")
			}
			dir := filepath.Join("..", "..", "case_studies", "desk", half)
			papers, err := Read(t.Context(), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Evaluate(t.Context(), papers, Options{Jobs: 2}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range got.Skipped {
				t.Errorf("%s is skipped: %s", s.Path, s.Reason)
			}
			for _, m := range got.Metrics {
				t.Logf("%-12s %.4f of %d", m.Name, m.Value, got.N[m.Name])
			}
			file := filepath.Join(dir, "baseline.json")
			if *update {
				data, err := got.Baseline().Encode()
				if err == nil {
					err = os.WriteFile(file, data, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			was, err := ReadBaseline(file)
			if err != nil {
				t.Fatal(err)
			}
			worse, err := was.Worse(got)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range worse {
				t.Error(w)
			}
		})
	}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// small is a folder of which each item is right or wrong for a reason.
var small = map[string]string{
	"documents/jetty.md": "# Jetty rules\n\nThe jetty closes at nine in the evening. Boats must pay five crowns a night. A lantern left on the jetty belongs to the harbour.\n",
	"questions.jsonl": `{"id": "right", "verb": "ask", "kind": "plain", "question": "When does the jetty close?", "answerable": true, "gold": ["nine in the evening"]}
{"id": "forbidden", "verb": "ask", "kind": "plain", "question": "When does the jetty close?", "answerable": true, "gold": ["nine"], "not": ["evening"]}
{"id": "absent", "verb": "ask", "kind": "absent", "question": "Who composed the opera Aida?", "answerable": false}
{"id": "rule", "verb": "comply", "kind": "comply", "question": "What must boats pay?", "answerable": true, "gold": ["five crowns"]}
`,
	"claims.jsonl": `{"claim": "The jetty closes at nine in the evening.", "supported": true}
{"claim": "Boats must pay eight crowns a night.", "supported": false}
`,
	"forms/bill.txt":             "Invoice number: 4711\nTotal: 12.50 EUR\n",
	"forms/bill.txt.schema.json": `{"type": "object", "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}, "buyer": {"type": "string"}}}`,
	"forms/bill.txt.gold.json":   `{"invoice_number": "4711", "total": 12.5, "buyer": "Ann"}`,
	"card.txt":                   "Invoice number: 4712\n",
	"card.txt.schema.json":       `{"type": "object", "properties": {"invoice_number": {"type": "string"}}}`,
	"card.txt.gold.json":         `{"invoice_number": "4712"}`,
}

func TestEvaluate(t *testing.T) {
	papers, err := Read(t.Context(), folder(t, small), nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Evaluate(t.Context(), papers, Options{Jobs: 3, Words: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	right := map[string]bool{}
	for _, i := range e.Items {
		right[i.ID] = i.Right
	}
	if want := map[string]bool{"right": true, "forbidden": false, "absent": true, "rule": true, "line 1": true, "line 2": true, "bill.txt": false, "card.txt": true}; !maps.Equal(right, want) {
		t.Errorf("right are %v, want %v", right, want)
	}
	got := map[string]float64{}
	for _, m := range e.Metrics {
		got[m.Name] = m.Value
	}
	for name, want := range map[string]float64{"first": .5, "answer": .5, "refused": 1, "comply_first": 1, "claims_true": 1, "claims_false": 1, "precision": 1, "recall": .75, "F1": 6. / 7} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if want := map[string]int{"first": 2, "answer": 2, noise: 3, "refused": 1, "comply_first": 1, "claims_true": 1, "claims_false": 1, "precision": 4, "recall": 4, "F1": 4}; !maps.Equal(e.N, want) {
		t.Errorf("n is %v, want %v", e.N, want)
	}
	if want := []Row{{"absent", 1, 1, 0}, {"comply", 1, 1, 1}, {"plain", 2, 1, 1}}; !slices.Equal(e.Rows, want) {
		t.Errorf("rows are %v, want %v", e.Rows, want)
	}

	b := e.Baseline()
	if worse, err := b.Worse(e); err != nil || len(worse) > 0 {
		t.Errorf("worse than itself: %v, %v", worse, err)
	}
	b.Metrics["F1"], b.Metrics["recall"] = Level{.9, 4, .04}, Level{.78, 4, .05}
	b.Metrics[noise] = Level{got[noise] - .1, 3, .05}
	if worse, err := b.Worse(e); err != nil || len(worse) != 2 || worse[0] != "F1 is 0.8571: worse than the baseline, 0.9000, by more than 0.0400" || !strings.HasPrefix(worse[1], "noise is ") {
		t.Errorf("%q, %v", worse, err)
	}
	b.Metrics["first"] = Level{.5, 9, 0}
	if _, err := b.Worse(e); err == nil || !strings.Contains(err.Error(), "first is of 9 items, and there are 2") {
		t.Error(err)
	}
}

// Quotes are judged in their order; an answer that was not given holds none.
func TestJudge(t *testing.T) {
	q := Question{Verb: Ask, Answerable: true, Gold: []string{"£6"}, Not: []string{"£7"}}
	for _, c := range []struct {
		status        state.Status
		quotes        []string
		right, answer bool
		noise         int
	}{
		{state.StatusAnswered, []string{"It is £6.", "Or not."}, true, true, 1},
		{state.StatusAnswered, []string{"Or not.", "It is £6."}, false, true, 1},
		{state.StatusAnswered, []string{"£6 or £7", "£60"}, false, false, 1},
		{state.StatusUngrounded, []string{"It is £6."}, false, false, 0},
		{state.StatusAnswered, nil, false, false, 0},
	} {
		i := Item{Status: c.status, Pred: c.quotes}
		if i.judge(q); i.Right != c.right || i.Answer != c.answer || i.Noise != c.noise {
			t.Errorf("%+v: right %t, answer %t, noise %d", c, i.Right, i.Answer, i.Noise)
		}
	}
	for status, want := range map[state.Status]bool{state.StatusNoEvidence: true, state.StatusUngrounded: true, state.StatusAnswered: false, state.StatusFailed: false} {
		i := Item{Status: status}
		if i.judge(Question{}); i.Right != want {
			t.Errorf("a question without an answer that is %s counts as right: %t", status, i.Right)
		}
	}
}

func TestValues(t *testing.T) {
	got, err := valuesOf([]byte(`{"b": null, "name": "Dr. Ann O'Neil", "x": [{"n": 12.50}, {"n": 1234567.25}], "ok": true, "t": "Dr X"}`))
	if want := []string{".name=annoneil", ".ok=true", ".t=drx", ".x[].n=12.5", ".x[].n=1234567.25"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"note.txt", "", "has no papers"},
		{"questions.jsonl", `{"question": "Why?", "verb": "tell"}`, "questions.jsonl:1: field \"verb\""},
		{"questions.jsonl", `{"question": "Why?", "answerable": true}`, "questions.jsonl:1: field \"gold\""},
		{"questions.jsonl", `{"question": " ", "answerable": false}`, "questions.jsonl:1: field \"question\""},
		{"questions.jsonl", `{"question": "Why?", "answerable": false}`, "no folder documents"},
		{"claims.jsonl", `{"claim": "So."}`, "claims.jsonl:1: field \"supported\""},
		{"a.txt.gold.json", `{`, "a.txt.gold.json"},
		{"a.txt.gold.json", `{}`, "a.txt.schema.json"},
	} {
		if _, err := Read(t.Context(), folder(t, map[string]string{c.name: c.text}), nil); err == nil || !strings.Contains(filepath.ToSlash(err.Error()), c.want) {
			t.Errorf("%s %s: %v; want %s", c.name, c.text, err, c.want)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "none"), nil); err == nil || !strings.Contains(err.Error(), "has no papers") {
		t.Error(err)
	}
	if _, err := ReadBaseline(filepath.Join(folder(t, map[string]string{"b.json": `{"schema": 1, "task": "mcq"}`}), "b.json")); err == nil || !strings.Contains(err.Error(), "not one of papers") {
		t.Error(err)
	}
}
