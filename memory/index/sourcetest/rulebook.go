package sourcetest

import (
	"fmt"

	"example.com/assay/state"
)

// Rulebook is a small corpus with numbered parts, headings, abbreviations, titles that
// others mention, near duplicates, and documents of one and of several passages.
func Rulebook() []state.Passage {
	var out []state.Passage
	add := func(doc, title, section, text string) {
		start, n := 0, 0
		for _, p := range out {
			if p.Doc == doc {
				start, n = p.End+10, n+1
			}
		}
		out = append(out, state.Passage{ID: fmt.Sprintf("%s#%d", doc, n), Doc: doc, Source: doc + ".md", Title: title, Section: section, Text: text, Start: start, End: start + len(text)})
	}
	add("clerks", "Clerks Act", "§ 5898. Appointment", "A clerk is appointed by the court. The court records the appointment.")
	add("clerks", "Clerks Act", "§ 5899. Records", "(a) A clerk keeps records of every hearing.")
	add("clerks", "Clerks Act", "§ 5899. Records", "(b) Whoever loses one notifies the court within ten days. Lost records are replaced.")
	add("clerks", "Clerks Act", "§ 5900. Fees", "A lost record costs four pounds under section 5899(b), and section 5899(b) again.")
	add("COBS", "Conduct rules", "Rule 8.7.1 Custody", "A firm keeps client money apart.")
	add("GEN", "General rules", "Rule 8.7.1 Notice", "A firm gives notice of a change of name.")
	add("guide", "Guide", "Lost records", "Lost records under § 5899(b) are common; § 5899(b) says what a clerk who lost a record must do.")
	add("guide", "Guide", "REQ-12 Login", "Users log in with a badge.")
	add("code", "42 U.S.C. Chapter 21", "§ 1983. Civil action", "Every person who deprives another is liable.")
	add("other", "Other Act", "§ 1983. Fences", "A fence is a person's own.")
	add("harbour", "Harbour handbook", "Lamps", "A lantern hangs on every quay. The lantern is trimmed at dusk, and in a gale the lantern is lowered.")
	add("harbour", "Harbour handbook", "Lamps > Keepers", "The Harbour Master Office (HMO) keeps the lantern oil. The HMO pays the keepers of each lantern.")
	add("harbour", "Harbour handbook", "Lines", "A towline is a rope that joins two boats. The towline is kept dry by the Harbour Master Office.")
	add("harbour", "Harbour handbook", "Lines > Lights", "A boat on a towline shows a lantern at night; its lamps burn until the quay.")
	add("houses", "The Red House", "", "It stands behind the customs shed, beside the well.")
	add("walk", "A walk", "", "The harbour walk passes The Red House, and ends at the well where a lantern burns.")
	add("copy", "A copy", "", "A lantern hangs on every quay. The lantern is trimmed at dusk, and in a gale the lantern is lowered.")
	add("copy2", "Records of clerks", "Lost records", "Whoever loses a record notifies the court; ten lost records end an appointment.")
	return out
}
