package eval

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
)

// Settings are a case's own configuration. Omitted settings are those of the bench.
type Settings struct {
	ConfidenceThreshold   *float64 `yaml:"confidence_threshold"` // of a research step
	Verification          *bool    `yaml:"verification"`         // check the claims of an answer
	VerificationThreshold *float64 `yaml:"verification_threshold"`
	MaxCRAGAttempts       *int     `yaml:"max_crag_attempts"`
	Unsupported           string   `yaml:"unsupported"` // mark, strike or keep
	MaxRevisions          *int     `yaml:"max_revisions"`
	ModelReview           bool     `yaml:"model_review"`
	MaxJudgeIterations    int      `yaml:"max_judge_iterations"`
	GroundingThreshold    *float64 `yaml:"grounding_confidence_threshold"`
	AdversarialPass       *bool    `yaml:"enable_adversarial_pass"`
	TopK                  int      `yaml:"top_k"`
	MaxIterations         int      `yaml:"max_iterations"`
	LLMVerification       bool     `yaml:"llm_verification"`
}

func (s Settings) check() error {
	for name, v := range map[string]*float64{
		"confidence_threshold": s.ConfidenceThreshold, "verification_threshold": s.VerificationThreshold, "grounding_confidence_threshold": s.GroundingThreshold,
	} {
		if v != nil && !(*v > 0 && *v <= 1) {
			return fmt.Errorf("settings.%s must be above 0 and up to 1", name)
		}
	}
	switch t := verify.Treatment(s.Unsupported); {
	case t != "" && t != verify.MarkUnsupported && t != verify.StrikeUnsupported && t != verify.KeepUnsupported:
		return fmt.Errorf("settings.unsupported is %q; known are %s, %s, %s", t, verify.MarkUnsupported, verify.StrikeUnsupported, verify.KeepUnsupported)
	case min(s.MaxJudgeIterations, s.TopK, s.MaxIterations, valueOr(s.MaxCRAGAttempts, 0), valueOr(s.MaxRevisions, 0)) < 0:
		return errors.New("a number under settings is below 0")
	}
	return nil
}

func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// never converts 0 attempts to the value that options use for none, because their zero means the
// default.
func never(attempts *int, otherwise int) int {
	if attempts != nil && *attempts == 0 {
		return -1
	}
	return valueOr(attempts, otherwise)
}

func (s Settings) research(o research.Options, skip bool) *research.Options {
	o.SkipInjectionCheck = o.SkipInjectionCheck || skip
	o.ConfidenceThreshold = valueOr(s.ConfidenceThreshold, o.ConfidenceThreshold)
	o.SkipVerification = !valueOr(s.Verification, !o.SkipVerification)
	o.Verify = s.verify(valueOr(o.Verify, verify.Options{}))
	return &o
}

func (s Settings) verify(o verify.Options) *verify.Options {
	o.Threshold = valueOr(s.VerificationThreshold, o.Threshold)
	o.MaxAttempts = never(s.MaxCRAGAttempts, o.MaxAttempts)
	o.Treatment = cmp.Or(verify.Treatment(s.Unsupported), o.Treatment)
	return &o
}

func (s Settings) comply(o evidence.Options) *evidence.Options {
	o.MaxRevisions = never(s.MaxRevisions, o.MaxRevisions)
	o.ModelReview = o.ModelReview || s.ModelReview
	return &o
}

func (s Settings) edges(o causal.Options) *causal.Options {
	o.Iterations, o.TopK = cmp.Or(s.MaxJudgeIterations, o.Iterations), cmp.Or(s.TopK, o.TopK)
	o.Threshold = valueOr(s.GroundingThreshold, o.Threshold)
	o.SkipAdversarial = !valueOr(s.AdversarialPass, !o.SkipAdversarial)
	return &o
}

func (s Settings) extract(o extract.Options) *extract.Options {
	o.MaxIterations = cmp.Or(s.MaxIterations, o.MaxIterations)
	o.Review = o.Review || s.LLMVerification
	return &o
}
