package threads

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// phases are the phases of a run.
var phases = []string{"running", "waiting", "ended", "failed", "cancelled"}

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
			return listRuns(a, cmd, flags, phase, asJSON)
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
			return cancelRun(a, cmd, flags, args[0])
		},
	}
	config.RegisterTemporal(cmd.Flags())
	return cmd
}
