package main

import (
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/cmd/agent/internal/traceview"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// modelNotes say of a model what a reader of its answers should know.
var modelNotes = map[string]string{
	offline.Name: "every sentence is a quote or a template around quotes",
}

// printAnswer prints an answer for people: its text, then what it rests on.
func (a *app) printAnswer(answer state.Answer, files verify.Locator) {
	look := render.Options{Width: a.stdout.width, Colour: a.stdout.colour}
	if answer.Answer != "" {
		fmt.Fprint(a.stdout, render.Markdown(withoutSources(answer.Answer), look))
		fmt.Fprintln(a.stdout)
	}
	if len(answer.Sources) > 0 {
		fmt.Fprint(a.stdout, render.Markdown("## Sources\n", look), sourceList(answer.Sources))
		fmt.Fprintln(a.stdout)
	}
	if check := answer.Verification.ClaimCheck; check != nil {
		a.printVerdicts(check, files, true)
		fmt.Fprintln(a.stdout, checkLine(check))
	}
	if answer.Answer != "" {
		fmt.Fprint(a.stdout, render.Markdown(summary(answer), look))
	}
	if a.verbose && modelNotes[answer.Model] == "" {
		for _, line := range traceview.NodeUsage(answer.Metrics.NodeUsage) {
			fmt.Fprintln(a.stdout, "  "+render.Visible(line))
		}
	}
}

// sourcesHeading begins the answer's own list of sources.
const sourcesHeading = "\n## Sources\n"

// withoutSources cuts the list of sources out of an answer: the one printed
// behind it says more. What follows the list, a choice, stays.
func withoutSources(answer string) string {
	at := strings.LastIndex(answer, sourcesHeading)
	if at < 0 {
		return answer
	}
	rest := answer[at+len(sourcesHeading):]
	if choice := strings.Index(rest, "\n\n---\n\n"); choice >= 0 {
		return answer[:at] + rest[choice:]
	}
	return answer[:at]
}

// sourceList is not wrapped: paths are to be copied.
func sourceList(sources []state.Source) string {
	var b strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&b, "• [Query %d][Source %d] %s\n  %s, bytes %d–%d", s.Query, s.Source, s.Where, s.Path, s.Start, s.End)
		if s.Original != "" {
			fmt.Fprintf(&b, "\n  text of %s", s.Original)
		}
		if s.Stale != "" {
			fmt.Fprintf(&b, "\n  stale: %s", s.Stale)
		}
		b.WriteByte('\n')
	}
	return render.Visible(b.String())
}

// summary is the last line: how sure, from what, by whom and at what cost. The
// offline model costs nothing.
func summary(answer state.Answer) string {
	parts := []string{fmt.Sprintf("confidence %.2f", answer.Confidence)}
	if v := answer.Verification; v.QuotesChecked > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d quotes exact", v.QuotesExact, v.QuotesChecked))
	}
	if answer.Metrics.MemoryHit {
		parts = append(parts, "from memory")
	}
	parts = append(parts, "corpus "+answer.Corpus)
	model := "model " + answer.Model
	if note := modelNotes[answer.Model]; note != "" {
		return strings.Join(append(parts, model+": "+note), " · ")
	}
	return strings.Join(append(parts, model, traceview.Usage(answer.Metrics.ModelUsage)), " · ")
}
