package offline

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/llm/offline/support"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Judging a claim counts what the sources' sentences hold of it, weighed by
// what was learned from judged claims (package support). Sentences that give
// orders to a reader like us are no evidence. Quotes are sentences of the
// sources, byte for byte, those that add most of the claim first. What a claim
// says otherwise than a source (another number, a negation) is not looked for
// here: code compares that for every model, after its answer.

func judgeClaim(in skills.JudgeInput, orders *orderMemo) (skills.JudgeOutput, error) {
	m, err := support.Default()
	if err != nil {
		return skills.JudgeOutput{}, err
	}
	sources := make([]support.Source, len(in.Sources))
	for i, src := range in.Sources {
		sources[i] = support.Source{Title: src.Title, Section: src.Section, Text: src.Text, Skip: orders.in(src.Text)}
	}
	evidence := m.PrepareSources(sources)
	judged := evidence.Judge(in.Claim)
	out := skills.JudgeOutput{
		Status: string(judged.Status), Confidence: judged.P,
		Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{},
	}
	for _, at := range judged.Best {
		// A text that was not valid UTF-8 has lost bytes on its way here: what
		// stands in their place is in no source.
		if p, ok := evidence.Place(at); ok && !strings.ContainsRune(in.Sources[p.Source].Text[p.Start:p.End], utf8.RuneError) {
			out.Quotes = append(out.Quotes, skills.SourceQuote{Source: in.Sources[p.Source].N, Text: in.Sources[p.Source].Text[p.Start:p.End]})
		}
	}
	if judged.Status == state.Supported && len(out.Quotes) == 0 { // titles and headings alone
		out.Status = string(state.PartiallySupported)
	}
	if judged.Status == state.Unsupported {
		out.Quotes = []skills.SourceQuote{}
	}
	out.Reason = judgeReason(judged, len(out.Quotes) > 0)
	return out, nil
}

// judgeReason says in words what a judgement rests on.
func judgeReason(j support.Judgement, quoted bool) string {
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
		quoted[i] = "“" + clip(w, 40) + "”"
	}
	return strings.Join(quoted, ", ") + rest
}
