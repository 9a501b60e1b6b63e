package research_test

import (
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

var talk = []state.Exchange{{Question: "What is the notice period of a tenant?", Head: "Notice", Answer: "A tenant gives three months of notice."}}

// ask runs one question of a conversation and returns what became of it.
func ask(t *testing.T, resolved llmtest.Answer, question string, notes *notebook) (state.Agent, *llmtest.Script) {
	t.Helper()
	model := script(simple)
	model.Answers[skills.ResolveFollowUp] = []llmtest.Answer{resolved}
	p, err := research.New(research.Deps{Model: model, Skills: set(t), Corpus: &shelf{}, Memory: notes}, nil)
	if err != nil {
		t.Fatal(err)
	}
	final, _, err := p.Ask(t.Context(), question, &research.AskOptions{Earlier: talk})
	if err != nil {
		t.Fatal(err)
	}
	return final, model
}

// A follow-up is researched, and remembered, as what it was taken to mean.
func TestFollowUp(t *testing.T) {
	notes := &notebook{}
	final, _ := ask(t, answer(skills.FollowUpOutput{Question: "who changes the notice period of a tenant?"}), "and who changes it?", notes)
	const want = "who changes the notice period of a tenant?"
	if final.Objective != want || final.Asked != "and who changes it?" {
		t.Errorf("researched %q, asked %q", final.Objective, final.Asked)
	}
	if len(notes.asked) != 1 || notes.asked[0] != want || len(notes.stored) == 1 && notes.stored[0].Question != want {
		t.Errorf("memory was asked %q, and keeps %+v", notes.asked, notes.stored)
	}
	a := research.Result(final, nil, texts{})
	if a.Question != "and who changes it?" || a.Resolved != want {
		t.Errorf("the answer is to %q, searched for %q", a.Question, a.Resolved)
	}
	if e, ok := research.ExchangeOf(a); !ok || e.Question != want {
		t.Errorf("the conversation keeps %+v", e)
	}
}

// No model is asked about a question that stands alone.
func TestFollowUpThatStandsAlone(t *testing.T) {
	final, model := ask(t, answer(skills.FollowUpOutput{Question: "What is the notice period?"}), "Which rule binds an owner?", &notebook{})
	if final.Objective != "Which rule binds an owner?" || final.Asked != "" {
		t.Errorf("researched %q, asked %q", final.Objective, final.Asked)
	}
	for _, r := range model.Requests() {
		if r.Skill == skills.ResolveFollowUp {
			t.Error("the model was asked what the question refers to")
		}
	}
}

// A model may not bring in what nobody spoke of; what it returns is then not used.
func TestFollowUpInWordsThatNobodySaid(t *testing.T) {
	final, _ := ask(t, answer(skills.FollowUpOutput{Question: "who changes the password of the bank?"}), "and who changes it?", &notebook{})
	if final.Objective != "and who changes it?" || final.Asked != "" || len(final.Warnings) != 1 {
		t.Errorf("researched %q, asked %q, warnings %q", final.Objective, final.Asked, final.Warnings)
	}
}

// An answer that cannot be read is a loss: what the question means is not known.
func TestFollowUpMisread(t *testing.T) {
	model := script(simple)
	model.Answers[skills.ResolveFollowUp] = repeat(2, llmtest.Answer{Text: "it is about rent"})
	p, err := research.New(research.Deps{Model: model, Skills: set(t), Corpus: &shelf{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	final, _, err := p.Ask(t.Context(), "and who changes it?", &research.AskOptions{Earlier: talk})
	if err != nil || len(final.Losses) != 1 || final.Objective != "and who changes it?" {
		t.Errorf("error %v, losses %+v, researched %q", err, final.Losses, final.Objective)
	}
}
