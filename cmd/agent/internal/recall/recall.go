package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/text"
)

// Command is agent memory.
func Command(a *cli.App) *cobra.Command {
	ofAnswers := []*cobra.Command{memoryListCommand(a), memoryShowCommand(a), memoryForgetCommand(a), memoryStatsCommand(a)}
	for _, cmd := range ofAnswers {
		cmd.Flags().String(flagTenant, "", "`NAME` of a tenant of agent serve, whose remembered answers are its own")
	}
	return cli.Group(&cobra.Command{
		Use:   "memory",
		Short: "List, show, count and forget remembered answers",
		Long: `Memory manages the remembered answers of a corpus. A session remembers answers;
agent ask does so with --memory.

An answer is served again only while everything that it depends on is the same: the
corpus's content, the skills, the model, the pipeline and the settings that can change
an answer. An answer that would not be served with the settings of this command line
is called stale.`,
		Example: `  agent memory list
  agent memory show 3f2a
  agent memory forget --stale --corpus handbook`,
	}, append(ofAnswers, memoryNotesCommand(a))...)
}

const flagTenant = "tenant"

// remembered is the memory that a command line names.
type remembered struct{ open.Remembered }

// onMemory runs a verb on the memory that the settings name.
func onMemory(a *cli.App, cmd *cobra.Command, flags *config.Flags, run func(*remembered) error) (err error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	tenant, err := cmd.Flags().GetString(flagTenant)
	if err != nil {
		return err
	}
	if tenant != "" {
		if err := config.CheckCorpus("--"+flagTenant, tenant); err != nil { // a name of the same form
			return err
		}
	}
	r := &remembered{}
	if r.Name, err = open.CorpusFor(s); err != nil {
		return err
	}
	saved := open.NewStore(s)
	defer saved.Close()
	if has, err := saved.Has(open.AnswersFile(s.Home, tenant, r.Name)); err != nil {
		return fmt.Errorf("looking for remembered answers: %w", err)
	} else if !has {
		return run(r)
	}
	if r.Answers, err = saved.Answers(cmd.Context(), tenant, r.Name, nil); err != nil {
		return err
	}
	defer func() { err = cli.Also(err, r.Answers.Close()) }()
	if r.Corpus, r.Fault = open.Corpus(cmd.Context(), a, config.Settings{Home: s.Home, Corpus: r.Name}, nil); r.Fault != nil {
		a.Warn("%v; until then none of its answers is served", r.Fault)
		return run(r)
	}
	defer func() { err = cli.Also(err, r.Corpus.Close()) }()
	set, err := s.LoadSkills()
	if err != nil {
		return err
	}
	if r.Now, err = open.Conditions(s, r.Corpus.Fingerprint(), open.RankerID(r.Corpus), set); err != nil {
		return err
	}
	return run(r)
}

// nothing says that there are no answers, and how to make some.
func (r *remembered) nothing() string {
	return fmt.Sprintf("corpus %s has no remembered answers; a session remembers them, or: agent ask --memory --corpus %s QUESTION", r.Name, r.Name)
}

// unknownAnswer is the usage error for an unknown id. It names the nearest id.
func (r *remembered) unknownAnswer(ctx context.Context, err error) error {
	unknown, ok := errors.AsType[*qa.UnknownError](err)
	if !ok {
		return err
	}
	if len(unknown.Begin) > 0 {
		return cli.Usagef("%w", unknown)
	}
	list, listErr := r.Answers.List(ctx, 0)
	if listErr != nil {
		return errors.Join(err, listErr)
	}
	if len(list) == 0 {
		return cli.Usagef("%w; %s", unknown, r.nothing())
	}
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return cli.Usagef("%w%s; agent memory list --corpus %s shows all", unknown, text.DidYouMean(unknown.ID, ids), r.Name)
}

// memoryRow is an entry in a list.
type memoryRow struct {
	qa.Entry
	Stale bool `json:"stale"`
}

func (r *remembered) rows(list []qa.Entry) []memoryRow {
	out := make([]memoryRow, len(list))
	for i, e := range list {
		out[i] = memoryRow{e, r.Stale(e)}
		out[i].Conditions = nil // show lists them
	}
	return out
}

func memoryListCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List remembered answers, the newest first",
		Example: "  agent memory list\n  agent memory list --corpus handbook --limit 0 --json",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return cli.Usagef("--limit is %d: it must be positive, or 0 for all", limit)
			}
			return onMemory(a, cmd, &flags, func(r *remembered) error {
				var list []qa.Entry
				var total qa.Stats
				var err error
				if r.Answers != nil {
					if list, err = r.Answers.List(cmd.Context(), limit); err != nil {
						return err
					}
					if total, err = r.Answers.Stats(cmd.Context(), r.Now); err != nil {
						return err
					}
				}
				if asJSON {
					a.PrintJSON(struct {
						Schema  int         `json:"schema"`
						Corpus  string      `json:"corpus"`
						Total   int         `json:"total"`
						Entries []memoryRow `json:"entries"`
					}{1, r.Name, total.Entries, r.rows(list)})
					return nil
				}
				printMemoryList(a, r, list, total.Entries)
				return nil
			})
		},
	}
	flags.RegisterConditions(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().IntVar(&limit, "limit", 20, "list at most `NUMBER` answers; 0 lists all")
	return cmd
}

func memoryStatsCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count remembered answers, stale ones, and how often they were served",
		Example: "  agent memory stats\n  agent memory stats --corpus handbook --json",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onMemory(a, cmd, &flags, func(r *remembered) error {
				var stats qa.Stats
				if r.Answers != nil {
					var err error
					if stats, err = r.Answers.Stats(cmd.Context(), r.Now); err != nil {
						return err
					}
				}
				if r.Fault != nil {
					stats.Stale = stats.Entries
				}
				if asJSON {
					a.PrintJSON(struct {
						Schema int    `json:"schema"`
						Corpus string `json:"corpus"`
						qa.Stats
					}{1, r.Name, stats})
					return nil
				}
				printMemoryStats(a, r, stats)
				return nil
			})
		},
	}
	flags.RegisterConditions(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
