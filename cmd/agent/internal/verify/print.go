package verify

import (
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/verify"
)

// printVerified prints a checked response for people: its text, the verdict on each claim,
// the confidence, and a correction.
func printVerified(a *cli.App, answer verify.Answer, files verify.Locator, showClaims bool) {
	look := render.Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	if answer.FinalResponse != "" {
		fmt.Fprint(a.Stdout, render.Markdown(answer.FinalResponse, look))
		fmt.Fprintln(a.Stdout)
	}
	if check := answer.Verification.ClaimCheck; check != nil && len(answer.History) > 0 {
		render.Verdicts(a, check, files, showClaims)
		if answer.Correction != nil {
			printCorrection(a, *answer.Correction)
		}
		fmt.Fprintln(a.Stdout, render.CheckLine(check))
	}
	if words := answer.Words(); words != "" {
		fmt.Fprintln(a.Stdout, render.Visible(words))
	}
}

// printCorrection prints the suggested correction of a response, with its quotes.
func printCorrection(a *cli.App, c verify.Correction) {
	look := render.Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	fmt.Fprint(a.Stdout, render.Markdown("## Suggested correction\n\n"+c.Response, look))
	fmt.Fprintln(a.Stdout)
	for _, s := range c.Sources {
		fmt.Fprintf(a.Stdout, "• %s\n  %s\n", render.Visible("["+s.Label+"] "+s.Where), render.Visible(render.Place(s.Path, s.Original, s.Start, s.End)))
		for _, q := range s.Quotes {
			fmt.Fprintf(a.Stdout, "  “%s”\n", render.Visible(render.OneLine(q.Text)))
		}
		if s.Stale != "" {
			fmt.Fprintf(a.Stdout, "  stale: %s\n", render.Visible(s.Stale))
		}
	}
	fmt.Fprintf(a.Stdout, "\nIn the correction %d of %s supported. The line below is about the original response.\n\n", c.Supported, cli.Count(c.Checked, "claim"))
}
