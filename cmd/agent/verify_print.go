package main

import (
	"fmt"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/verify"
)

// printVerified prints a checked response for people: its text as it was given,
// what was found on each claim, how sure that makes, and a correction behind it.
func (a *app) printVerified(answer verify.Answer, files verify.Locator, showClaims bool) {
	look := render.Options{Width: a.stdout.width, Colour: a.stdout.colour}
	if answer.FinalResponse != "" {
		fmt.Fprint(a.stdout, render.Markdown(answer.FinalResponse, look))
		fmt.Fprintln(a.stdout)
	}
	if check := answer.Verification.ClaimCheck; check != nil && len(answer.History) > 0 {
		a.printVerdicts(check, files, showClaims)
		if answer.Correction != nil {
			a.printCorrection(*answer.Correction)
		}
		fmt.Fprintln(a.stdout, checkLine(check))
	}
	if words := answer.Words(); words != "" {
		fmt.Fprintln(a.stdout, render.Visible(words))
	}
}

// printCorrection prints what is suggested in place of a response, with what it
// quotes.
func (a *app) printCorrection(c verify.Correction) {
	look := render.Options{Width: a.stdout.width, Colour: a.stdout.colour}
	fmt.Fprint(a.stdout, render.Markdown("## Suggested correction\n\n"+c.Response, look))
	fmt.Fprintln(a.stdout)
	for _, s := range c.Sources {
		fmt.Fprintf(a.stdout, "• %s\n  %s, bytes %d–%d\n", render.Visible("["+s.Label+"] "+s.Where), render.Visible(s.Path), s.Start, s.End)
		for _, q := range s.Quotes {
			fmt.Fprintf(a.stdout, "  “%s”\n", render.Visible(oneLine(q.Text)))
		}
		if s.Stale != "" {
			fmt.Fprintf(a.stdout, "  stale: %s\n", render.Visible(s.Stale))
		}
	}
	fmt.Fprintf(a.stdout, "\nOf the correction %d of %s supported. The line below is about the response as it was given.\n\n", c.Supported, count(c.Checked, "claim"))
}
