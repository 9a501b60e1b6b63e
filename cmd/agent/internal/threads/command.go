// Package threads is agent threads: it lists and removes saved runs, and lists and cancels the runs
// of a Temporal server.
//
// It continues no run: agent resume does.
package threads

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/llm"
)

// Command is agent threads.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	group := cli.Group(&cobra.Command{
		Use:   "threads",
		Short: "List and remove saved runs",
		Example: `  agent threads list
  agent threads remove lease
  agent threads sweep --older-than 720h
  agent threads runs --temporal 127.0.0.1:7233`,
	}, threadsListCommand(a, &flags), threadsRemoveCommand(a, &flags), threadsSweepCommand(a, &flags), threadsRunsCommand(a, &flags), threadsCancelCommand(a, &flags))
	group.PersistentFlags().StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	config.RegisterStore(group.PersistentFlags())
	return group
}

// onThreads runs a verb on the saved threads.
func onThreads(a *cli.App, cmd *cobra.Command, flags *config.Flags, run func(open.Saver) error) (err error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	saved := open.NewStore(s)
	defer saved.Close()
	saver, err := saved.Threads(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, saver.Close()) }()
	return run(saver)
}

func threadsListCommand(a *cli.App, flags *config.Flags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the threads, the most recently changed first",
		Example: "  agent threads list\n  agent threads list --json",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onThreads(a, cmd, flags, func(saver open.Saver) error {
				list := []open.ThreadInfo{}
				for t, err := range saver.Threads(cmd.Context()) {
					if err != nil {
						return fmt.Errorf("listing the threads: %w", err)
					}
					info, err := open.InfoOf(cmd.Context(), saver, t.ID)
					if errors.Is(err, graph.ErrNoCheckpoint) {
						continue // removed meanwhile
					}
					if err != nil {
						return err
					}
					info.Checkpoints = t.Checkpoints
					list = append(list, info)
				}
				slices.SortStableFunc(list, func(x, y open.ThreadInfo) int { return y.Updated.Compare(x.Updated) })
				if asJSON {
					a.PrintJSON(struct {
						Schema  int               `json:"schema"`
						Threads []open.ThreadInfo `json:"threads"`
					}{1, list})
					return nil
				}
				if len(list) == 0 {
					fmt.Fprintln(a.Stdout, `no threads; agent ask --thread NAME "…" begins one`)
				}
				for _, t := range list {
					fmt.Fprintf(a.Stdout, "%s  %s  %s  %s\n", t.Thread, t.Updated.Format("2006-01-02 15:04"), t.Corpus, llm.Cut(t.Question, 80))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func threadsRemoveCommand(a *cli.App, flags *config.Flags) *cobra.Command {
	return &cobra.Command{
		Use:     "remove THREAD",
		Short:   "Remove a thread and everything saved under it",
		Example: "  agent threads remove lease",
		Args:    cli.Exactly(1, "the name of a thread"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onThreads(a, cmd, flags, func(saver open.Saver) error {
				if _, err := open.InfoOf(cmd.Context(), saver, args[0]); errors.Is(err, graph.ErrNoCheckpoint) {
					return open.UnknownThread(cmd.Context(), saver, args[0])
				} else if err != nil {
					return err
				}
				return graph.DeleteThread(cmd.Context(), saver, args[0])
			})
		},
	}
}

func threadsSweepCommand(a *cli.App, flags *config.Flags) *cobra.Command {
	var age time.Duration
	cmd := &cobra.Command{
		Use:     "sweep",
		Short:   "Remove threads that have not changed for a time",
		Example: "  agent threads sweep --older-than 720h",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if age <= 0 {
				return cli.Usagef("--older-than is %v: say for how long a thread must be unchanged, such as 720h", age)
			}
			return onThreads(a, cmd, flags, func(saver open.Saver) error {
				n, err := graph.Sweep(cmd.Context(), saver, a.Now().Add(-age))
				fmt.Fprintf(a.Stdout, "removed %s\n", cli.Count(n, "thread"))
				return err
			})
		},
	}
	cmd.Flags().DurationVar(&age, "older-than", 0, "for how long a thread must be unchanged, a `DURATION` such as 720h")
	return cmd
}
