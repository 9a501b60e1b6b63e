package traces

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/research"
)

const (
	shownValue    = 90  // most characters of a node's value
	shownReplayed = 600 // most characters of an answer
)

// printReplay prints the result of a replay for people.
func printReplay(a *cli.App, r replayed) {
	point := "from its beginning"
	switch {
	case r.From != "":
		point = "from " + r.From
	case r.Skill != "":
		point = "from where it asked " + r.Skill
	}
	fmt.Fprintf(a.Stdout, "%s, a run of %s, again %s\n", r.Trace, r.Graph, point)
	for _, c := range r.Given {
		fmt.Fprintf(a.Stdout, "  with %s %s → %s\n", c.Name, brief(cmp.Or(c.Was, "absent")), brief(cmp.Or(c.Is, "absent")))
	}
	fmt.Fprintf(a.Stdout, "nodes: %d from the trace, %d run\n", r.Nodes.Taken, r.Nodes.Made)
	fmt.Fprintf(a.Stdout, "model calls: %d saved, %d made; searches: %d saved, %d made\n", r.Calls.Taken, r.Calls.Made, r.Searches.Taken, r.Searches.Made)
	if r.Equal {
		fmt.Fprintln(a.Stdout, "\nnothing changed")
		return
	}
	d := *r.Difference
	fmt.Fprintf(a.Stdout, "\nthe first difference: %s\n", render.Visible(trace.Difference(d).String()))
	if len(r.Changed) > 0 {
		fmt.Fprintln(a.Stdout, "\nwhat nodes came to:")
	}
	for _, n := range r.Changed {
		switch {
		case n.Gone:
			fmt.Fprintf(a.Stdout, "  %s  did not run again\n", n.Node)
		case n.New:
			fmt.Fprintf(a.Stdout, "  %s  had not run\n", n.Node)
		default:
			fmt.Fprintf(a.Stdout, "  %s\n", n.Node)
		}
		for _, c := range n.Changes {
			was, is := trace.Shorten(c.Was, c.Is, shownValue)
			fmt.Fprintln(a.Stdout, render.Visible(fmt.Sprintf("    %s: %s → %s", c.Name, was, is)))
		}
	}
	if r.Before == r.After {
		fmt.Fprintf(a.Stdout, "\nthe answer is as before: %s\n", r.After.line())
		return
	}
	was, is := trace.Shorten(research.WithoutSources(r.Before.Answer), research.WithoutSources(r.After.Answer), shownReplayed)
	for _, side := range []struct {
		name, text string
		replayedAnswer
	}{{"before", was, r.Before}, {"after", is, r.After}} {
		fmt.Fprintf(a.Stdout, "\n%s: %s\n", side.name, render.Visible(side.line()))
		for _, line := range strings.Split(strings.TrimSpace(side.text), "\n") {
			fmt.Fprintln(a.Stdout, strings.TrimRight("  "+render.Visible(line), " "))
		}
	}
}

// line is the end of a run on one line.
func (r replayedAnswer) line() string {
	parts := []string{string(r.Status)}
	if r.Choice != "" {
		parts = append(parts, "choice "+r.Choice)
	}
	parts = append(parts, fmt.Sprintf("confidence %.2f", r.Confidence))
	if r.Error != "" {
		parts = append(parts, render.OneLine(r.Error))
	}
	return strings.Join(parts, ", ")
}

// brief is a hash or a setting in a line.
func brief(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:12]) + "…"
	}
	return s
}
