package research_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

var errIndex = errors.New("index is gone")

// shelf is a retriever of numbered passages. It hands out the next ones that
// the query does not exclude, with the confidences of its list in turn.
type shelf struct {
	confidences []float64 // by search; the last one repeats
	failAt      int       // 1-based search that fails; 0 never
	queries     []retrieval.Query
}

func (s *shelf) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	s.queries = append(s.queries, q)
	n := len(s.queries)
	if n == s.failAt {
		return retrieval.Result{}, errIndex
	}
	confidence := 0.9
	if len(s.confidences) > 0 {
		confidence = s.confidences[min(n, len(s.confidences))-1]
	}
	out := retrieval.Result{Confidence: confidence, Similarity: confidence / 2, Candidates: 20}
	for i := 0; len(out.Hits) < q.K && i < 40; i++ {
		p := passage(i)
		if !slices.Contains(q.Exclude, p.ID) {
			out.Hits = append(out.Hits, state.Hit{Passage: p, Rank: len(out.Hits) + 1, Scores: []state.Score{{Ranker: "fused", Value: 1}}})
		}
	}
	return out, nil
}

func passage(i int) state.Passage {
	text := fmt.Sprintf("Rule %d binds every owner. An owner who breaks rule %d pays.", i, i)
	return state.Passage{ID: fmt.Sprintf("p%02d", i), Doc: "rules.md", Title: "Rules", Section: "Owners", Text: text, Start: i * 100, End: i*100 + len(text), Source: "rules.md"}
}

// notebook is a memory of one answer.
type notebook struct {
	recall  *research.Recall
	stored  []research.Recall
	asked   []string
	failure error
}

func (n *notebook) Lookup(_ context.Context, question string) (research.Recall, bool, error) {
	n.asked = append(n.asked, question)
	if n.failure != nil || n.recall == nil {
		return research.Recall{}, false, n.failure
	}
	return *n.recall, true, nil
}

func (n *notebook) Store(_ context.Context, question string, r research.Recall, _ float64) error {
	n.stored = append(n.stored, r)
	return n.failure
}

func set(t *testing.T) *skills.Set {
	t.Helper()
	s, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func answer[T any](v T) llmtest.Answer {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return llmtest.Answer{Text: string(data)}
}

func repeat(n int, a llmtest.Answer) []llmtest.Answer { return slices.Repeat([]llmtest.Answer{a}, n) }

var (
	safe    = answer(skills.DetectOutput{Verdict: "safe", Category: "none", Reason: "a question"})
	simple  = answer(skills.ClassifyOutput{QueryType: "simple", Reason: "one rule"})
	multi   = answer(skills.ClassifyOutput{QueryType: "multi_hop", Reason: "two rules"})
	plan    = answer(skills.PlanOutput{Steps: []skills.PlanStep{{StepID: 1, Phase: "Rule", Question: "What binds an owner?"}}})
	plan3   = answer(skills.PlanOutput{Steps: []skills.PlanStep{{StepID: 7, Phase: "A", Question: "a?"}, {StepID: 8, Phase: "B", Question: "b?"}, {StepID: 9, Phase: "C", Question: "c?"}}})
	rewrite = answer(skills.RewriteOutput{Primary: "owner rule", Alternatives: []string{"duty of owners", "breach by an owner"}})
	done    = answer(skills.ReplanOutput{Action: "complete", Reason: "enough"})
	choose  = answer(skills.SelectOutput{Elements: []string{"breach"}, Choices: []skills.ChoiceReason{{Letter: "A", Eliminated: true, Reason: "no"}, {Letter: "B", Reason: "yes [Source 1]"}}, Answer: "B", Reason: "B fits"})
)

func next(question string) llmtest.Answer {
	return answer(skills.ReplanOutput{Action: "next_step", Phase: "More", Question: question, Reason: "missing"})
}

// script is a run in which every skill answers well: three steps when multi.
// bound is the verdict on "Owners are bound."
var bound = answer(skills.JudgeOutput{Status: "supported", Confidence: .9, Quotes: []skills.SourceQuote{{Source: 1, Text: "binds every owner"}}, Against: []skills.SourceQuote{}, Reason: "it says so"})

func script(kind llmtest.Answer) *llmtest.Script {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{
		skills.DetectPromptInjection: {safe},
		skills.ClassifyAndRoute:      {kind},
		skills.PlanSynthesis:         {plan},
		skills.QueryRewrite:          repeat(3, rewrite),
		skills.SynthesizeAndCite:     repeat(3, llmtest.Answer{Text: "Owners are bound. [Source 1]"}),
		skills.AdaptiveReplan:        {next("What of breach?"), next("What of payment?")},
		skills.SelectChoice:          {choose},
		skills.JudgeClaim:            repeat(40, bound),
	}}
}

// texts locates every source in a file that is not there.
type texts struct{}

func (texts) TextPath(source string) (string, string, error) { return "/nowhere/" + source, "", nil }
