package research_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// An answer of quotes is verified without a model.
func TestQuotesNeedNoJudge(t *testing.T) {
	m := script(simple)
	m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{{Text: "### Rule\n“Rule 0 binds every owner.” [Source 1]\n\n- “An owner who breaks rule 1 pays.” [Source 2]"}}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, "Who pays?")
	if c := final.Check; c == nil || !c.IsGrounded || c.ClaimsSupported != 2 || c.ClaimsChecked != 2 || m.Calls(skills.JudgeClaim) != 0 {
		t.Errorf("%d calls, check %+v", m.Calls(skills.JudgeClaim), c)
	}
}

// What an answer lacks is searched for; the corrected answer cites what was
// found then, and its sources are listed like any other.
func TestCorrectedAnswerCitesWhatItRead(t *testing.T) {
	m := script(simple)
	m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{{Text: "“Rule 0 binds every owner.” [Source 1] A broken rule costs the owner his dog. [Source 2]"}}
	unsupported := answer(skills.JudgeOutput{Status: "unsupported", Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{}, Reason: "no dog"})
	m.Answers[skills.JudgeClaim] = []llmtest.Answer{unsupported, unsupported}
	m.Answers[skills.GapQueries] = []llmtest.Answer{answer(skills.GapOutput{Queries: []skills.GapQuery{{ClaimID: 2, Query: "dog of an owner"}}})}
	m.Answers[skills.RegenerateResponse] = []llmtest.Answer{{Text: "“Rule 0 binds every owner.” [Query 1][Source 1]\n\n“An owner who breaks rule 6 pays.” [Query 2][Source 2][Query 2][Source 9]"}}
	corpus := &shelf{}
	final := mustRun(t, research.Deps{Model: m, Corpus: corpus}, &research.Options{Passages: 5}, "Who pays?")
	if c := final.Check; !c.IsGrounded || c.CRAGAttempts != 1 || c.Rewritten != 1 {
		t.Errorf("check %+v", c)
	}
	row := final.Plan[len(final.Plan)-1]
	if len(final.Plan) != 2 || row.Status != state.StepCorrective || !slices.Equal(row.Queries, []string{"dog of an owner"}) || len(row.Hits) != 3 {
		t.Fatalf("row %+v", row)
	}
	for _, want := range []string{
		"“An owner who breaks rule 6 pays.” [Query 2][Source 2]", "[no source 9 of query 2]",
		"\n## Sources\n\n- [Query 1][Source 1] ", "\n- [Query 2][Source 2] ",
	} {
		if !strings.Contains(final.Answer, want) {
			t.Errorf("the answer does not hold %q:\n%s", want, final.Answer)
		}
	}
	if strings.Contains(final.Answer, "[Query 1][Source 2]") {
		t.Errorf("the answer lists what it no longer cites:\n%s", final.Answer)
	}
	cited := research.Cited(final)
	if len(cited) != 2 || cited[1].Step != 2 || len(cited[1].Quotes) != 1 || cited[1].Quotes[0].Text != "An owner who breaks rule 6 pays." {
		t.Errorf("cited %+v", cited)
	}
	if final.Metrics.StepsCompleted != 1 || final.Metrics.ParseFailures != 1 {
		t.Errorf("metrics %+v", final.Metrics)
	}
}

// An answer that is not grounded is marked, and not remembered.
func TestUngroundedAnswersAreNotRemembered(t *testing.T) {
	m := script(simple)
	m.Answers[skills.JudgeClaim] = repeat(2, answer(skills.JudgeOutput{Status: "unsupported", Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{}, Reason: "no"}))
	memory := &notebook{}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}, Memory: memory}, nil, "Who pays?")
	if final.Check.IsGrounded || !strings.Contains(final.Answer, "Owners are bound. [Query 1][Source 1] [unsupported]") || final.Stored {
		t.Errorf("check %+v, stored %t, answer\n%s", final.Check, final.Stored, final.Answer)
	}
}

func TestRememberedAnswersKeepTheirCheck(t *testing.T) {
	memory := &notebook{}
	first := mustRun(t, research.Deps{Model: script(simple), Corpus: &shelf{}, Memory: memory}, nil, "Who pays?")
	if !first.Stored || first.Check == nil {
		t.Fatalf("stored %t, check %+v", first.Stored, first.Check)
	}
	m := script(simple)
	memory.recall = &memory.stored[0]
	second := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}, Memory: memory}, nil, "Who pays?")
	if !second.Memory.Hit || second.Check == nil || second.Check.ClaimsChecked != first.Check.ClaimsChecked || m.Calls(skills.JudgeClaim) != 0 {
		t.Errorf("hit %t, check %+v", second.Memory.Hit, second.Check)
	}
}
