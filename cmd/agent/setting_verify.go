package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/assay/llm/classify"
	"example.com/assay/nodes/verify"
)

// verification is how the claims of an answer are checked.
type verification struct {
	enabled     bool
	threshold   float64 // of confidence, below which a correction is written
	attempts    int     // at a correction
	showClaims  bool
	unsupported verify.Treatment
	judge       classifier // a server that judges claims
}

func defaultVerification() verification {
	return verification{enabled: true, threshold: 0.7, attempts: 2, unsupported: verify.MarkUnsupported, judge: classifier{task: classify.Support, key: keyJudge}}
}

// options are those of the pipeline.
func (v verification) options() *verify.Options {
	attempts := v.attempts
	if attempts == 0 {
		attempts = -1
	}
	return &verify.Options{Threshold: v.threshold, MaxAttempts: attempts, Treatment: v.unsupported}
}

const keyVerification = "verification.enabled"

// verificationTable lists the settings of verification.
func verificationTable() []setting {
	return append([]setting{{
		key: keyVerification, flag: "verification", negation: "no-verification", about: "Check the claims of an answer before it is shown.",
		set:  func(p *parser, s *settings, from origin, text string) { s.verification.enabled = p.boolean(from, text) },
		show: func(s *settings) string { return strconv.FormatBool(s.verification.enabled) },
	}, {
		key: "verification.confidence_threshold", flag: "verification-threshold", about: "The confidence above 0 and up to 1 below which a correction is written from more passages.",
		set: func(p *parser, s *settings, from origin, text string) {
			s.verification.threshold = p.threshold(from, text)
		},
		show: func(s *settings) string { return strconv.FormatFloat(s.verification.threshold, 'g', -1, 64) },
	}, {
		key: "verification.max_crag_attempts", flag: "crag-attempts", about: "How often a correction is tried; 0 never does.",
		set: func(p *parser, s *settings, from origin, text string) {
			s.verification.attempts = p.count(from, text, 0)
		},
		show: func(s *settings) string { return strconv.Itoa(s.verification.attempts) },
	}, {
		key: "verification.show_claims", flag: "show-claims", about: "Show each claim with its verdict and quotes.",
		set: func(p *parser, s *settings, from origin, text string) {
			s.verification.showClaims = p.boolean(from, text)
		},
		show: func(s *settings) string { return strconv.FormatBool(s.verification.showClaims) },
	}, {
		key: "verification.unsupported", flag: "unsupported", about: "What becomes of claims without support: mark, strike or keep.",
		set: func(p *parser, s *settings, from origin, text string) {
			s.verification.unsupported = verify.Treatment(p.oneOf(from, text, string(verify.MarkUnsupported), string(verify.StrikeUnsupported), string(verify.KeepUnsupported)))
		},
		show: func(s *settings) string { return string(s.verification.unsupported) },
	}}, judgeTable()...)
}

// registerVerification adds the flags of verbs whose answers are checked.
func registerVerification(cmd *cobra.Command) {
	d := defaultVerification()
	flags := cmd.Flags()
	flags.String("verification-threshold", strconv.FormatFloat(d.threshold, 'g', -1, 64), "confidence above 0 and up to 1 below which a correction is written from more passages")
	flags.String("crag-attempts", strconv.Itoa(d.attempts), "`NUMBER` of times that a correction is tried")
	flags.Bool("show-claims", d.showClaims, "show each claim with its verdict and quotes")
	flags.String("unsupported", string(d.unsupported), "what becomes of claims without support: mark, strike or keep")
}
