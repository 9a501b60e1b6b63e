package config

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/assay/llm/classify"
	"example.com/assay/nodes/verify"
)

// verification is how the claims of an answer are checked.
type verification struct {
	Enabled     bool
	Threshold   float64 // confidence below which a correction is written
	Attempts    int     // most corrections
	ShowClaims  bool
	Unsupported verify.Treatment
	Judge       Classifier // a server that judges claims
}

func defaultVerification() verification {
	return verification{Enabled: true, Threshold: 0.7, Attempts: 2, Unsupported: verify.MarkUnsupported, Judge: Classifier{Task: classify.Support, Key: KeyJudge}}
}

// Options are those of the pipeline.
func (v verification) Options() *verify.Options {
	attempts := v.Attempts
	if attempts == 0 {
		attempts = -1
	}
	return &verify.Options{Threshold: v.Threshold, MaxAttempts: attempts, Treatment: v.Unsupported}
}

const keyVerification = "verification.enabled"

// verificationTable lists the settings of verification.
func verificationTable() []Setting {
	return append([]Setting{{
		key: keyVerification, flag: "verification", negation: "no-verification", about: "Check the claims of an answer before it is shown.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Verification.Enabled = p.boolean(from, text) },
		show: func(s *Settings) string { return strconv.FormatBool(s.Verification.Enabled) },
	}, {
		key: "verification.confidence_threshold", flag: "verification-threshold", about: "The confidence above 0 and up to 1 below which a correction is written from more passages.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Threshold = p.threshold(from, text)
		},
		show: func(s *Settings) string { return strconv.FormatFloat(s.Verification.Threshold, 'g', -1, 64) },
	}, {
		key: "verification.max_crag_attempts", flag: "crag-attempts", about: "How often a correction is tried; 0 for never.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Attempts = p.count(from, text, 0)
		},
		show: func(s *Settings) string { return strconv.Itoa(s.Verification.Attempts) },
	}, {
		key: "verification.show_claims", flag: "show-claims", about: "Show each claim with its verdict and quotes.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.ShowClaims = p.boolean(from, text)
		},
		show: func(s *Settings) string { return strconv.FormatBool(s.Verification.ShowClaims) },
	}, {
		key: "verification.unsupported", flag: "unsupported", about: "What happens to unsupported claims: mark, strike or keep.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Unsupported = verify.Treatment(p.oneOf(from, text, string(verify.MarkUnsupported), string(verify.StrikeUnsupported), string(verify.KeepUnsupported)))
		},
		show: func(s *Settings) string { return string(s.Verification.Unsupported) },
	}}, judgeTable()...)
}

// RegisterVerification adds the flags of verbs whose answers are checked.
func RegisterVerification(cmd *cobra.Command) {
	d := defaultVerification()
	flags := cmd.Flags()
	flags.String("verification-threshold", strconv.FormatFloat(d.Threshold, 'g', -1, 64), "confidence above 0 and up to 1 below which a correction is written from more passages")
	flags.String("crag-attempts", strconv.Itoa(d.Attempts), "`NUMBER` of times that a correction is tried")
	flags.Bool("show-claims", d.ShowClaims, "show each claim with its verdict and quotes")
	flags.String("unsupported", string(d.Unsupported), "what happens to unsupported claims: mark, strike or keep")
}
