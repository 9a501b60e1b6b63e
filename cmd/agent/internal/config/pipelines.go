package config

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/assay/llm/classify"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/verify"
)

// verification holds the settings of the check of an answer's claims.
type verification struct {
	Enabled     bool
	Threshold   float64 // confidence below which a correction is written
	Attempts    int     // corrections at most
	ShowClaims  bool
	Unsupported verify.Treatment
	Judge       Classifier // a server that judges claims
}

func defaultVerification() verification {
	return verification{Enabled: true, Threshold: 0.7, Attempts: 2, Unsupported: verify.MarkUnsupported, Judge: Classifier{Task: classify.Support, Key: KeyJudge}}
}

// Options returns the options of the pipeline verify.
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

// grounding holds the settings of the verification of causal edges.
type grounding struct {
	iterations  int
	threshold   float64 // confidence from which a verdict grounds an edge
	adversarial bool
	topK        int // passages for each side of a search
}

func defaultGrounding() grounding {
	return grounding{iterations: 3, threshold: 0.6, adversarial: true, topK: 3}
}

// Options returns the options of the pipeline causal.
func (g grounding) Options(concurrency int) *causal.Options {
	return &causal.Options{Iterations: g.iterations, Threshold: g.threshold, TopK: g.topK, SkipAdversarial: !g.adversarial, MaxConcurrent: concurrency}
}

// groundingTable lists the settings of causal edges.
func groundingTable() []Setting {
	return []Setting{{
		key: "causal.max_judge_iterations", flag: "judge-iterations", about: "How often a causal edge is searched for and judged.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Grounding.iterations = p.count(from, text, 1)
		},
		show: func(s *Settings) string { return strconv.Itoa(s.Grounding.iterations) },
	}, {
		key: "causal.grounding_confidence_threshold", flag: "grounding-threshold", about: "The confidence above 0 and up to 1 from which a verdict grounds an edge.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Grounding.threshold = p.threshold(from, text)
		},
		show: func(s *Settings) string { return strconv.FormatFloat(s.Grounding.threshold, 'g', -1, 64) },
	}, {
		key: "causal.enable_adversarial_pass", flag: "adversarial", negation: "no-adversarial", about: "Look for counter-evidence before an edge that seems strong is accepted.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Grounding.adversarial = p.boolean(from, text)
		},
		show: func(s *Settings) string { return strconv.FormatBool(s.Grounding.adversarial) },
	}, {
		key: "causal.top_k", flag: "top-k", about: "How many passages each side of a search for an edge adds.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Grounding.topK = p.count(from, text, 1)
		},
		show: func(s *Settings) string { return strconv.Itoa(s.Grounding.topK) },
	}}
}

// RegisterGrounding adds the flags of verbs that verify edges.
func RegisterGrounding(cmd *cobra.Command) {
	d := defaultGrounding()
	flags := cmd.Flags()
	flags.String("judge-iterations", strconv.Itoa(d.iterations), "`NUMBER` of times that an edge is searched for and judged")
	flags.String("grounding-threshold", strconv.FormatFloat(d.threshold, 'g', -1, 64), "confidence above 0 and up to 1 from which a verdict grounds an edge")
	flags.Bool("adversarial", d.adversarial, "look for counter-evidence before an edge that seems strong is accepted")
	flags.Bool("no-adversarial", false, "the same as --adversarial=false")
	flags.String("top-k", strconv.Itoa(d.topK), "`NUMBER` of passages that each side of a search adds")
}
