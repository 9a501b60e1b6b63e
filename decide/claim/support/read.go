package support

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Reading says how far sources support a claim, by its words.
type Reading struct {
	Status     state.ClaimStatus
	Confidence float64 // calibrated, 0 to 1
	Quotes     []Place // sentences of the sources that support the claim, the most important first; none if it is unsupported
	Reason     string
}

// Read judges a claim by the sentences of one document: words in several documents do not add up.
// Of several documents, the one that supports it most counts; among equals, one with sentences
// before one with only titles, then the first. Quotes are byte ranges of the sources. Read does not
// detect contradictions, such as another number or a negation: claim.Check does.
func Read(said string, sources []Source) (Reading, error) {
	m, err := Default()
	if err != nil {
		return Reading{}, err
	}
	var best Reading
	var most float64
	for i, group := range byDocument(sources) {
		r, balanced := m.read(said, sources, group)
		if quoted := len(r.Quotes) > 0; i == 0 || quoted && len(best.Quotes) == 0 || quoted == (len(best.Quotes) > 0) && balanced > most {
			best, most = r, balanced
		}
	}
	return best, nil
}

// byDocument groups the indices of the sources by document. There is at least one group.
func byDocument(sources []Source) [][]int {
	out := make([][]int, 0, 1)
	at := map[string]int{}
	for i, src := range sources {
		group, known := at[src.Doc]
		if !known {
			group = len(out)
			at[src.Doc] = group
			out = append(out, nil)
		}
		out[group] = append(out[group], i)
	}
	if len(out) == 0 {
		return append(out, nil)
	}
	return out
}

// read judges a claim by some of the sources. balanced is Judgement.Balanced.
func (m *Model) read(said string, sources []Source, some []int) (out Reading, balanced float64) {
	own := make([]Source, len(some))
	for i, at := range some {
		own[i] = sources[at]
	}
	evidence := m.PrepareSources(own)
	judged := evidence.Judge(said)
	out = Reading{Status: judged.Status, Confidence: judged.P}
	for _, at := range judged.Best {
		// A source that was not valid UTF-8 has lost bytes: the replacement character is in no
		// source.
		if p, ok := evidence.Place(at); ok && !strings.ContainsRune(own[p.Source].Text[p.Start:p.End], utf8.RuneError) {
			out.Quotes = append(out.Quotes, Place{Source: some[p.Source], Start: p.Start, End: p.End})
		}
	}
	if judged.Status == state.Supported && len(out.Quotes) == 0 { // only titles and headings support it
		out.Status = state.PartiallySupported
	}
	if judged.Status == state.Unsupported {
		out.Quotes = nil
	}
	out.Reason = reasonOf(judged, len(out.Quotes) > 0)
	return out, judged.Balanced
}

// reasonOf describes the reason for a judgement.
func reasonOf(j Judgement, quoted bool) string {
	var missing []string
	if len(j.Numbers) > 0 {
		missing = append(missing, "the numbers "+named(j.Numbers))
	}
	if len(j.Missing) > 0 {
		missing = append(missing, "the words "+named(j.Missing))
	}
	lacks := "every word of the claim has a counterpart in the sources"
	if len(missing) > 0 {
		lacks = "the sources lack " + strings.Join(missing, " and ")
	}
	switch {
	case j.Copied:
		return "A source says it word for word."
	case j.Status == state.Supported && !quoted:
		return "Only titles and headings speak of it; no sentence does."
	case j.Status == state.Supported:
		return fmt.Sprintf("The quoted sentences carry the claim by its words; %s.", lacks)
	case j.Status == state.PartiallySupported:
		return fmt.Sprintf("The evidence is too thin to tell whether the whole claim is supported; %s.", lacks)
	case len(missing) == 0:
		return "No sentence, and no few together, say what the claim says, though its words occur."
	}
	return fmt.Sprintf("The claim was not found; %s.", lacks)
}

// mostNamed is how many missing words a reason names.
const mostNamed = 6

func named(words []string) string {
	rest := ""
	if n := len(words) - mostNamed; n > 0 {
		words, rest = words[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "“" + text.Clip(w, 40) + "”"
	}
	return strings.Join(quoted, ", ") + rest
}
