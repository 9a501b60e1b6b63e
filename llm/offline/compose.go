package offline

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Composing an answer lists quotes: the requirements that are most relevant, each between
// quotation marks and followed by its ids. Requirements of the same words are one
// statement; a requirement brings those it conflicts with.

const (
	// mostStatements bounds an answer.
	mostStatements = 8
	// besideBest is the share of the best requirement's score below which one is left out.
	besideBest = .3
	// placeShare is the rate at which a requirement's weight falls with its place: the requirements
	// of each kind of source are in the order in which their passages were found.
	placeShare = .5
)

func compose(in skills.ComposeInput) (skills.ComposeOutput, error) {
	if strings.TrimSpace(in.Question) == "" {
		return skills.ComposeOutput{}, errBlank
	}
	order, score := byQuestion(in)
	use := map[int]bool{}
	said := map[string]bool{} // the words of used requirements: copies come with them
	best := 0.0
	if len(order) > 0 {
		best = score[order[0]]
	}
	for _, i := range order {
		key := text.OneLine(in.Requirements[i].Quote)
		if said[key] {
			use[i] = true
			continue
		}
		if len(said) < mostStatements && (score[i] >= besideBest*best || len(said) == 0) && !objected(in, i) {
			use[i], said[key] = true, true
		}
	}
	for range in.Conflicts { // requirements in conflict with used ones are used, too, transitively
		for _, c := range in.Conflicts {
			a, b := numbered(in, c.A), numbered(in, c.B)
			if a >= 0 && b >= 0 && (use[a] || use[b]) {
				use[a], use[b] = true, true
			}
		}
	}
	return layOut(in, order, use), nil
}

// byQuestion sorts the requirements by their share of the question, and by their place.
func byQuestion(in skills.ComposeInput) (order []int, score []float64) {
	nth := map[string]int{} // number of earlier ones of the kind
	for i, r := range in.Requirements {
		of, _ := relevance(in.Question, r)
		nth[r.SourceType]++
		score = append(score, of*(1+1/(1+placeShare*float64(nth[r.SourceType]-1))))
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order, score
}

// objected reports whether a finding is about the words of a requirement's statement. Findings
// about IDs do not count: those written here are right.
func objected(in skills.ComposeInput, i int) bool {
	words := text.OneLine(in.Requirements[i].Quote)
	return slices.ContainsFunc(in.Findings, func(f skills.ComposeFinding) bool {
		about := []state.FindingKind{state.FindUnsupported, state.FindContradicted, state.FindByModel}
		return slices.Contains(about, state.FindingKind(f.Kind)) && strings.Contains(text.OneLine(f.Text), words)
	})
}

func numbered(in skills.ComposeInput, id string) int {
	return slices.IndexFunc(in.Requirements, func(r skills.QuotedRequirement) bool { return r.ID == id })
}

// layOut writes the answer of the requirements in use.
func layOut(in skills.ComposeInput, order []int, use map[int]bool) skills.ComposeOutput {
	out := skills.ComposeOutput{References: []skills.ComposeReference{}, Unused: []string{}, Confidence: "medium"}
	var lines []string
	statement := map[int]string{}
	for _, i := range order {
		if !use[i] || statement[i] != "" {
			continue
		}
		words := text.OneLine(in.Requirements[i].Quote)
		var ids []string
		for j, r := range in.Requirements {
			if use[j] && text.OneLine(r.Quote) == words {
				ids = append(ids, r.ID)
				statement[j] = "“" + words + "”"
			}
		}
		lines = append(lines, "- “"+words+"” ["+strings.Join(ids, ", ")+"]")
	}
	out.Answer = strings.Join(lines, "\n")
	for i, r := range in.Requirements {
		out.References = append(out.References, skills.ComposeReference{ID: r.ID, Used: use[i], Statement: statement[i]})
		if !use[i] {
			out.Unused = append(out.Unused, r.ID)
		}
	}
	switch n := len(lines); {
	case n >= 5:
		out.Confidence = "high"
	case n < 2:
		out.Confidence = "low"
	}
	return out
}
