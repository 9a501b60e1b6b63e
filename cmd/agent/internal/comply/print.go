package comply

import (
	"fmt"
	"slices"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

// mostNearest is how many rejected requirements are shown when none is verified.
const mostNearest = 3

// printAudit prints an audit for people: the answer, its requirements, and what is
// missing.
func printAudit(a *cli.App, audit evidence.Audit) {
	look := render.Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	if audit.Result == evidence.ResultUnknown { // the error tells
		return
	}
	if audit.Result == evidence.ResultNoEvidence {
		fmt.Fprintln(a.Stdout, audit.Message)
		for i, r := range audit.Rejected {
			if i == mostNearest || r.Reason == state.NotRelevant && r.Relevance == 0 {
				break
			}
			fmt.Fprintf(a.Stdout, "\n✗ %s “%s”\n    %s: %s\n    %s\n", r.ID, render.Line(r.Quote), r.Reason, render.Line(r.Rationale), render.Line(r.Document+", "+r.Heading))
		}
	} else {
		fmt.Fprint(a.Stdout, render.Markdown(audit.Final, look))
		fmt.Fprint(a.Stdout, "\n", render.Markdown("## Requirements\n", look))
		for _, r := range audit.Extracted {
			if !cited(audit, r.ID) {
				continue
			}
			fmt.Fprintf(a.Stdout, "%s  %s\n      %s\n", r.ID, render.Line(whereOf(audit, r)), render.Visible(placeOf(audit, r)))
			if r.Label != "" {
				fmt.Fprintf(a.Stdout, "      under: %s\n", render.Line(r.Label))
			}
			for _, ref := range r.Refers {
				to := "which the corpus does not hold"
				if ref.Linked {
					to = "in passage " + ref.Passage
				}
				fmt.Fprintf(a.Stdout, "      refers to %s, %s\n", render.Line(ref.Text), render.Line(to))
			}
		}
	}
	if len(audit.Missing) > 0 {
		fmt.Fprint(a.Stdout, "\n", render.Markdown("## Missing evidence\n", look))
		for _, m := range audit.Missing {
			fmt.Fprintf(a.Stdout, "- %s\n", render.Line(m))
		}
	}
	render.End(a, audit.End)
	fmt.Fprintf(a.Stdout, "\ngrounding %s · %d of %s verified · %s read\n", audit.Grounding, audit.Trail.Verified,
		cli.Count(audit.Trail.Extracted, "requirement"), cli.Count(audit.Trail.Retrieved, "passage"))
}

func cited(audit evidence.Audit, id string) bool {
	for _, r := range audit.References {
		if r.ID == id {
			return r.Used
		}
	}
	return false
}

// placeOf names the file of a requirement as a person knows it.
func placeOf(audit evidence.Audit, r evidence.Requirement) string {
	for _, d := range audit.Documents {
		if d.Source == r.Source && d.Path != "" {
			return render.Place(d.Path, d.Original, r.Start, r.End)
		}
	}
	return fmt.Sprintf("%s, bytes %d–%d", r.Source, r.Start, r.End)
}

// whereOf names the place of a requirement in its document: the section, and the clause
// or row that it stands in.
func whereOf(audit evidence.Audit, r evidence.Requirement) string {
	for _, s := range audit.Sources {
		if slices.ContainsFunc(s.Quotes, func(q state.QuoteSpan) bool { return q.Start == r.Start && q.End == r.End }) && s.Doc == r.Document {
			return s.Where
		}
	}
	return r.Title + ", " + r.Heading
}
