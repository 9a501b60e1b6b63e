package recall

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

func memoryShowCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a remembered answer, its sources, and whether it would be served",
		Long: `Show prints an answer, the places that it cites, and whether it would be served now.
If not, it says what has changed: the corpus, a skill, the model, a setting, or a
cited passage.`,
		Example: "  agent memory show 3f2a\n  agent memory show 3f2a --corpus handbook --json",
		Args:    cli.Exactly(1, "the id of a remembered answer"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onMemory(a, cmd, &flags, func(r *remembered) error {
				if r.Answers == nil {
					return cli.Usagef("no remembered answer has the id %q; %s", args[0], r.nothing())
				}
				entry, err := r.Answers.Get(cmd.Context(), args[0])
				if err != nil {
					return r.unknownAnswer(cmd.Context(), err)
				}
				shown, err := r.Judge(entry)
				if err != nil {
					return err
				}
				if asJSON {
					a.PrintJSON(shown)
					return nil
				}
				printRemembered(a, shown)
				return nil
			})
		},
	}
	flags.RegisterConditions(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printMemoryList(a *cli.App, r *remembered, list []qa.Entry, total int) {
	if len(list) == 0 {
		fmt.Fprintln(a.Stdout, r.nothing())
		return
	}
	for _, e := range list {
		note := ""
		if r.Stale(e) {
			note = "  (stale)"
		}
		fmt.Fprintf(a.Stdout, "%s  %s  %.2f  %s%s\n", e.ID, render.Day(e.Stored), e.Confidence, render.Short(e.Question), note)
	}
	if total > len(list) {
		fmt.Fprintf(a.Stdout, "%d of %s; --limit 0 lists all\n", len(list), cli.Count(total, "answer"))
	}
}

func printMemoryStats(a *cli.App, r *remembered, s qa.Stats) {
	if s.Entries == 0 {
		fmt.Fprintln(a.Stdout, r.nothing())
		return
	}
	fmt.Fprintf(a.Stdout, "corpus   %s\nanswers  %d, %d of them stale\nserved   %s\n", r.Name, s.Entries, s.Stale, render.Times(s.Served))
	fmt.Fprintf(a.Stdout, "size     %s\noldest   %s\nnewest   %s\n", render.Size(s.Bytes), render.Day(s.Oldest), render.Day(s.Newest))
}

func printRemembered(a *cli.App, s open.RememberedAnswer) {
	fmt.Fprintf(a.Stdout, "%s\n\n", render.Visible(s.Question))
	answer := state.Answer{End: state.End{Status: state.StatusAnswered}, Answer: s.Answer, Sources: s.Sources}
	for i, source := range s.Sources {
		for _, q := range source.Quotes {
			answer.Quotes = append(answer.Quotes, state.ShownQuote{Text: q.Text, Shown: render.OneLine(q.Text), Source: i + 1})
		}
	}
	render.Proof(a, research.Proof(answer), false)
	fmt.Fprintf(a.Stdout, "\nid          %s\ncorpus      %s\nconfidence  %.2f\nstored      %s\nserved      %s\n", s.ID, s.Corpus, s.Confidence, render.Day(s.Stored), render.Times(s.Served))
	fmt.Fprintln(a.Stdout, "made with")
	for _, c := range s.Conditions {
		fmt.Fprintf(a.Stdout, "  %s: %s\n", c.Name, render.Visible(c.Value))
	}
	if s.Servable {
		fmt.Fprintln(a.Stdout, "It would be served now.")
		return
	}
	fmt.Fprintln(a.Stdout, "It would not be served now:")
	for _, reason := range s.WhyNot {
		fmt.Fprintf(a.Stdout, "  %s\n", render.Visible(reason))
	}
}
