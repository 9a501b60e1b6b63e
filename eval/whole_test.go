package eval_test

import (
	"context"
	"os"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// mostAnswered is how many of the questions that the primer does not answer get an answer.
// Lists of words for each kind of question let none through, and refused right answers over
// other papers: docs/measurements.md, Ordinary papers.
const mostAnswered = 5

// TestWhole asks the sample corpus questions that it answers, and as many that it
// only speaks of, and holds how many of each end wrongly.
func TestWhole(t *testing.T) {
	data, err := os.ReadFile("testdata/whole_questions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var questions []struct {
		Type     string `yaml:"type"`
		Answered bool   `yaml:"answered"`
		Question string `yaml:"question"`
	}
	if err := yaml.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	p, corpus := primer(t)
	must := map[string]state.Status{
		"What is a lien?": state.StatusNoEvidence, "Who is the president?": state.StatusNoEvidence,
		"What is battery?": state.StatusAnswered, "What is consideration?": state.StatusAnswered,
		"What must a plaintiff prove to win a claim for battery?": state.StatusAnswered,
	}
	var answerable, refused, absent, answered int
	for _, q := range questions {
		final, err := p.Run(context.Background(), q.Question, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := research.Result(final, nil, corpus)
		if want, ok := must[q.Question]; ok && got.Status != want {
			t.Errorf("%q ends as %s, want %s; missing %q", q.Question, got.Status, want, got.Missing)
		}
		delete(must, q.Question)
		switch {
		case q.Answered:
			answerable++
			if got.Status != state.StatusAnswered {
				refused++
				t.Logf("%s, refused: %q: %s %q", q.Type, q.Question, got.Status, got.Missing)
			}
		default:
			absent++
			if got.Status == state.StatusAnswered {
				answered++
				t.Logf("%s, answered: %q: %s", q.Type, q.Question, got.Answer)
			}
		}
	}
	t.Logf("refused %d of %d that the corpus answers; answered %d of %d that it does not", refused, answerable, answered, absent)
	if refused > 2 || answered > mostAnswered || answerable < 30 || absent < 30 || len(must) > 0 {
		t.Errorf("refused %d of %d, answered %d of %d, not asked %v", refused, answerable, answered, absent, must)
	}
}
