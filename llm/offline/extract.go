package offline

import (
	"strings"
	"unicode/utf8"

	"example.com/assay/decide/obligation"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
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
