//go:build !lean

package threads

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/temporal"
)

// listRuns prints the runs of the Temporal server of the settings.
func listRuns(a *cli.App, cmd *cobra.Command, flags *config.Flags, phase string, asJSON bool) error {
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
}

// cancelRun stops the run of a thread.
func cancelRun(a *cli.App, cmd *cobra.Command, flags *config.Flags, thread string) error {
	return onWorkers(a, cmd, flags, func(w *open.Workers) error {
		err := w.Runs.Cancel(cmd.Context(), thread)
		if errors.Is(err, temporal.ErrUnknownRun) {
			return cli.Usagef("no run of thread %q is under way on the server; agent threads runs shows all", thread)
		}
		return err
	})
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
