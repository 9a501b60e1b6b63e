package research_test

import (
	"errors"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// The calls of the nodes are together those of the run: a judge's that orders
// passages are among both.
func TestUsageOfNodes(t *testing.T) {
	m := script(simple)
	m.Answers[skills.RerankPassages] = []llmtest.Answer{answer(skills.RerankOutput{Ranking: []int{2, 1}})}
	m.Answers[skills.QueryRewrite] = []llmtest.Answer{{Text: "no JSON"}, rewrite}
	priced := llm.Priced(llm.Prices{"script": {Input: 10, Output: 100}}, "script")(m)
	p, err := research.New(research.Deps{Model: priced, Skills: set(t), Corpus: judgedCorpus(t, priced)}, &research.Options{SkipVerification: true})
	if err != nil {
		t.Fatal(err)
	}
	final, times, err := p.Ask(t.Context(), "Which rule binds an owner?", nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum state.ModelUsage
	calls := map[string]int{}
	for node, usage := range times.Usage { // a sum of whole numbers
		sum = sum.Plus(usage)
		calls[node] = usage.Calls
		if usage.Cost == 0 || usage.InputTokens == 0 {
			t.Errorf("%s: %+v", node, usage)
		}
	}
	if sum != final.Usage || sum.ParseFailures != 1 || sum.Cost == 0 {
		t.Errorf("nodes %+v; run %+v", sum, final.Usage)
	}
	for node, want := range map[string]int{"detect_injection": 1, "classify": 1, "execute/rewrite": 2, "execute/retrieve": 1, "execute/synthesize": 1, "execute": 0} {
		if calls[node] != want {
			t.Errorf("%d calls of %s; want %d", calls[node], node, want)
		}
	}
}

// What a node asked before it stopped the run is its usage, which no state has.
func TestUsageOfANodeThatFailed(t *testing.T) {
	m := script(simple)
	m.Answers[skills.QueryRewrite] = []llmtest.Answer{{Text: "no JSON"}}
	budget := llm.NewBudget(&llm.BudgetOptions{MaxCalls: 3})
	p, err := research.New(research.Deps{Model: budget.Wrap(m), Skills: set(t), Corpus: &shelf{}}, &research.Options{SkipVerification: true})
	if err != nil {
		t.Fatal(err)
	}
	final, times, err := p.Ask(t.Context(), "Which rule binds an owner?", nil)
	if !errors.As(err, new(*llm.BudgetError)) {
		t.Fatal(err)
	}
	sum := 0
	for _, usage := range times.Usage {
		sum += usage.Calls
	}
	if m.Total() != 3 || sum <= final.Usage.Calls {
		t.Errorf("%d calls, %d of nodes, %d of the state", m.Total(), sum, final.Usage.Calls)
	}
}
