package mcq

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/skills"
)

const (
	passages = `{"id":"p1","text":"A lantern left on a jetty overnight belongs to the harbour."}
{"id":"p2","text":"Whoever moors a ketch without a permit pays a fee of nine crowns."}
`
	questions = `{"id":"q1","prompt":"Ann left a lantern.","question":"Who owns it?","choices":{"A":"Ann, because she bought it.","B":"The harbour, because it was left on the jetty overnight."},"answer":"B","gold_passage_ids":["p1"]}
{"id":"q2","prompt":"","question":"What does a ketch without a permit cost?","choices":{"A":"A fee of nine crowns.","B":"Nothing."},"answer":"A","gold_passage_ids":["p2"]}
`
)

func files(t *testing.T, corpus, asked string) Files {
	t.Helper()
	f := Files{filepath.Join(t.TempDir(), "corpus.jsonl"), filepath.Join(t.TempDir(), "questions.jsonl")}
	for path, text := range map[string]string{f.Corpus: corpus, f.Questions: asked} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestModes(t *testing.T) {
	d, err := Read(t.Context(), files(t, passages, questions), nil)
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := newRanker(t.Context(), filepath.Join(t.TempDir(), "index"), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ranker.Close(); err != nil {
			t.Error(err)
		}
	}()
	for mode, want := range map[Mode]struct{ accuracy, found float64 }{Gold: {1, 1}, Retrieval: {1, 1}, Closed: {.5, 0}} {
		got, err := Evaluate(t.Context(), d, NewOffline(), &Options{Mode: mode, Ranker: ranker, Passages: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got.Metrics {
			if w, ok := map[string]float64{"accuracy": want.accuracy, "gold_found": want.found}[m.Name]; ok && math.Abs(m.Value-w) > 1e-9 {
				t.Errorf("%s: %s %v, want %v", mode, m.Name, m.Value, w)
			}
		}
		if mode == Closed && (got.Outcomes[0].Letter != "" || got.Outcomes[0].P[0] != .5) {
			t.Errorf("without a passage it says %+v", got.Outcomes[0].Choice)
		}
	}
	if _, err := Evaluate(t.Context(), d, NewOffline(), &Options{Mode: Retrieval}); err == nil || !strings.Contains(err.Error(), "give one") {
		t.Errorf("no ranker: %v", err)
	}
	if _, err := Evaluate(t.Context(), d, NewOffline(), &Options{Mode: "open"}); err == nil || !strings.Contains(err.Error(), "known: [gold retrieval closed]") {
		t.Errorf("unknown mode: %v", err)
	}
}

// scripted answers A with a probability that is 1 less a tenth per call.
type scripted struct{ calls int }

func (s *scripted) Choose(context.Context, skills.SelectInput) (Choice, error) {
	p := 1 - float64(s.calls)/10
	s.calls++
	letter := ""
	if p > .85 {
		letter = "A"
	}
	return Choice{letter, []float64{p, 1 - p}}, nil
}

// The figures, by hand: of four questions the first two are right, and three are
// below the certainty from which this chooser answers.
func TestMeasure(t *testing.T) {
	var asked strings.Builder
	for i, answer := range []string{"A", "A", "B", "B"} {
		asked.WriteString(`{"id":` + string(rune('1'+i)) + `,"question":"Which?","choices":{"A":"One.","B":"Two."},"answer":"` + answer + `","gold_passage_ids":["p1"]}` + "\n")
	}
	d, err := Read(t.Context(), files(t, passages, asked.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Evaluate(t.Context(), d, &scripted{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name  string
		value float64
	}{{"accuracy", .5}, {"ECE", (.1 + .8 + .7) / 4}, {"answered", .5}, {"right_of_answered", 1}, {"right_answers", .5}, {"right_of_surest_half", 1}, {"gold_found", 1}} {
		if m := got.Metrics[i]; m.Name != want.name || math.Abs(m.Value-want.value) > 1e-9 {
			t.Errorf("%s %v, want %s %v", m.Name, m.Value, want.name, want.value)
		}
	}
	for _, p := range got.Curve {
		if want := map[float64]float64{1: .5, .75: 2. / 3, .5: 1}[p.Coverage]; want > 0 && math.Abs(p.Value-want) > 1e-9 {
			t.Errorf("coverage %v: %v of %d, want %v", p.Coverage, p.Value, p.N, want)
		}
	}
}

type wrong struct{ p []float64 }

func (w wrong) Choose(context.Context, skills.SelectInput) (Choice, error) {
	return Choice{"A", w.p}, nil
}

func TestWrongChooser(t *testing.T) {
	d, err := Read(t.Context(), files(t, passages, questions), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string][]float64{"1 probabilities for 2 choices": {1}, "not all from 0 to 1": {math.NaN(), 1}} {
		if _, err := Evaluate(t.Context(), d, wrong{p}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

func TestReadFaults(t *testing.T) {
	for want, asked := range map[string]string{
		`:1: field "answer": "C" is the letter`:               strings.Replace(questions, `"answer":"B"`, `"answer":"C"`, 1),
		`:2: field "choices": "1" is no letter`:               strings.Replace(questions, `"A":"A fee`, `"1":"A fee`, 1),
		`field "gold_passage_ids": the corpus has no passage`: strings.Replace(questions, `["p2"]`, `["p9"]`, 1),
		`field "id"`:          strings.Replace(questions, `"id":"q2"`, `"id":"q1"`, 1),
		`none of its queries`: "\n",
	} {
		if _, err := Read(t.Context(), files(t, passages, asked), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
