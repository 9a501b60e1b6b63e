package claims

import (
	"context"
	"fmt"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Verified judges as the verification pipeline does: a model by the skill
// judge_claim, then code that compares numbers, dates, names, negation, direction,
// quantifiers, modality and subjects, and overrules the model. A whole response is judged like one
// long claim.
type Verified struct{ judge *verify.Judge }

// NewVerified returns the pipeline's judge; a nil model means the offline one.
// The error is that the embedded skills cannot be read.
func NewVerified(m llm.Model) (*Verified, error) {
	set, err := skills.Load(nil)
	if err != nil {
		return nil, fmt.Errorf("making a judge: %w", err)
	}
	skill, err := set.Get(skills.JudgeClaim)
	if err != nil {
		return nil, fmt.Errorf("making a judge: %w", err)
	}
	if m == nil {
		m = offline.New(nil)
	}
	return &Verified{verify.NewJudge(m, skill, nil)}, nil
}

// Weigh lets the pipeline's code overrule a verdict that was given without it.
func (v *Verified) Weigh(verdict state.Verdict, evidence []state.Evidence) state.Verdict {
	return v.judge.Weigh(verdict, evidence)
}

// Judge calls the pipeline's judge. A failure of its model is in the verdict; a returned
// error must stop the run.
func (v *Verified) Judge(ctx context.Context, text string, evidence []state.Evidence) (state.Verdict, error) {
	verdict, _, err := v.judge.Judge(ctx, state.Claim{ID: 1, Text: text, End: len(text)}, evidence)
	return verdict, err
}
