package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/decide/causal"
	"example.com/assay/decide/injection"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Judging an edge reads every sentence that mentions both variables, or one of them and the other
// by a pronoun that refers to the sentence before (package causal): the relation, its direction,
// its certainty, and whether it is denied. The best of each kind represents the passages: a plain
// causal sentence grounds an edge unless a denial of at least its weight contradicts it. Prompt
// injections are ignored as evidence.

// An edgeReading is a sentence of a source that mentions both variables.
type edgeReading struct {
	source int // its place in the input
	quote  string
	causal.Relation
	weight float64 // 0..1, certainty of the kind
	trial  bool    // its passage is about a study that can establish causes
	survey bool    // or about one that cannot
}

func readEdge(cause, effect causal.Variable, sources []skills.EdgeSource) ([]edgeReading, error) {
	w, err := causal.Shipped()
	if err != nil {
		return nil, err
	}
	var out []edgeReading
	for i, src := range sources {
		design := causal.Read(src.Title + " " + src.Text).Design()
		commands := ordersIn(src.Text)
		var before *causal.Sentence // that can be referred to
		var began text.Span
		for _, span := range text.Sentences(src.Text) {
			words := src.Text[span.Start:span.End]
			if strings.ContainsRune(words, utf8.RuneError) || slices.ContainsFunc(commands, func(o text.Span) bool { return o.Start < span.End && span.Start < o.End }) {
				before = nil
				continue
			}
			s := causal.Read(words)
			r, ok := s.Between(cause, effect, &w.Pair)
			if !ok && before != nil && !strings.Contains(src.Text[began.End:span.Start], "\n\n") {
				r, ok = s.BetweenAfter(before, cause, effect, &w.Pair)
				words = src.Text[began.Start:span.End]
			}
			before, began = s, span
			if ok {
				out = append(out, edgeReading{source: i, quote: words, Relation: r, weight: weight(r, design), trial: design == causal.Trial, survey: design == causal.Survey})
			}
		}
	}
	return out, nil
}

// weight returns how certain a sentence's kind is.
func weight(r causal.Relation, design causal.Design) float64 {
	w := .62
	if r.Plain {
		w += .14
	}
	switch design {
	case causal.Trial:
		w += .06
	case causal.Survey:
		w -= .04
	}
	if r.Hedged {
		w -= .12
	}
	if r.Distance > 10 {
		w -= min(float64(r.Distance-10)*.01, .12)
	}
	w += .12 * (r.Learned - r.TurnedP)
	return max(0, min(.95, w*r.Share))
}

// strongest returns the reading with the greatest weight among those that fit, the first of equals.
func strongest(all []edgeReading, fits func(edgeReading) bool) (edgeReading, bool) {
	var out edgeReading
	found := false
	for _, r := range all {
		if fits(r) && (!found || r.weight > out.weight) {
			out, found = r, true
		}
	}
	return out, found
}

func supports(r edgeReading) bool   { return r.Kind == causal.Direct && !r.Denied && !r.Reversed }
func reverses(r edgeReading) bool   { return r.Kind == causal.Direct && !r.Denied && r.Reversed }
func denies(r edgeReading) bool     { return r.Denied }
func correlates(r edgeReading) bool { return r.Kind == causal.Correlation && !r.Denied }

func judgeEdge(in skills.JudgeEdgeInput) (skills.JudgeEdgeOutput, error) {
	all, err := readEdge(causal.NewVariable(in.From).Or(in.FromNear...), causal.NewVariable(in.To).Or(in.ToNear...), in.Sources)
	if err != nil {
		return skills.JudgeEdgeOutput{}, err
	}
	out := skills.JudgeEdgeOutput{SupportType: string(state.Irrelevant)}
	yes, hasYes := strongest(all, supports)
	no, hasNo := strongest(all, denies)
	same, hasSame := strongest(all, correlates)
	turned, hasTurned := strongest(all, reverses)
	switch {
	case hasYes && (!hasNo || yes.weight > no.weight):
		out.IsGrounded, out.SupportType, out.SupportingQuote, out.Confidence = true, string(state.DirectCausal), yes.quote, yes.weight
		if hasNo {
			doubt := .15
			if yes.trial && !no.trial {
				doubt = .05
			}
			out.Confidence = max(0, out.Confidence-doubt)
			out.RejectionReason = fmt.Sprintf("Source %d denies it: “%s”", in.Sources[no.source].N, text.Clip(no.quote, 200))
		}
		return out, nil
	case hasNo:
		out.SupportingQuote, out.Confidence = no.quote, no.weight
		out.RejectionReason = fmt.Sprintf("Source %d finds no such effect.", in.Sources[no.source].N)
		return out, nil // found, and against it: nothing more to look for
	case hasSame:
		out.SupportType, out.SupportingQuote, out.Confidence = string(state.CorrelationOnly), same.quote, same.weight
		out.RejectionReason = fmt.Sprintf("Source %d says that the two go together, not that one causes the other.", in.Sources[same.source].N)
	case hasTurned:
		out.SupportingQuote, out.Confidence = turned.quote, turned.weight
		out.RejectionReason = fmt.Sprintf("Source %d says it the other way round.", in.Sources[turned.source].N)
	case len(all) > 0:
		out.RejectionReason = "Sentences mention both, and none says that one causes the other."
	default:
		out.RejectionReason = "No sentence mentions both."
	}
	out.RefinementQuery = refinement(in)
	return out, nil
}

// refinement returns the first query that was not asked: the two variables with the words most
// frequent next to one of them, with kinds of studies that can establish causes, or with words for
// mechanisms; "" if all were asked.
func refinement(in skills.JudgeEdgeInput) string {
	pair := in.From + " " + in.To
	known := map[string]bool{}
	for _, stem := range text.Terms(pair, text.DocStops) {
		known[stem] = true
	}
	var candidates []string
	if words := companions(in, known); len(words) > 0 {
		candidates = append(candidates, pair+" "+strings.Join(words, " "))
	}
	candidates = append(candidates, pair+" randomised trial intervention", pair+" mechanism pathway")
	for _, c := range candidates {
		if !slices.Contains(in.Asked, c) {
			return c
		}
	}
	return ""
}

// companions returns the two content words found in the most sentences with one of the variables, of
// equals the first by the alphabet.
func companions(in skills.JudgeEdgeInput, known map[string]bool) []string {
	cause, effect := causal.NewVariable(in.From), causal.NewVariable(in.To)
	n, word := map[string]int{}, map[string]string{}
	for _, src := range in.Sources {
		for _, span := range text.Sentences(src.Text) {
			s := causal.Read(src.Text[span.Start:span.End])
			if len(s.Mentions(cause)) == 0 && len(s.Mentions(effect)) == 0 {
				continue
			}
			seen := map[string]bool{}
			for _, t := range s.Tokens {
				if !t.Word || len(t.Low) < 4 || known[t.Stem] || seen[t.Stem] || text.DocStops.Has(t.Low) {
					continue
				}
				seen[t.Stem] = true
				n[t.Stem]++
				if w, ok := word[t.Stem]; !ok || t.Low < w {
					word[t.Stem] = t.Low
				}
			}
		}
	}
	stems := make([]string, 0, len(n))
	for stem, times := range n {
		if times > 1 {
			stems = append(stems, stem)
		}
	}
	slices.SortFunc(stems, func(a, b string) int { return cmp.Or(-cmp.Compare(n[a], n[b]), cmp.Compare(a, b)) })
	var out []string
	for _, stem := range stems[:min(2, len(stems))] {
		out = append(out, word[stem])
	}
	return out
}

// The adversary looks for counter-evidence in the passages themselves: a sentence that denies the
// edge, one that reverses it, one with another explanation, and a study design that cannot
// establish causes. Its text consists of quotes and of templates around them.

func devilsAdvocate(in skills.DevilsAdvocateInput) (skills.DevilsAdvocateOutput, error) {
	all, err := readEdge(causal.NewVariable(in.From), causal.NewVariable(in.To), in.Sources)
	if err != nil {
		return skills.DevilsAdvocateOutput{}, err
	}
	out := skills.DevilsAdvocateOutput{
		AlternativeExplanations: []string{}, StillGrounded: true, Conditions: conditions(in),
		Assumptions: []string{fmt.Sprintf("no common cause explains both %s and %s", in.From, in.To)},
		Reason:      "No passage gives another explanation that leaves it without support.",
	}
	yes, hasYes := strongest(all, supports)
	for _, r := range all {
		n := in.Sources[r.source].N
		switch {
		case denies(r):
			out.AlternativeExplanations = append(out.AlternativeExplanations, fmt.Sprintf("chance or bias: source %d says “%s”", n, text.Clip(r.quote, 200)))
			if r.trial && !(hasYes && yes.trial) || !hasYes {
				out.StillGrounded, out.Reason = false, fmt.Sprintf("Source %d, of a study that can tell, finds no such effect.", n)
			}
		case reverses(r):
			out.AlternativeExplanations = append(out.AlternativeExplanations, fmt.Sprintf("the reverse direction: source %d says “%s”", n, text.Clip(r.quote, 200)))
		case correlates(r) && r.survey:
			out.Assumptions = united(out.Assumptions, fmt.Sprintf("the association in source %d is not confounded", n))
		}
	}
	for _, src := range in.Sources {
		for _, quote := range confounded(in, src) {
			out.AlternativeExplanations = append(out.AlternativeExplanations, fmt.Sprintf("a common cause: source %d says “%s”", src.N, text.Clip(quote, 200)))
			if !(hasYes && yes.trial) {
				out.StillGrounded, out.Reason = false, fmt.Sprintf("Source %d explains it by something else, and no trial rules that out.", src.N)
			}
		}
	}
	if hasYes && yes.survey {
		out.Assumptions = united(out.Assumptions, "what the study did not measure does not explain it: it only observed")
	}
	return out, nil
}

// confounded returns sentences that speak of both variables and explain them by
// something else.
func confounded(in skills.DevilsAdvocateInput, src skills.EdgeSource) []string {
	cause, effect := causal.NewVariable(in.From), causal.NewVariable(in.To)
	var out []string
	for _, span := range text.Sentences(src.Text) {
		quote := src.Text[span.Start:span.End]
		low, at := strings.ToLower(quote), -1
		for _, c := range confounders {
			if i := strings.Index(low, c); i >= 0 && (at < 0 || i < at) {
				at = i
			}
		}
		if at < 0 || len(low) != len(quote) {
			continue
		}
		s := causal.Read(quote)
		// A cause named after it is the explanation, not the thing explained.
		named := slices.ContainsFunc(s.Mentions(cause), func(f causal.Found) bool { return s.Tokens[f.From].Start < at })
		if named && len(s.Mentions(effect)) > 0 {
			out = append(out, quote)
		}
	}
	return out
}

// confounders say that something else explains a finding.
var confounders = []string{"confounded by", "explained by", "disappeared after", "vanished after", "no longer significant", "reverse causation", "common cause", "spurious"}

// conditions are the circumstances that the quote names at its end: "in …" and
// "among …", word for word.
func conditions(in skills.DevilsAdvocateInput) []string {
	quote := strings.TrimRight(in.Quote, " .!")
	low := strings.ToLower(quote)
	at := max(strings.LastIndex(low, " in "), strings.LastIndex(low, " among "))
	if at < 0 || len(low) != len(quote) {
		return []string{}
	}
	tail := strings.TrimSpace(quote[at:])
	if words := len(strings.Fields(tail)); words < 2 || words > 8 {
		return []string{}
	}
	return []string{tail}
}

func united(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Drafting takes sentences of the form "cause – plain causal words – effect", in either order, and
// the noun phrases on both sides, verbatim. It does not find effects expressed by a verb ("smokers
// die younger").

func draftEdges(in skills.DraftEdgesInput) (skills.DraftEdgesOutput, error) {
	out := skills.DraftEdgesOutput{Edges: []skills.DraftedEdge{}}
	seen := map[string]bool{}
	for _, src := range in.Sources {
		orders := injection.Instructions(src.Text)
		for _, span := range text.Sentences(src.Text) {
			if slices.ContainsFunc(orders, func(o injection.Instruction) bool { return o.Start < span.End && span.Start < o.End }) {
				continue
			}
			words := src.Text[span.Start:span.End]
			from, to, hedged, ok := causal.Draft(words)
			key := strings.ToLower(from + "\x00" + to)
			if !ok || seen[key] {
				continue
			}
			seen[key] = true
			e := skills.DraftedEdge{From: from, To: to, Strength: "moderate", ChainOfThought: fmt.Sprintf("Source %d says: “%s”", src.N, text.Clip(words, 300))}
			if hedged {
				e.Strength = "weak"
			}
			out.Edges = append(out.Edges, e)
		}
	}
	return out, nil
}
