package research_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// harbour is a corpus of two files, about lanterns and about the council.
func harbour(t *testing.T) *memory.Corpus {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"lanterns.md": "# Lanterns\n\n## Permits\n\nA lantern permit is a licence to show a light in the harbour. A lantern permit expires after two winters. The holder of a lantern permit pays a fee to the harbour office.\n\n## Fuel\n\nLantern oil is pressed from rapeseed, and no other oil may be burnt in the harbour.\n",
		"council.md":  "# The council\n\n## Seats\n\nThe council of the island has nine seats. A councillor is elected for three years by the householders.\n\n## Vacancies\n\nA vacant seat of the council is filled by lot among the householders.\n",
		"boats.md":    "# Boats\n\n## Hulls\n\nA larch hull lasts forty years when it is tarred each spring. Bronze nails are used below the waterline.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(context.Background(), memory.IngestOptions{Home: home, Corpus: "harbour", Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	corpus, err := memory.Open(home, "harbour")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { corpus.Close() })
	return corpus
}

// A step is about the person's question, whatever the model makes of it: of its
// queries, or of the question of the step. Both drift here to lanterns, which the
// corpus holds. Where only the queries drift, the step's own question is searched for
// as well: its passages are found, and a quote of others answers nothing.
func TestDriftIsNotConfident(t *testing.T) {
	corpus := harbour(t)
	ask := func(question, step, query string) (state.Agent, state.Answer) {
		m := script(simple)
		m.Answers[skills.PlanSynthesis] = []llmtest.Answer{answer(skills.PlanOutput{Steps: []skills.PlanStep{{StepID: 1, Phase: "Rule", Question: step}}})}
		m.Answers[skills.QueryRewrite] = []llmtest.Answer{answer(skills.RewriteOutput{Primary: query, Alternatives: []string{query + " rule", query + " fee"}})}
		m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{{Text: "“A lantern permit expires after two winters.” [Source 1]"}}
		final := mustRun(t, research.Deps{Model: m, Corpus: corpus}, &research.Options{SkipInjectionCheck: true, SkipVerification: true}, question)
		return final, research.Result(final, nil, corpus)
	}
	const lanterns = "lantern permit expires winters harbour"
	if final, got := ask("When does a lantern permit expire?", "When does a lantern permit expire?", lanterns); got.Status != state.StatusAnswered {
		t.Errorf("what is asked for and found: %s, confidence %.2f: %s", got.Status, final.Plan[0].Confidence, got.Answer)
	}
	for name, step := range map[string]string{"queries": "Who fills a vacant seat of the council?", "step and queries": "When does a lantern permit expire?"} {
		final, got := ask("Who fills a vacant seat of the council?", step, lanterns)
		if got.Status != state.StatusNoEvidence || name != "queries" && final.Plan[0].Confidence >= .35 || got.Status.ExitCode() != 3 {
			t.Errorf("%s drift to lanterns: %s, confidence %.2f: %s", name, got.Status, final.Plan[0].Confidence, got.Answer)
		}
		if got.Searched == nil || got.Searched.Corpus != "harbour" || !strings.Contains(strings.Join(got.Searched.Queries, ";"), lanterns) {
			t.Errorf("%s: searched %+v", name, got.Searched)
		}
	}
}
