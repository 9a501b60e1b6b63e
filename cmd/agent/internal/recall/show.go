package recall

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/llm"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
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
				if r.answers == nil {
					return cli.Usagef("no remembered answer has the id %q; %s", args[0], r.nothing())
				}
				entry, err := r.answers.Get(cmd.Context(), args[0])
				if err != nil {
					return r.unknownAnswer(cmd.Context(), err)
				}
				shown, err := r.show(entry)
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

// shownAnswer is an entry with its verdict.
type shownAnswer struct {
	Schema     int             `json:"schema"`
	Corpus     string          `json:"corpus"`
	ID         string          `json:"id"`
	Question   string          `json:"question"`
	Answer     string          `json:"answer"`
	Confidence float64         `json:"confidence"`
	Stored     time.Time       `json:"stored"`
	Served     int             `json:"served"`
	LastServed time.Time       `json:"last_served,omitzero"`
	Servable   bool            `json:"servable"` // with the settings of this call
	WhyNot     []string        `json:"why_not"`  // empty when it is servable
	Conditions []qa.Condition  `json:"conditions"`
	Changed    []qa.Difference `json:"changed"` // of the conditions
	Sources    []state.Source  `json:"sources"`
}

// show decides whether an entry would be served, and why not.
func (r *remembered) show(e qa.Entry) (shownAnswer, error) {
	s := shownAnswer{
		Schema: 1, Corpus: r.name, ID: e.ID, Question: e.Question, Answer: e.Answer, Confidence: e.Confidence, Stored: e.Stored,
		Served: e.Served, LastServed: e.LastServed, WhyNot: []string{}, Conditions: e.Conditions, Changed: []qa.Difference{}, Sources: []state.Source{},
	}
	if r.fault != nil {
		s.WhyNot = append(s.WhyNot, "the corpus cannot be opened")
	} else {
		s.Changed = append(s.Changed, qa.Differences(e.Conditions, r.now)...)
	}
	for _, d := range s.Changed {
		s.WhyNot = append(s.WhyNot, whyNot(d))
	}
	kept, err := recall.Remembered(e, r.corpus)
	if unsound, ok := errors.AsType[*recall.UnsoundError](err); ok {
		s.WhyNot = append(s.WhyNot, unsound.Reason)
	} else if err != nil {
		return s, err
	}
	if r.corpus != nil && kept.Whole() {
		s.Sources = research.Result(state.Agent{Plan: kept.Steps}, nil, r.corpus).Sources
	}
	s.Servable = len(s.WhyNot) == 0
	return s, nil
}

// whyNot describes a condition that has changed.
func whyNot(d qa.Difference) string {
	none := func(s string) string {
		if s == "" {
			return "none"
		}
		return llm.Cut(s, 60)
	}
	if d.Name == "corpus" {
		return fmt.Sprintf("the corpus has changed: its fingerprint was %.12s, it is %.12s", d.Then, d.Now)
	}
	if skill, ok := strings.CutPrefix(d.Name, "skill "); ok {
		return fmt.Sprintf("the skill %s has changed: its hash was %.12s, it is %.12s", skill, none(d.Then), none(d.Now))
	}
	return fmt.Sprintf("%s was %s, it is %s", d.Name, none(d.Then), none(d.Now))
}

func printMemoryList(a *cli.App, r *remembered, list []qa.Entry, total int) {
	if len(list) == 0 {
		fmt.Fprintln(a.Stdout, r.nothing())
		return
	}
	for _, e := range list {
		note := ""
		if r.stale(e) {
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
	fmt.Fprintf(a.Stdout, "corpus   %s\nanswers  %d, %d of them stale\nserved   %s\n", r.name, s.Entries, s.Stale, render.Times(s.Served))
	fmt.Fprintf(a.Stdout, "size     %s\noldest   %s\nnewest   %s\n", render.Size(s.Bytes), render.Day(s.Oldest), render.Day(s.Newest))
}

func printRemembered(a *cli.App, s shownAnswer) {
	look := render.Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}
	fmt.Fprintf(a.Stdout, "%s\n\n", render.Visible(s.Question))
	fmt.Fprint(a.Stdout, render.Markdown(research.WithoutSources(s.Answer), look))
	if len(s.Sources) > 0 {
		fmt.Fprint(a.Stdout, "\n", render.Markdown("## Sources\n", look), render.Sources(s.Sources, a.Stdout.Colour))
	}
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
