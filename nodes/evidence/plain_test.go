package evidence_test

import (
	"context"
	"strings"
	"testing"

	"example.com/assay/decide/obligation"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/evidence"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Rules that are stated plainly answer what they are about; where none is, the run says
// what was read.
func TestPlainRules(t *testing.T) {
	house := "# House rules\n\nThe laundry is open from 8 to 20. Bicycles stay in the cellar. Guests are never left alone in the boiler room.\n\n" +
		"Every tenant must clear the snow before seven. The house was built in 1931.\n"
	shelf := library(t, map[string]string{"house.md": house}, "house.md")
	for question, want := range map[string]string{
		"When is the laundry open?":                       "The laundry is open from 8 to 20.",
		"Must a guest be accompanied in the boiler room?": "Guests are never left alone in the boiler room.",
		"Who has to clear the snow?":                      "Every tenant must clear the snow before seven.",
		"What are the rules on smoking?":                  "",
		"How soon must a data breach be reported?":        "",
	} {
		a := ask(t, nil, shelf, question, nil)
		switch {
		case want == "" && (a.Result != evidence.ResultNoEvidence || !strings.Contains(a.Message, "1 passage of 1 document")):
			t.Errorf("%s: %s, %q, %+v", question, a.Result, a.Message, a.Verified)
		case want != "" && (len(a.Verified) != 1 || a.Verified[0].Quote != want):
			t.Errorf("%s: %+v", question, a.Verified)
		}
	}
	loaded, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := evidence.New(evidence.Deps{Model: offline.New(nil), Skills: loaded, Corpus: shelf}, nil)
	if err != nil {
		t.Fatal(err)
	}
	final, err := p.Run(context.Background(), evidence.Input{Question: "What must be done before seven, and when?", Filter: evidence.Filter{Explicit: true}}, nil)
	if err != nil || len(final.Requirements) != 1 || final.Requirements[0].Degree != obligation.Explicit || final.Requirements[0].Confidence != evidence.ExtractHigh {
		t.Errorf("explicit alone: %+v, %v", final.Requirements, err)
	}
}

// What a quote leaves out is marked.
func TestSpokenMarksGaps(t *testing.T) {
	r := evidence.Requirement{Quote: "(c) ring the bell", Start: 90, End: 107, Cut: true, Whole: true, Stems: []state.Quote{{Text: "A keeper must:", Start: 0, End: 14}}}
	if got, want := r.Spoken(), "A keeper must: … (c) ring the bell …"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// meant is a shelf whose passages an encoder has read: one stretch is near every question.
type meant struct {
	*shelf
	near string
}

func (m meant) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	r, err := m.shelf.Search(ctx, q)
	for i := range r.Hits {
		h := &r.Hits[i]
		for _, stretch := range answer.Readings(h.Passage) {
			near := .05
			if strings.Contains(stretch.Text, m.near) {
				near = .8
			}
			h.Near = append(h.Near, near)
		}
	}
	return r, err
}

// A rule in other words than the question's is found by its meaning.
func TestRulesByMeaning(t *testing.T) {
	const rule, question = "Guests are never left alone in the boiler room.", "May visitors walk around unaccompanied downstairs?"
	house := "# House rules\n\nThe laundry is open from 8 to 20. Visitors park in the yard. " + rule + "\n\nBicycles stay in the cellar. Nobody smokes on the stairs.\n"
	words := library(t, map[string]string{"house.md": house}, "house.md")
	if a := ask(t, nil, words, question, nil); len(a.Verified) > 0 && a.Verified[0].Quote == rule {
		t.Fatal("words alone find it: the test shows nothing")
	}
	a := ask(t, nil, meant{words, "Guests"}, question, nil)
	if len(a.Verified) == 0 || a.Verified[0].Quote != rule {
		t.Fatalf("%s: %+v", a.Message, a.Verified)
	}
	if v := a.Verified[0]; !strings.Contains(v.Rationale, "by its meaning") || v.Relevance > .3 {
		t.Errorf("the verdict says more of the words than they hold: %.2f, %s", v.Relevance, v.Rationale)
	}
}
