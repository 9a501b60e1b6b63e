package llm_test

import (
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
)

func TestBySkill(t *testing.T) {
	named := func(name string) llm.Model {
		return &llmtest.Script{Model: name, Answers: map[string][]llmtest.Answer{"a": {{}, {}}, "b": {{}, {}}}}
	}
	m := llm.BySkill(map[string]llm.Model{"a": named("strong")}, named("fast"))
	for skill, want := range map[string]string{"a": "strong", "b": "fast"} {
		if resp, err := m.Generate(t.Context(), llm.Request{Skill: skill}); err != nil || resp.Model != want {
			t.Errorf("skill %s was answered by %q, %v; want %q", skill, resp.Model, err, want)
		}
	}
}
