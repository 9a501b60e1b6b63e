package offline

import (
	"slices"
	"strings"
	"testing"

	"example.com/assay/skills"
)

func TestStoryClauses(t *testing.T) {
	for story, want := range map[string][]string{
		"":                               nil,
		"Olga keeps a bear. It escapes.": {"Olga keeps a bear, and it escapes"},
		"A man runs. Separately, a dog barks loudly.": {"a man runs", "a dog barks loudly"},
		"Acting alone, the clerk fires a gun.":        {"acting alone, the clerk fires a gun"},
		"The shopkeeper whom a robber attacks at closing time with a knife fires one shot at him in the dark, and the bullet ricochets off a steel post and wounds a bystander on the other side of the street.": {
			"the shopkeeper whom a robber attacks at closing time with a knife fires one shot at him in the dark",
			"the bullet ricochets off a steel post and wounds a bystander on the other side of the street",
		},
	} {
		if got := storyClauses(story); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", story, got, want)
		}
	}
}

// Every question that is asked about a story consists of spans of the story
// between fixed phrases.
func TestStoryQuestionsAreSpans(t *testing.T) {
	objective := "Congress passes a statute that names three brothers, declares them guilty of sabotage without a trial, and confiscates their farms. Separately, an army captain orders that soldiers be quartered in the brothers' cottage. Which clauses are violated?"
	in := skills.ReplanInput{Objective: objective, Findings: []skills.Finding{{StepID: 1, Question: objective, Answer: noAnswer, Status: "failed"}}}
	for n := range 2 {
		out, err := replan(in)
		if err != nil || out.Action != "retry" {
			t.Fatalf("after %d retries: %+v, %v", n, out, err)
		}
		span := strings.TrimSuffix(strings.TrimPrefix(out.Question, "What is the rule when "), "?")
		if !strings.Contains(strings.ToLower(objective), strings.ToLower(span)) || len(strings.Fields(span)) < 6 {
			t.Errorf("%q is no span of the story", out.Question)
		}
		in.Asked = append(in.Asked, out.Question)
		in.Findings = append(in.Findings, skills.Finding{StepID: n + 2, Question: out.Question, Answer: noAnswer, Status: "failed"})
	}
	if out, err := replan(in); err != nil || out.Action != "complete" {
		t.Errorf("with nothing left: %+v, %v", out, err)
	}
}

func TestReplanFollowsThePlan(t *testing.T) {
	objective := "An officer stops a car without suspicion. May the passenger challenge the stop, and is the driver's statement to the officer hearsay at trial?"
	steps := decompose(objective)
	if len(steps) != 2 {
		t.Fatalf("plan %+v", steps)
	}
	// The first answer names every word of the second question.
	in := skills.ReplanInput{Objective: objective, Findings: []skills.Finding{{StepID: 1, Question: steps[0].Question, Status: "completed",
		Answer: "A passenger may challenge a stop. The driver's statement to the officer is hearsay at trial."}}}
	out, err := replan(in)
	if err != nil || out.Action != "next_step" || out.Question != steps[1].Question {
		t.Errorf("%+v, %v; want the second question", out, err)
	}
	in.Findings = append(in.Findings, skills.Finding{StepID: 2, Question: out.Question, Status: "completed", Answer: in.Findings[0].Answer})
	if out, err := replan(in); err != nil || out.Action != "complete" {
		t.Errorf("after the plan: %+v, %v", out, err)
	}
}

// A question without a story and without a term that has another name is asked once: other words for it
// would leave its topic out, and find something else.
func TestRetryKeepsTheTopic(t *testing.T) {
	question := "What reasons would prompt the regulator to deregister an auditor of its own accord under the confidentiality chapter?"
	for _, q := range []string{question, "give a version a name that stays"} {
		out, err := replan(skills.ReplanInput{Objective: q, Findings: []skills.Finding{{StepID: 1, Question: q, Answer: noAnswer, Status: "failed"}}})
		if err != nil || out.Action != "complete" {
			t.Errorf("%q: %+v, %v", q, out, err)
		}
	}
	if keepsTopic("What is the rule on the regulator?", question) {
		t.Error("one word of many counts as the topic")
	}
}

func TestPrimaryLeavesOutAskingWords(t *testing.T) {
	for question, want := range map[string]string{
		"What must a plaintiff prove to win a claim for trespass to land?": "trespass land unlawful entry onto property", // widened: nothing but a concept
		"How long may a traffic stop last?":                                "traffic stop last",
		"Is claim preclusion a defense?":                                   "claim preclusion defense",
		"Who wins?":                                                        "Who wins?", // it names no concept of law
		"Dora points an unloaded pistol at Fern. Has Dora committed an assault on Fern?": "unloaded pistol assault",
	} {
		out, err := rewrite(skills.RewriteInput{Question: question, Objective: question})
		if err != nil || out.Primary != want {
			t.Errorf("%s: %q, %v; want %q", question, out.Primary, err, want)
		}
	}
}
