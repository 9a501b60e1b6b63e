package llmtest_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
)

func TestScriptIsAModel(t *testing.T) {
	answers := slices.Repeat([]llmtest.Answer{{Text: `{}`}}, llmtest.SuiteCalls)
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{skills.DetectPromptInjection: answers}}
	llmtest.TestModel(t, m)
	if left := m.Unused(); len(left) > 0 {
		t.Errorf("SuiteCalls is too large: %q", left)
	}
}

func TestScriptInOrder(t *testing.T) {
	down := errors.New("down")
	m := &llmtest.Script{Model: "fake", Answers: map[string][]llmtest.Answer{
		"b": {{Text: "one"}, {Err: down}, {Text: "three"}},
		"a": {{Text: "first"}},
	}}
	ask := func(skill string) (string, error) {
		resp, err := m.Generate(t.Context(), llm.Request{Skill: skill, Messages: []llm.Message{{Role: llm.User, Text: "two words"}}})
		if err == nil && (resp.Model != "fake" || resp.Usage.InputTokens != 2) {
			t.Errorf("response %+v", resp)
		}
		return resp.Text, err
	}
	if text, err := ask("b"); text != "one" || err != nil {
		t.Errorf("first call: %q, %v", text, err)
	}
	if _, err := ask("b"); !errors.Is(err, down) {
		t.Errorf("second call: %v", err)
	}
	if got, want := m.Unused(), []string{"a: answer 1 of 1", "b: answer 3 of 3"}; !slices.Equal(got, want) {
		t.Errorf("unused %q; want %q", got, want)
	}
	if _, err := ask("c"); err == nil {
		t.Error("an unscripted skill was answered")
	} else if bad, ok := errors.AsType[*llmtest.UnscriptedError](err); !ok || bad.Skill != "c" || bad.Call != 1 {
		t.Errorf("error %v", err)
	}
	if m.Total() != 3 || m.Calls("b") != 2 || m.Calls("a") != 0 || len(m.Requests()) != 3 || m.Requests()[2].Skill != "c" {
		t.Errorf("counted %d, %d, %d", m.Total(), m.Calls("b"), m.Calls("a"))
	}
}
