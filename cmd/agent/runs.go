package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/temporal"
)

// phases are those that a run can be in.
var phases = []string{string(temporal.Running), string(temporal.Waiting), string(temporal.Ended), string(temporal.Failed), string(temporal.Cancelled)}

func threadsRunsCommand(a *cli.App, flags *config.Flags) *cobra.Command {
	var asJSON bool
	var phase string
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of a Temporal server, the newest first",
		Example: `  agent threads runs --temporal 127.0.0.1:7233
  agent threads runs --phase waiting`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if phase != "" && !slices.Contains(phases, phase) {
				return cli.Usagef("--phase is %q; there are: %s", phase, strings.Join(phases, ", "))
			}
			return onWorkers(a, cmd, flags, func(w *open.Workers) error {
				list := []temporal.Status{}
				for s, err := range w.Runs.List(cmd.Context(), temporal.Phase(phase)) {
					if err != nil {
						return err
					}
					list = append(list, s)
				}
				if asJSON {
					a.PrintJSON(struct {
						Schema int               `json:"schema"`
						Runs   []temporal.Status `json:"runs"`
					}{1, list})
					return nil
				}
				if len(list) == 0 {
					fmt.Fprintln(a.Stdout, "no runs")
				}
				for _, s := range list {
					fmt.Fprintf(a.Stdout, "%s  %s  %s  %s\n", s.Thread, s.Began.Format("2006-01-02 15:04"), s.Phase, s.Graph)
				}
				return nil
			})
		},
	}
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().StringVar(&phase, "phase", "", "only runs in this `PHASE`: "+strings.Join(phases, ", "))
	cli.Choices(cmd.Flags(), "phase", phases...)
	return cmd
}

func threadsCancelCommand(a *cli.App, flags *config.Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cancel THREAD",
		Short:   "Stop a run on a Temporal server; its thread keeps what has finished",
		Example: "  agent threads cancel lease --temporal 127.0.0.1:7233",
		Args:    cli.Exactly(1, "the name of a thread"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onWorkers(a, cmd, flags, func(w *open.Workers) error {
				err := w.Runs.Cancel(cmd.Context(), args[0])
				if errors.Is(err, temporal.ErrUnknownRun) {
					return cli.Usagef("no run of thread %q is under way on the server; agent threads runs shows all", args[0])
				}
				return err
			})
		},
	}
	config.RegisterTemporal(cmd.Flags())
	return cmd
}

// onWorkers runs a verb on the Temporal server of the settings.
func onWorkers(a *cli.App, cmd *cobra.Command, flags *config.Flags, run func(*open.Workers) error) (err error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	if s.Temporal.Address == "" {
		return cli.Usagef("name the Temporal server: --temporal HOST:PORT (ASSAY_TEMPORAL)")
	}
	store := open.NewStore(s)
	defer store.Close()
	w, err := open.NewWorkers(cmd.Context(), a, s, store)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, w.Close()) }()
	return run(w)
}
