package extract

import (
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/extract"
)

// printFieldSummary prints the results of many documents.
func printFieldSummary(a *cli.App, schema *extract.Schema, answers []extract.Answer, out string) {
	passed := 0
	for _, answer := range answers {
		if answer.Report.Passed {
			passed++
		}
		if out == "" {
			render.Proof(a, answer.Proof(), true)
			fmt.Fprintln(a.Stdout)
		}
	}
	fmt.Fprintf(a.Stdout, "%s, %d verified\n\n%-24s  %7s  %7s  %7s\n", cli.Count(len(answers), "document"), passed, "field", "found", "missing", "issues")
	for _, s := range summarise(schema, answers) {
		fmt.Fprintf(a.Stdout, "%-24s  %7d  %7d  %7d\n", s.Field, s.Found, s.Missing, s.Issues)
	}
	if out != "" {
		fmt.Fprintf(a.Stdout, "\nresults: %s\n", out)
	}
}
