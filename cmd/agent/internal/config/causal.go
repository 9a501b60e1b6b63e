package config

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/assay/nodes/causal"
)

// grounding is how causal edges are verified.
type grounding struct {
	iterations  int
	threshold   float64 // confidence from which a verdict grounds an edge
	adversarial bool
	topK        int // passages for each side of a search
}

func defaultGrounding() grounding {
	return grounding{iterations: 3, threshold: 0.6, adversarial: true, topK: 3}
}

// Options are those of the pipeline.
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
