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

// Extracting requirements reads each sentence of a source by its cues (package
// obligation) and quotes those that lay a duty down, at the length at which they
// can stand alone. Sentences that give orders to a reader like us, definitions
// and what holds a place open are left out.

func extract(in skills.RequirementsInput, memo *orderMemo) (skills.RequirementsOutput, error) {
	m, err := obligation.Default()
	if err != nil {
		return skills.RequirementsOutput{}, err
	}
	out := skills.RequirementsOutput{Requirements: []skills.ExtractedRequirement{}}
	for _, src := range in.Sources {
		orders := memo.in(src.Text)
		holes := obligation.Placeholders(src.Text)
		for _, s := range text.Sentences(src.Text) {
			ordered := false
			for _, o := range orders {
				ordered = ordered || o.Start < s.End && s.Start < o.End
			}
			for _, h := range holes {
				ordered = ordered || h.Start < s.End && s.Start < h.End
			}
			sentence := src.Text[s.Start:s.End]
			if ordered || strings.HasPrefix(strings.TrimSpace(sentence), "#") || strings.ContainsRune(sentence, utf8.RuneError) {
				continue
			}
			if strings.Count(strings.TrimSpace(sentence), " ") < 1 {
				continue // a heading or a label
			}
			r := m.Read(sentence)
			x := obligation.Fit(src.Text, s)
			if lead := leadOf(src.Text, s, x); lead != "" {
				of := m.Read(lead) // "A keeper must:" binds its items
				if !r.Obligation && !r.Defines {
					r = of
				}
				r.Defines = r.Defines || of.Defines
			}
			quote := src.Text[x.Quote.Start:x.Quote.End]
			if !r.Obligation || r.Defines || obligation.Leads(quote) {
				continue // a lead-in goes with its items
			}
			confidence := "high"
			switch {
			case x.Limited || !r.Explicit && !r.Imperative || reference.MatchString(quote):
				confidence = "low"
			case x.Cut || !r.Explicit:
				confidence = "medium"
			}
			out.Requirements = append(out.Requirements, skills.ExtractedRequirement{Source: src.N, Quote: quote, Confidence: confidence})
		}
	}
	return out, nil
}

// leadOf are the lead-ins of an item of a list.
func leadOf(whole string, s text.Span, x obligation.Excerpt) string {
	lead := ""
	for _, stem := range x.Stems {
		lead += whole[stem.Start:stem.End] + " "
	}
	return lead + whole[min(x.Quote.Start, s.Start):s.Start]
}

// Grounding a requirement counts how much of what a question asks about stands in
// the quote: the share of the question's content stems, by length, that the quote
// or, for half, its headings have. Reviewing counts the same the other way round.

const (
	// leastCovered is the share of a question that a requirement must hold.
	leastCovered = .15
	// headingShare is what a stem counts for that only the headings have.
	headingShare = .5
	// leastCited is the share of a statement that its requirements must hold.
	leastCited = .6
)

// subject are the distinct content stems of a question, in their order.
func subject(question string) []string {
	var out []string
	for _, w := range obligation.Subject(question) {
		out = append(out, w.Stem)
	}
	return out
}

// covered is how much of stems a text holds, 0 to 1, and how many of them the text
// itself has.
func covered(stems []string, body, headings string) (share float64, own int) {
	in, above := text.Terms(body, text.DocStops), text.Terms(headings, text.DocStops)
	sum, all := 0.0, 0.0
	for _, s := range stems {
		weight := float64(min(len(s), 8))
		all += weight
		switch {
		case slices.Contains(in, s):
			sum += weight
			own++
		case slices.Contains(above, s):
			sum += headingShare * weight
		}
	}
	if all == 0 {
		return 0, 0
	}
	return sum / all, own
}

func ground(in skills.GroundingInput) (skills.GroundingOutput, error) {
	if strings.TrimSpace(in.Question) == "" {
		return skills.GroundingOutput{}, errBlank
	}
	r := in.Requirement
	stems := subject(in.Question)
	share, own := covered(stems, r.Quote, r.Document+"\n"+r.Section)
	out := skills.GroundingOutput{ID: r.ID, Reason: "none"}
	switch {
	case share < leastCovered || own < min(2, len(stems)):
		out.Reason = string(state.NotRelevant)
		out.Rationale = fmt.Sprintf("The quote holds %d of the %d words that the question asks about.", own, len(stems))
	case defers(r.Quote):
		out.Reason = string(state.NeedsInference)
		out.Rationale = "What has to be done stands in another place that the quote refers to."
	case !obligation.Complete(r.Quote, false):
		out.Reason = string(state.IncompleteQuote)
		out.Rationale = "The quote does not say by itself who or what is bound."
	default:
		out.Verified = true
		out.Rationale = fmt.Sprintf("The quote holds %d of the %d words that the question asks about, and stands alone.", own, len(stems))
	}
	return out, nil
}

// defers reports whether a quote leaves what has to be done to another place:
// beside its reference little is said.
func defers(quote string) bool {
	const least = 4 // content stems beside the reference
	rest := reference.ReplaceAllString(quote, " ")
	return rest != quote && len(text.Terms(rest, text.DocStops)) < least
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
		if share, own := covered(stems, strings.Join(cited, "\n"), ""); share < leastCited && len(stems) > 0 {
			out.Findings = append(out.Findings, skills.ReviewFinding{
				Statement: s.N, Problem: fmt.Sprintf("the requirements that it cites hold %d of its %d content words", own, len(stems)),
			})
		}
	}
	return out, nil
}
