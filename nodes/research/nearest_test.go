package research_test

import (
	"strings"
	"testing"

	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// A refusal shows the passage that comes nearest, and why it does not answer.
func TestRefusalShowsTheNearest(t *testing.T) {
	hit := func(s string) state.Hit {
		return state.Hit{Passage: state.Passage{ID: s[:4], Doc: "bees.md", Title: "Bees", Section: "Winter", Text: s, Start: 10, End: 10 + len(s), Source: "bees.md"}}
	}
	for _, c := range []struct{ question, passage, line, why string }{
		{"How many frames does a walnut hive need?", "A hive is fed in October. It rests on two frames in winter.", "two frames", `no passage that was found mentions “walnut”`},
		{"How many frames does a hive need in winter?", "A hive needs frames. They are cleaned before winter comes.", "needs frames", "no sentence that was found surely says what was asked"},
		{"Are hives fed in winter?", "Hives are fed in winter.", "fed in winter", "no sentence that was found surely says what was asked"},
	} {
		final := state.Agent{Objective: c.question, Plan: []state.Step{
			{ID: 1, Question: c.question, Status: state.StepFailed, Confidence: .4, Hits: []state.Hit{hit(c.passage)}},
			{ID: 2, Question: "anything", Status: state.StepFailed, Confidence: .2, Hits: []state.Hit{hit("Wasps do not store honey.")}},
		}}
		a := research.Result(final, nil, texts{})
		if a.Status != state.StatusNoEvidence || a.Nearest == nil {
			t.Fatalf("%q: %s, nearest %+v", c.question, a.Status, a.Nearest)
		}
		n := a.Nearest
		if n.Where != "Bees, Winter" || n.Start != 10 || !strings.Contains(n.Line, c.line) || !strings.Contains(n.Why, c.why) {
			t.Errorf("%q: nearest %+v", c.question, n)
		}
		if !strings.Contains(a.Answer, n.Line) || !strings.Contains(strings.ToLower(a.Answer), n.Why) {
			t.Errorf("%q: the text does not show it:\n%s", c.question, a.Answer)
		}
	}
	none := research.Result(state.Agent{Objective: "Who?", Plan: []state.Step{{ID: 1, Question: "Who?", Status: state.StepFailed}}}, nil, texts{})
	if none.Nearest != nil || strings.Contains(none.Answer, "Nearest") {
		t.Errorf("without a passage: %+v", none)
	}
}

// Where the model that writes follows no orders, a passage that gives some is warned
// of only when the answer cites it, or has nothing to cite.
func TestWarnOfCited(t *testing.T) {
	order := func(text string) []state.Order {
		if strings.HasPrefix(text, "Rule 0") || strings.HasPrefix(text, "Rule 3") {
			return []state.Order{{Start: 0, End: 4, Kind: "override"}}
		}
		return nil
	}
	for _, c := range []struct {
		cited bool
		shelf *shelf
		want  int
	}{{false, &shelf{}, 2}, {true, &shelf{}, 1}, {true, &shelf{confidences: []float64{.1}}, 1}} {
		m := script(simple)
		final := mustRun(t, research.Deps{Model: m, Corpus: c.shelf, Inspect: order}, &research.Options{WarnOfCited: c.cited}, "Which rule binds an owner?")
		n := 0
		for _, w := range final.Warnings {
			if strings.Contains(w, "speaks to an assistant") {
				n++
			}
		}
		if n != c.want {
			t.Errorf("only cited %v, confidence %v: %d warnings; want %d: %q", c.cited, c.shelf.confidences, n, c.want, final.Warnings)
		}
	}
}

type vocabulary struct{ texts }

func (vocabulary) Mentions(word string) bool { return word == "hive" }

// A refusal names the words that no document has.
func TestRefusalNamesWhatNothingMentions(t *testing.T) {
	refused := func(hits []state.Hit) string {
		return research.Result(state.Agent{Objective: "Which wax does a hive have?", Answer: "Your documents do not answer this.", Plan: []state.Step{{ID: 1, Question: "Which wax does a hive have?", Status: state.StepFailed, Hits: hits}}}, nil, vocabulary{}).Answer
	}
	const says = "Your documents do not answer this. Nothing in them mentions “wax”."
	if got := refused(nil); got != says {
		t.Error(got)
	}
	hit := state.Hit{Passage: state.Passage{ID: "1", Doc: "bees.md", Title: "Bees", Text: "It is fed in October.", End: 21, Source: "bees.md"}}
	if got := refused([]state.Hit{hit}); got != says+" Nearest: Bees: “It is fed in October.”" {
		t.Error(got)
	}
}
