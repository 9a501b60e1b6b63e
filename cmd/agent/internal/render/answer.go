package render

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// Answer prints an answer for people: its text, then its sources and verdicts.
func Answer(a *cli.App, answer state.Answer, files verify.Locator) {
	look := Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	if answer.Resolved != "" {
		fmt.Fprintf(a.Stdout, "searched for: %s\n\n", Visible(answer.Resolved))
	}
	fmt.Fprint(a.Stdout, SearchedFor(answer.Respelt))
	if answer.Answer != "" {
		fmt.Fprint(a.Stdout, Markdown(withLines(research.WithoutSources(answer.Answer), answer), look))
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
	for _, line := range Measured(answer, a.Verbose) {
		fmt.Fprint(a.Stdout, Markdown(line, look))
	}
	if a.Verbose && answer.Model != offline.Name {
		for _, line := range NodeUsage(answer.Metrics.NodeUsage) {
			fmt.Fprintln(a.Stdout, "  "+Visible(line))
		}
	}
}

// Measured are the lines below an answer: one that says what of it was checked, and where
// it is from. In full there are also how well it fits the question, and what the model
// used. There are none without an answer.
func Measured(answer state.Answer, full bool) []string {
	if answer.Answer == "" {
		return nil
	}
	lines := []string{summary(answer, full)}
	if fit := relevanceLine(answer); fit != "" && full {
		lines = append(lines, fit)
	}
	return lines
}

// Sources lists sources on lines that are not wrapped, so that paths can be copied. With
// links a terminal opens a file on a click (OSC 8). The bytes are those of the quotes.
func Sources(sources []state.Source, links bool) string {
	var b strings.Builder
	for _, s := range sources {
		start, end := s.Start, s.End
		if n := len(s.Quotes); n > 0 {
			start, end = s.Quotes[0].Start, s.Quotes[n-1].End
			for _, q := range s.Quotes {
				start, end = min(start, q.Start), max(end, q.End)
			}
		}
		place := Visible(Place(s.Path, s.Original, start, end))
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

// Place names bytes of a source as a person finds them: the file itself, with the line and
// the bytes where the file is the text that they count in.
func Place(path, original string, start, end int) string {
	if original != "" {
		return original
	}
	if data, err := os.ReadFile(path); err == nil && start <= len(data) {
		return fmt.Sprintf("%s, line %d, bytes %d–%d", path, 1+bytes.Count(data[:start], []byte("\n")), start, end)
	}
	return fmt.Sprintf("%s, bytes %d–%d", path, start, end)
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
	parts := []string{"relevance " + r.Words(answer.Model == offline.Name)}
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
		exact := fmt.Sprintf("%d exact", v.QuotesExact)
		switch {
		case v.QuotesExact == v.QuotesChecked && v.QuotesExact == 1:
			exact = "exact"
		case v.QuotesExact == v.QuotesChecked:
			exact = "all exact"
		}
		parts = append(parts, cli.Count(v.QuotesChecked, "quote")+", "+exact)
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

// summary is the line below an answer: grounding, corpus and model. In full it has the
// calls of the model and their cost; the offline model costs nothing.
func summary(answer state.Answer, full bool) string {
	parts := groundingParts(answer.Verification)
	if answer.Metrics.MemoryHit {
		parts = append(parts, "from memory")
	}
	parts = append(parts, "corpus "+answer.Corpus)
	parts = append(parts, answer.Model)
	if full && answer.Model != offline.Name {
		parts = append(parts, Usage(answer.Metrics.ModelUsage))
	} else if cost := Cost(answer.Metrics.ModelUsage); cost != "" {
		parts = append(parts, strings.TrimPrefix(cost, ", "))
	}
	return strings.Join(parts, " · ")
}
