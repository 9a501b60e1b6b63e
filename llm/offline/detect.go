package offline

import (
	"example.com/assay/decide/injection"
	"example.com/assay/skills"
)

func detect(in skills.DetectInput) (skills.DetectOutput, error) {
	v := injection.Question(in.Question)
	out := skills.DetectOutput{Verdict: "safe", Category: v.Category, Reason: v.Reason}
	if v.Adversarial {
		out.Verdict = "adversarial"
	}
	return out, nil
}
