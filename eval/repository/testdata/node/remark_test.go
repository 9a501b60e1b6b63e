package verify

import (
	"slices"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

func TestRemark(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	skill, err := set.Get(skillRemark)
	if err != nil {
		t.Fatal(err)
	}
	llmtest.TestSkill(t, skill, remarkInput{}, remarkOutput{})

	script := &llmtest.Script{Answers: map[string][]llmtest.Answer{skillRemark: {{Text: `{"remark":"It is short."}`}}}}
	for name, c := range map[string]struct {
		model llm.Model
		want  []string
	}{
		"a model that answers":            {script, []string{"It is short."}},
		"a model that lacks an algorithm": {offline.New(nil), nil},
	} {
		p, err := New(Deps{Model: c.model, Skills: set}, nil)
		if err != nil {
			t.Fatal(err)
		}
		final, err := p.Run(t.Context(), Input{Response: "Hm?"}, nil)
		if err != nil || !slices.Equal(final.Warnings, c.want) {
			t.Errorf("%s: warnings %q, %v; want %q", name, final.Warnings, err, c.want)
		}
	}
}
