package research_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// respelling is a shelf whose searches are for other words than were asked.
type respelling struct {
	shelf
	words []state.Respelling
}

func (r *respelling) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	found, err := r.shelf.Search(ctx, q)
	found.Respelt = r.words
	return found, err
}

// What was searched for is in the state and in the answer, and what reads the passages
// reads them for that. The person's question stays what it is: it is searched for, and
// the model sees it.
func TestWhatWasSearchedForIsShown(t *testing.T) {
	const asked = "What binds an onwer?"
	words := []state.Respelling{{Word: "onwer", As: "owner"}, {Word: "binds", As: "bi", Also: true}}
	m, shelf := script(simple), &respelling{words: words}
	m.Answers[skills.PlanSynthesis] = repeat(1, answer(skills.PlanOutput{Steps: []skills.PlanStep{{StepID: 1, Phase: "Rule", Question: asked}}}))
	final := mustRun(t, research.Deps{Model: m, Corpus: shelf}, nil, asked)
	if step := final.Plan[0]; !slices.Equal(step.Respelt, words) || step.Question != asked || final.Objective != asked {
		t.Errorf("the state has %v for %q", step.Respelt, step.Question)
	}
	if got := research.Result(final, nil, texts{}); !slices.Equal(got.Respelt, words) || got.Question != asked || got.Relevance.Absent != 0 {
		t.Errorf("the answer to %q was searched for with %v; absent %v", got.Question, got.Respelt, got.Relevance)
	}
	if q := shelf.queries[0]; !slices.Contains(q.Alternatives, asked) || q.About[0][0] != asked {
		t.Errorf("searched for %q, about %q", q.Alternatives, q.About)
	}
	for _, r := range m.Requests() {
		var in skills.SynthesizeInput
		if r.Skill != skills.SynthesizeAndCite {
			continue
		}
		if err := json.Unmarshal(r.Vars, &in); err != nil {
			t.Fatal(err)
		}
		if in.Objective != asked || in.Question != "What binds an owner?" {
			t.Errorf("the answer is written for %q of %q", in.Question, in.Objective)
		}
	}
}
