// Package recall is agent memory: it lists, shows, counts and removes remembered answers, and the
// notes of agent chat.
//
// It serves no answer: package nodes/research/recall does, for a session and agent ask --memory.
package recall

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/memory/qa"
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
