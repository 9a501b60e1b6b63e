package answers

import (
	"context"
	"errors"
	"example.com/assay/eval/metrics"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/state"
)

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFirstQuoteEndsWhereItsSpanEnds(t *testing.T) {
	a := state.Answer{
		Answer:  "Rule: “It is called “soft” there.” and “more”.\n\nSources\n- x",
		Sources: []state.Source{{Quotes: []state.QuoteSpan{{Text: "It is"}, {Text: "It is  called “soft” there."}}}},
	}
	if got := firstQuote(a); got != "It is  called “soft” there." {
		t.Errorf("with spans: %q", got)
	}
	a.Sources = nil
	if got := firstQuote(a); got != "It is called “soft" {
		t.Errorf("without spans: %q", got)
	}
	if got := firstQuote(state.Answer{Answer: "none\n## Sources\n“of the list”"}); got != "" {
		t.Errorf("the list of sources: %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"id":"a"}`, `field "question"`},
		{`{"id":"a","question":"Why?","answerable":true}`, `field "gold"`},
		{`{"id":"a","question":"Why?","answerable":false,"gold":["x"]}`, `field "gold"`},
		{`{"id":"a","question":"Why?","gold2":["x"]}`, `field "gold2"`},
		{`{"id":"a","question":"Why?","gold":[" "]}`, "nothing to compare"},
		{"{\"id\":\"a\",\"question\":\"Why?\"}\n{\"id\":\"a\",\"question\":\"How?\"}", `:2: field "id"`},
		{`{"question":"Why?"}`, `field "id"`},
	} {
		if _, err := Read(t.Context(), written(t, c.text), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// A book answers from a table.
type book map[string]struct {
	answer state.Answer
	found  []state.Passage
	err    error
}

func (b book) Ask(_ context.Context, q Question) (state.Answer, error) {
	return b[q.ID].answer, b[q.ID].err
}

func (b book) Search(_ context.Context, q Question, k int) ([]state.Passage, error) {
	return b[q.ID].found[:min(k, len(b[q.ID].found))], nil
}

const asked = `{"id":"a","corpus":"tea","type":"numeric","question":"How long?","gold":["three minutes"],"half":"seen"}
{"id":"b","corpus":"tea","type":"twohop","question":"Which pot, and how hot?","gold":["iron pot"],"gold2":["90 degrees"],"half":"held"}
{"id":"c","corpus":"rye","type":"numeric","question":"How dark?","gold":["brown"],"half":"seen"}
{"id":"d","corpus":"rye","type":"un-domain","question":"How dear?","answerable":false,"half":"seen"}
{"id":"e","type":"un-domain","question":"How far?","answerable":false,"half":"held"}
`

func tellBook() book {
	end := func(s state.Status) state.End { return state.End{Status: s} }
	passage := func(texts ...string) (out []state.Passage) {
		for _, text := range texts {
			out = append(out, state.Passage{Text: text})
		}
		return out
	}
	b := book{}
	add := func(id string, a state.Answer, found ...string) {
		row := b[id]
		row.answer, row.found = a, passage(found...)
		b[id] = row
	}
	add("a", state.Answer{End: end(state.StatusAnswered), Confidence: .9, Answer: "“Wait three minutes.”\n\n## Sources\n1", Sources: []state.Source{{Text: "Wait three minutes."}}}, "Wait three minutes.")
	add("b", state.Answer{End: end(state.StatusAnswered), Confidence: .4, Answer: "“Lids.” “An iron pot.”\nSources\n90 degrees"}, "x", "Iron pot")
	add("c", state.Answer{End: end(state.StatusNoEvidence), Answer: "Nothing."}, "x")
	add("d", state.Answer{End: end(state.StatusUngrounded), Answer: "“Dear.”"})
	add("e", state.Answer{End: end(state.StatusAnswered), Confidence: .6, Answer: "“Far.”"})
	return b
}

func TestEvaluate(t *testing.T) {
	d, err := Read(t.Context(), written(t, asked), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Evaluate(t.Context(), d, tellBook(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Counted by hand: a, b and c have an answer, d and e have none; a, b and e were
	// answered, and of these only a rightly.
	want := map[string]float64{
		"answered": 2. / 3, "first": 1. / 3, "answer": 1. / 3, "source": 1. / 3, "R@1": 1. / 3, "R@5": 2. / 3, "R@10": 2. / 3,
		"refused": 1. / 2, "AUC": 1, "ECE": (.1 + .4 + .6) / 3, "chars": (21. + 22 + 6) / 3,
	}
	if len(got.Metrics) != len(want) {
		t.Errorf("%d metrics, want %d", len(got.Metrics), len(want))
	}
	for _, m := range got.Metrics {
		if math.Abs(m.Value-want[m.Name]) > 1e-9 || m.Lo > m.Value || m.Hi < m.Value {
			t.Errorf("%s is %v [%v, %v], want %v", m.Name, m.Value, m.Lo, m.Hi, want[m.Name])
		}
	}
	var names []string
	for _, r := range got.Rows {
		names = append(names, fmt.Sprintf("%s %s %d", r.By, r.Name, r.N))
	}
	if s := strings.Join(names, ", "); s != "corpus rye 2, corpus tea 2, type numeric 2, type twohop 1, type un-domain 2" {
		t.Errorf("rows: %s", s)
	}
	if strings.Join(d.Halves(), " ") != "held seen" {
		t.Errorf("halves are %v", d.Halves())
	}
}

func TestEvaluateStops(t *testing.T) {
	d, err := Read(t.Context(), written(t, asked), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := tellBook()
	row := b["c"]
	row.err = errors.New("the line is dead")
	b["c"] = row
	if _, err := Evaluate(t.Context(), d, b, nil); err == nil || err.Error() != `evaluating question "c": the line is dead` {
		t.Errorf("a failing asker: %v", err)
	}
	row.err, row.answer = nil, state.Answer{End: state.End{Status: state.StatusUnavailable, Error: "no key"}}
	b["c"] = row
	if _, err := Evaluate(t.Context(), d, b, nil); err == nil || !strings.Contains(err.Error(), "unavailable: no key") {
		t.Errorf("an answer that could not be looked for: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := Evaluate(ctx, d, b, nil); !errors.Is(err, gone) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Evaluate(t.Context(), &Dataset{}, b, nil); err == nil {
		t.Error("no questions are no error")
	}
}

// TestManualQuestions holds what the project's own questions must keep: even halves,
// and gold that is short and not said by the question itself.
func TestManualQuestions(t *testing.T) {
	d, err := Read(t.Context(), "../testdata/manual_questions.jsonl", nil)
	if err != nil {
		t.Fatal(err)
	}
	n, texts := map[string]int{}, map[string]bool{}
	for _, q := range d.Questions {
		n[fmt.Sprintf("%s %s %v", q.Corpus, q.Half, q.Answerable)]++
		if texts[q.Corpus+q.Question] {
			t.Errorf("%s is asked twice: %s", q.ID, q.Question)
		}
		texts[q.Corpus+q.Question] = true
		for _, g := range append(q.Gold, q.Gold2...) {
			if len(g) > 60 || metrics.Holds(q.Question, []string{g}) {
				t.Errorf("%s: gold %q is long, or in the question", q.ID, g)
			}
		}
		if q.Answerable != (q.File != "") || q.Answerable == strings.HasPrefix(q.Type, "un-") || len(q.Gold) > 4 {
			t.Errorf("%s: the file, the type or the gold does not fit", q.ID)
		}
	}
	for _, corpus := range []string{"sqlite", "git", "python", "apache"} {
		for _, half := range []string{"seen", "held"} {
			if a, u := n[corpus+" "+half+" true"], n[corpus+" "+half+" false"]; a != 20 || u != 5 {
				t.Errorf("%s, %s: %d questions with an answer, %d without", corpus, half, a, u)
			}
		}
	}
}
