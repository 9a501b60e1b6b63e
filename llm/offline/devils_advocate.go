package offline

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/causal"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// The adversary looks for what the passages themselves hold against an edge: a
// sentence that denies it, one that says it the other way round, one that
// explains it by something else, and a design that cannot tell cause from effect.
// What it says is made of quotes and of templates around them.

func devilsAdvocate(in skills.DevilsAdvocateInput, orders *orderMemo) (skills.DevilsAdvocateOutput, error) {
	all, err := readEdge(causal.NewVariable(in.From), causal.NewVariable(in.To), in.Sources, orders)
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
		// A cause that is named after it is what explains, not what is explained.
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
