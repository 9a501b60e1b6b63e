package render

import (
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// Verdicts prints the claims of a check, if it has any, and what the unsupported ones
// lack.
func Verdicts(a *cli.App, check *state.ClaimCheck, files verify.Locator, quotes bool) {
	if len(check.Claims) == 0 {
		return
	}
	look := Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	fmt.Fprint(a.Stdout, Markdown("## Claims\n", look), claimList(check.Claims, files, quotes))
	fmt.Fprintln(a.Stdout)
	for _, c := range check.Corrections {
		fmt.Fprintf(a.Stdout, "→ %s\n", Visible(c))
	}
	if len(check.Corrections) > 0 {
		fmt.Fprintln(a.Stdout)
	}
}

// CheckLine is the confidence of a check: a bar, the number, the counts.
func CheckLine(check *state.ClaimCheck) string {
	if check.ClaimsChecked == 0 {
		return "no claim was checked"
	}
	unsupported := check.ClaimsChecked - check.ClaimsSupported - check.ClaimsPartial - check.ClaimsUnjudged
	counts := []string{fmt.Sprintf("%d of %s supported", check.ClaimsSupported, cli.Count(check.ClaimsChecked, "claim"))}
	for _, of := range []struct {
		n    int
		what string
	}{{check.ClaimsInDoubt, "of them in doubt"}, {check.ClaimsPartial, "in part"}, {unsupported, "unsupported"}, {check.ClaimsUnjudged, "not judged"}} {
		if of.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	parts := []string{
		fmt.Sprintf("%s %.2f %s", Gauge(check.Confidence), check.Confidence, strings.ReplaceAll(check.Level, "_", " ")), strings.Join(counts, ", "),
	}
	if check.Rewritten > 0 {
		parts = append(parts, cli.Count(check.Rewritten, "sentence")+" rewritten")
	}
	if check.Unverified != "" {
		parts = append(parts, "not verified: "+Visible(check.Unverified))
	}
	return strings.Join(parts, " · ")
}

// Gauge draws a confidence.
func Gauge(confidence float64) string {
	full := min(max(int(confidence*barCells+.5), 0), barCells)
	return strings.Repeat("█", full) + strings.Repeat("░", barCells-full)
}

const barCells = 10

var claimMarks = map[state.ClaimStatus]string{state.Supported: "✓", state.PartiallySupported: "◐", state.Unsupported: "✗"}

// claimList shows each claim after its mark, with the reason if it is not supported, and
// with its quotes if they are wanted.
func claimList(claims []state.CheckedClaim, files verify.Locator, quotes bool) string {
	var b strings.Builder
	for _, c := range claims {
		fmt.Fprintf(&b, "%s %s\n", claimMarks[c.Status], OneLine(c.Claim))
		if c.Status == state.Supported && len(c.Doubts) > 0 {
			fmt.Fprintf(&b, "    supported; could not check: %s\n", doubts(c.Doubts))
		}
		if c.Status != state.Supported || c.Miscited || c.Error != "" {
			fmt.Fprintf(&b, "    %s\n", OneLine(c.Reasoning))
		}
		if c.Error != "" {
			fmt.Fprintf(&b, "    %s\n", OneLine(c.Error))
		}
		if !quotes {
			continue
		}
		for _, list := range []struct {
			what   string
			quotes []state.Quote
		}{{"for", c.Evidence}, {"against", c.Against}} {
			for _, q := range list.quotes {
				fmt.Fprintf(&b, "    %s: “%s”\n      %s\n", list.what, OneLine(q.Text), placeOf(q, files))
			}
		}
	}
	return Visible(b.String())
}

// doubts are the words of a claim that could not be checked.
func doubts(list []state.Doubt) string {
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = "*" + OneLine(d.Claim) + "*"
	}
	return strings.Join(words, ", ")
}

// placeOf names where a quote stands: the file as a person knows it, with the place in it
// where files know the passage.
func placeOf(q state.Quote, files verify.Locator) string {
	path, original, err := files.TextPath(q.Source)
	switch {
	case err != nil:
		return fmt.Sprintf("%s, bytes %d–%d", q.Source, q.Start, q.End)
	case path == "":
		return fmt.Sprintf("text of %s, bytes %d–%d", original, q.Start, q.End)
	}
	place := Place(path, original, q.Start, q.End)
	if known, ok := files.(interface {
		Passage(id string) (state.Passage, bool, error)
	}); ok {
		if p, found, err := known.Passage(q.Passage); err == nil && found {
			place = p.WhereIn([]state.QuoteSpan{{Start: q.Start, End: q.End}}) + " — " + place
		}
	}
	return place
}
