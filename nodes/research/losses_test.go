package research_test

import (
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// refusedKey is what a server answers to a key that it does not know.
var refusedKey = &llm.StatusError{Provider: "openai", Status: 401}

// A replan or a choice that fails is a loss: the answer stands, and says what is
// missing and why.
func TestLostCallsAreNamed(t *testing.T) {
	for skill, missing := range map[string]string{
		skills.AdaptiveReplan: "what further steps would have found",
		skills.SelectChoice:   "the choice of an option",
	} {
		m := script(multi)
		m.Answers[skill] = []llmtest.Answer{{Err: refusedKey}}
		final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, &research.Options{SkipInjectionCheck: true}, withChoices)
		got := research.Result(final, nil, texts{})
		if got.Status != state.StatusUngrounded || len(got.Losses) != 1 || got.Losses[0].Missing != missing || got.Losses[0].Cause != state.CauseKey {
			t.Errorf("%s: %+v", skill, got.End)
		}
		if !strings.Contains(got.Answer, missing+" is missing (") || !strings.Contains(got.Answer, "401") {
			t.Errorf("%s: the answer does not say it: %s", skill, got.Answer)
		}
	}
}

// A claim that could not be judged is a loss, and one that is not supported makes
// the answer ungrounded.
func TestUnsupportedAndUnjudgedClaims(t *testing.T) {
	for name, tc := range map[string]struct {
		verdict llmtest.Answer
		losses  int
	}{
		"not supported": {answer(skills.JudgeOutput{Status: "unsupported", Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{}, Reason: "it does not say so"}), 0},
		"not judged":    {llmtest.Answer{Err: refusedKey}, 1},
	} {
		m := script(simple)
		m.Answers[skills.JudgeClaim] = repeat(40, tc.verdict)
		opts := &research.Options{SkipInjectionCheck: true, Verify: &verify.Options{MaxAttempts: -1}}
		final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, opts, "Who pays?")
		got := research.Result(final, nil, texts{})
		if got.Status != state.StatusUngrounded || got.Status.ExitCode() != 3 || len(got.Losses) != tc.losses || got.Verification.ClaimsSupported != 0 {
			t.Errorf("%s: %+v, %+v", name, got.End, got.Verification.ClaimCheck)
		}
		if tc.losses > 0 && !strings.Contains(got.Losses[0].Missing, "the verdict on “Owners are bound.”") {
			t.Errorf("%s: losses %+v", name, got.Losses)
		}
	}
}

// Why no further step was planned, and why one was, is kept.
func TestReasonsOfTheReplannerAreKept(t *testing.T) {
	m := script(multi)
	m.Answers[skills.AdaptiveReplan] = []llmtest.Answer{next("What of breach?"), done}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{confidences: []float64{.5}}}, &research.Options{SkipInjectionCheck: true}, "Who pays?")
	if final.Plan[1].Reason != "missing" || final.Stopped != "enough" {
		t.Errorf("step 2 because of %q, stopped because of %q", final.Plan[1].Reason, final.Stopped)
	}
	if got := research.Result(final, nil, texts{}); got.Nearest == nil || strings.Contains(got.Answer, "No further step") || got.Searched == nil || len(got.Searched.Queries) != 5 {
		t.Errorf("%+v: %s", got.Searched, got.Answer)
	}
}

func TestLongQueriesAreCut(t *testing.T) {
	m := script(simple)
	m.Answers[skills.QueryRewrite] = []llmtest.Answer{answer(skills.RewriteOutput{Primary: strings.Repeat("owner ", 31), Alternatives: []string{"duty", "breach"}})}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, &research.Options{SkipInjectionCheck: true}, "Who pays?")
	if n := len(strings.Fields(final.Plan[0].Queries[0])); n != 30 {
		t.Errorf("a query of %d words", n)
	}
}
