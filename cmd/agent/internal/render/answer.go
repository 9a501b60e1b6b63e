package render

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// modelNotes hold what a reader of a model's answers should know.
var modelNotes = map[string]string{
	offline.Name: "every sentence is a quote or a template around quotes",
}

// Answer prints an answer for people: its text, then its sources and verdicts.
func Answer(a *cli.App, answer state.Answer, files verify.Locator) {
	look := Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	if answer.Resolved != "" {
		fmt.Fprintf(a.Stdout, "searched for: %s\n\n", Visible(answer.Resolved))
	}
	fmt.Fprint(a.Stdout, SearchedFor(answer.Respelt))
	if answer.Answer != "" {
		fmt.Fprint(a.Stdout, Markdown(withLines(research.WithoutSources(answer.Answer), answer.Quotes), look))
		fmt.Fprintln(a.Stdout)
	}
	if len(answer.Sources) > 0 {
		fmt.Fprint(a.Stdout, Markdown("## Sources\n", look), Sources(answer.Sources, a.Stdout.Colour))
		fmt.Fprintln(a.Stdout)
	}
	for _, check := range []*state.ClaimCheck{answer.Verification.ClaimCheck, answer.Verification.Choice} {
		if check != nil {
			Verdicts(a, check, files, true)
		}
	}
	for _, line := range Measured(answer) {
		fmt.Fprint(a.Stdout, Markdown(line, look))
	}
	if a.Verbose && modelNotes[answer.Model] == "" {
		for _, line := range NodeUsage(answer.Metrics.NodeUsage) {
			fmt.Fprintln(a.Stdout, "  "+Visible(line))
		}
	}
}

// Measured are the lines below an answer: how well it fits the question, and what of it
// was checked. There are none without an answer.
func Measured(answer state.Answer) []string {
	if answer.Answer == "" {
		return nil
	}
	lines := []string{summary(answer)}
	if fit := relevanceLine(answer); fit != "" {
		lines = slices.Insert(lines, 0, fit)
	}
	return lines
}

// Sources lists sources on lines that are not wrapped, so that paths can be copied. With
// links a terminal opens a file on a click (OSC 8).
func Sources(sources []state.Source, links bool) string {
	var b strings.Builder
	for _, s := range sources {
		place := Visible(cmp.Or(s.Original, fmt.Sprintf("%s, bytes %d–%d", s.Path, s.Start, s.End)))
		if file := cmp.Or(s.Original, s.Path); links && filepath.IsAbs(file) {
			place = "\x1b]8;;" + fileURL(filepath.ToSlash(file)) + "\x1b\\" + place + "\x1b]8;;\x1b\\"
		}
		fmt.Fprintf(&b, "• [Query %d][Source %d] %s — %s\n", s.Query, s.Source, Visible(s.Where), place)
		if s.Stale != "" {
			fmt.Fprintf(&b, "  stale: %s\n", Visible(s.Stale))
		}
	}
	return b.String()
}

// fileURL is the address of a file. A path that begins with a drive's letter has a slash before it.
func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()
}

// relevanceLine is the headline: how well the passages answer the question, and how many
// of its parts were found. It is empty without an answer.
func relevanceLine(answer state.Answer) string {
	r := answer.Relevance
	if r == nil || answer.Status == state.StatusNoEvidence {
		return ""
	}
	parts := []string{"relevance " + r.Words(modelNotes[answer.Model] != "")}
	if r.Parts > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d parts of the question found", r.Found, r.Parts))
	}
	return strings.Join(parts, " · ")
}

// groundingParts counts the exact quotes and the supported claims of an answer. A claim
// that is itself a quote is not counted again.
func groundingParts(v state.Verification) []string {
	var parts []string
	if v.QuotesChecked > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d quotes exact", v.QuotesExact, v.QuotesChecked))
	}
	for _, c := range []struct {
		check *state.ClaimCheck
		what  string
	}{{v.ClaimCheck, "claim"}, {v.Choice, "reason"}} {
		switch {
		case c.check == nil:
		case c.check.Unverified != "":
			parts = append(parts, fmt.Sprintf("%d of %s supported, not verified: %s", c.check.ClaimsSupported, cli.Count(c.check.ClaimsChecked, c.what), Visible(c.check.Unverified)))
		case c.check == v.ClaimCheck && v.ClaimsQuoted == c.check.ClaimsChecked && v.QuotesChecked > 0:
		case c.check.ClaimsChecked > 0:
			parts = append(parts, fmt.Sprintf("%d of %s supported", c.check.ClaimsSupported, cli.Count(c.check.ClaimsChecked, c.what)))
		}
	}
	return parts
}

// summary is the last line: grounding, corpus, model and cost. The offline model costs
// nothing.
func summary(answer state.Answer) string {
	parts := groundingParts(answer.Verification)
	if answer.Metrics.MemoryHit {
		parts = append(parts, "from memory")
	}
	parts = append(parts, "corpus "+answer.Corpus)
	model := "model " + answer.Model
	if note := modelNotes[answer.Model]; note != "" {
		return strings.Join(append(parts, model+": "+note), " · ")
	}
	return strings.Join(append(parts, model, Usage(answer.Metrics.ModelUsage)), " · ")
}
