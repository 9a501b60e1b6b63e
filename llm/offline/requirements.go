package offline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/decide/obligation"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Extracting requirements reads each part of a source, or each sentence of a source without parts,
// and quotes those that are rules (package obligation), at a length at which they can be read
// alone. Prompt injections, definitions and placeholders are left out.

func extract(in skills.RequirementsInput) (skills.RequirementsOutput, error) {
	m, err := obligation.Default()
	if err != nil {
		return skills.RequirementsOutput{}, err
	}
	out := skills.RequirementsOutput{Requirements: []skills.ExtractedRequirement{}}
	for _, src := range in.Sources {
		barred := append(slices.Clone(ordersIn(src.Text)), obligation.Placeholders(src.Text)...)
		if len(src.Parts) == 0 {
			for _, s := range text.Sentences(src.Text) {
				src.Parts = append(src.Parts, skills.SourcePart{Start: s.Start, End: s.End})
			}
		}
		var read []obligation.Listing
		var fits []obligation.Excerpt
		for _, part := range src.Parts {
			sentence := src.Text[part.Start:part.End]
			if strings.HasPrefix(strings.TrimSpace(sentence), "#") || strings.ContainsRune(sentence, utf8.RuneError) || strings.Contains(sentence, state.Withheld) ||
				slices.ContainsFunc(barred, func(b text.Span) bool { return b.Start < part.End && part.Start < b.End }) {
				continue
			}
			x := obligation.Fit(src.Text, text.Span{Start: part.Start, End: part.End})
			fits = append(fits, x)
			read = append(read, obligation.Listing{Sentence: sentence, Label: part.Label, Item: part.Item, Degree: m.Degree(sentence, strings.TrimSpace(x.Lead(src.Text, part.Start)), part.Label)})
		}
		obligation.Listed(read)
		for i, x := range fits {
			quote := src.Text[x.Quote.Start:x.Quote.End]
			if read[i].Degree == obligation.NoRule || obligation.Leads(quote) {
				continue // a lead-in goes with its items
			}
			out.Requirements = append(out.Requirements, skills.ExtractedRequirement{Source: src.N, Quote: quote, Confidence: read[i].Degree.Confidence(x)})
		}
	}
	return out, nil
}

// leastCited is the least share of a statement found in its requirements.
const leastCited = .6

// covered returns the share, by length, of stems in a text, 0 to 1, and their number.
func covered(stems []string, body string) (share float64, own int) {
	in := text.Terms(body, text.DocStops)
	sum, all := 0.0, 0.0
	for _, s := range stems {
		weight := float64(min(len(s), 8))
		all += weight
		if slices.Contains(in, s) {
			sum += weight
			own++
		}
	}
	return sum / max(all, 1), own
}

// relevance returns the relevance of a requirement: relative to the others found, or else on its
// own.
func relevance(question string, r skills.QuotedRequirement) (of, least float64) {
	if r.Least > 0 {
		return r.Relevance, r.Least
	}
	place := obligation.Place{Quote: r.Quote, Above: r.Document + "\n" + r.Section}
	asked := obligation.Weigh(question, []obligation.Place{place})
	return asked.Relevance(place), asked.Least(0)
}

func ground(in skills.GroundingInput) (skills.GroundingOutput, error) {
	if strings.TrimSpace(in.Question) == "" {
		return skills.GroundingOutput{}, errBlank
	}
	r := in.Requirement
	of, least := relevance(in.Question, r)
	out := skills.GroundingOutput{ID: r.ID, Reason: "none", Rationale: fmt.Sprintf("It speaks of %.0f %% of what the question asks about", 100*of)}
	if of < least && r.Answers {
		out.Rationale = "It answers the question by its meaning, in other words"
	}
	switch {
	case of < least && !r.Answers:
		out.Reason = string(state.NotRelevant)
		out.Rationale += ", which is too little."
	case obligation.Defers(r.Quote):
		out.Reason = string(state.NeedsInference)
		out.Rationale = "What has to be done stands in another place that the quote refers to."
	default:
		out.Verified = true
		out.Rationale += ", and stands alone."
	}
	return out, nil
}

func reviewAnswer(in skills.ReviewInput) (skills.ReviewOutput, error) {
	quotes := map[string]string{}
	for _, r := range in.Requirements {
		quotes[r.ID] = r.Quote
	}
	out := skills.ReviewOutput{Findings: []skills.ReviewFinding{}}
	for _, s := range in.Statements {
		var cited []string
		for _, id := range s.IDs {
			cited = append(cited, quotes[id])
		}
		stems := text.Terms(s.Text, text.DocStops)
		if share, own := covered(stems, strings.Join(cited, "\n")); share < leastCited && len(stems) > 0 {
			out.Findings = append(out.Findings, skills.ReviewFinding{
				Statement: s.N, Problem: fmt.Sprintf("the requirements that it cites hold %d of its %d content words", own, len(stems)),
			})
		}
	}
	return out, nil
}
