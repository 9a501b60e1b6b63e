package eval

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/extract"
	"example.com/assay/state"
)

// Names of the metrics of a run. A run has those that apply to it.
const (
	MetricChoice            = "choice_accuracy"    // 1 when the choice is the gold one
	MetricAnswerF1          = "answer_f1"          // of words, against the gold answer (Rajpurkar et al., SQuAD, EMNLP 2016)
	MetricClaimSupport      = "claim_support"      // claims that are supported, of those checked
	MetricHallucination     = "hallucination_rate" // claims without any support, of those checked
	MetricClaimAccuracy     = "claim_accuracy"     // gold claims whose verdict is right
	MetricCitationPrecision = "citation_precision" // share of the citing claims that their citations support (Gao et al., ALCE, EMNLP 2023)
	MetricCitationRecall    = "citation_recall"    // share of the supported claims that cite their support
	MetricPassagePrecision  = "passage_precision"  // gold ones, of the sources cited
	MetricPassageRecall     = "passage_recall"     // cited, of the gold passages
	MetricQuoteExactness    = "quote_exactness"    // quotes that are the bytes of their source
	MetricFieldPrecision    = "field_precision"    // values that are gold, of those found
	MetricFieldRecall       = "field_recall"       // values found, of the gold ones
	MetricFieldF1           = "field_f1"
	MetricEdgeAccuracy      = "edge_accuracy"  // gold edges decided rightly
	MetricEdgeMacroF1       = "edge_macro_f1"  // mean of F1 of grounded and of rejected
	MetricCRAGTrigger       = "crag_triggered" // 1 when a correction was tried
	MetricCRAGSuccess       = "crag_success"   // of those, 1 when the last response is grounded
)

// metricNames are the metrics that a case can bound.
var metricNames = []string{
	MetricAnswerF1, MetricChoice, MetricCitationPrecision, MetricCitationRecall, MetricClaimAccuracy, MetricClaimSupport, MetricEdgeAccuracy,
	MetricEdgeMacroF1, MetricFieldF1, MetricFieldPrecision, MetricFieldRecall, MetricPassagePrecision, MetricPassageRecall, MetricQuoteExactness,
}

// lowerIsBetter are metrics that a regression raises.
var lowerIsBetter = []string{MetricHallucination, MetricCRAGTrigger, "calls", "input_tokens", "output_tokens", "cost"}

// measure computes the metrics that apply to a pipeline's answer.
func measure(c Case, a state.Answer) map[string]float64 {
	scores := map[string]float64{}
	if gold := cmp.Or(c.Gold.Choice, c.Want.Choice); gold != "" {
		scores[MetricChoice] = metrics.One(a.Choice == gold)
	}
	if c.Gold.Answer != "" {
		scores[MetricAnswerF1] = metrics.TokenF1(c.Gold.Answer, a.Answer)
	}
	if v := a.Verification; v.QuotesChecked > 0 {
		scores[MetricQuoteExactness] = metrics.Rate(v.QuotesExact, v.QuotesChecked)
	}
	passageScores(scores, c.Gold.Passages, a.Sources)
	if check := a.Verification.ClaimCheck; check != nil {
		claimScores(scores, c.Gold.Claims, check)
	}
	return scores
}

func passageScores(scores map[string]float64, gold []string, sources []state.Source) {
	if len(gold) == 0 {
		return
	}
	is := func(s state.Source, passage string) bool {
		doc, section, _ := strings.Cut(passage, "#")
		return s.Doc == doc && strings.Contains(s.Section, section)
	}
	right, found := 0, 0
	for _, s := range sources {
		if slices.ContainsFunc(gold, func(passage string) bool { return is(s, passage) }) {
			right++
		}
	}
	for _, passage := range gold {
		if slices.ContainsFunc(sources, func(s state.Source) bool { return is(s, passage) }) {
			found++
		}
	}
	scores[MetricPassagePrecision], scores[MetricPassageRecall] = metrics.Rate(right, len(sources)), metrics.Rate(found, len(gold))
}

func claimScores(scores map[string]float64, gold map[string]string, check *state.ClaimCheck) {
	if check.CRAGAttempts > 0 {
		scores[MetricCRAGSuccess] = metrics.One(check.IsGrounded || check.Corrected)
	}
	if check.ClaimsChecked == 0 {
		return
	}
	scores[MetricCRAGTrigger] = metrics.One(check.CRAGAttempts > 0)
	scores[MetricClaimSupport] = metrics.Rate(check.ClaimsSupported, check.ClaimsChecked)
	unsupported, citing, precise, cited := 0, 0, 0, 0
	for _, claim := range check.Claims {
		supported := claim.Status == state.Supported
		if claim.Status == state.Unsupported {
			unsupported++
		}
		if len(claim.Cites) > 0 {
			citing++
		}
		if len(claim.Cites) > 0 && supported && !claim.Miscited {
			precise++
		}
		if len(claim.Cites) > 0 && supported {
			cited++
		}
	}
	scores[MetricHallucination] = metrics.Rate(unsupported, len(check.Claims))
	if citing > 0 {
		scores[MetricCitationPrecision] = metrics.Rate(precise, citing)
		scores[MetricCitationRecall] = metrics.Rate(cited, check.ClaimsSupported)
	}
	if len(gold) == 0 {
		return
	}
	right := 0
	for _, text := range slices.Sorted(maps.Keys(gold)) {
		at := slices.IndexFunc(check.Claims, func(claim state.CheckedClaim) bool { return strings.Contains(claim.Claim, text) })
		if at >= 0 && string(check.Claims[at].Status) == gold[text] {
			right++
		}
	}
	scores[MetricClaimAccuracy] = metrics.Rate(right, len(gold))
}

// edgeScores compare the decisions on edges. An edge that was not decided is
// wrong.
func edgeScores(gold map[string]string, edges []causal.Edge) map[string]float64 {
	if len(gold) == 0 {
		return nil
	}
	status := map[string]causal.EdgeStatus{}
	for _, e := range edges {
		status[e.ID] = e.Status
	}
	var counts metrics.Confusion
	right := 0
	for _, id := range sortedKeys(gold) {
		is := status[id]
		wanted := causal.EdgeStatus(gold[id])
		if is == wanted {
			right++
		}
		counts.Count(wanted == causal.EdgeGrounded, is == causal.EdgeGrounded)
	}
	return map[string]float64{MetricEdgeAccuracy: metrics.Rate(right, len(gold)), MetricEdgeMacroF1: counts.MacroF1()}
}

// fieldScores compare normalised values, field by field.
func fieldScores(gold map[string]string, a extract.Answer) map[string]float64 {
	if len(gold) == 0 {
		return nil
	}
	right := 0
	for _, v := range a.Fields {
		if want, ok := gold[v.Field]; ok && v.Value == want {
			right++
		}
	}
	precision, recall := metrics.Rate(right, len(a.Fields)), metrics.Rate(right, len(gold))
	f1 := 0.0
	if right > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	return map[string]float64{MetricFieldPrecision: precision, MetricFieldRecall: recall, MetricFieldF1: f1}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
