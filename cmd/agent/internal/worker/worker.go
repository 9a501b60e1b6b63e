// Package worker is agent worker: it runs the pipelines of other commands, which hand their runs to a
// Temporal server.
//
//	agent worker --temporal 127.0.0.1:7233 --store postgres://assay@localhost/assay
//
// It begins no run itself.
package worker

import (
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// Command is agent worker.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var w worker
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run the pipelines of other commands, which name a Temporal server",
		Long: `Worker takes runs from a Temporal server, until it is stopped: those of agent ask,
comply, edges verify, extract and verify with --temporal. Any number of workers share the
work. Finished steps are in the store: when a worker dies, another one goes on from there.
On SIGTERM or Ctrl-C a worker takes no more work. Its runs stop after their current step,
and another worker continues them.

A run brings its input, corpus, model and other settings from the command that began it.
The keys of providers, the addresses of servers and the limits are the worker's own. The
corpus must be on the worker's machine and have the fingerprint that the caller knows.`,
		Example: `  agent worker --temporal 127.0.0.1:7233 --store postgres://assay@localhost/assay
  agent ask --temporal 127.0.0.1:7233 --store postgres://assay@localhost/assay "What is consideration?"`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.App, w.cmd, w.flags = a, cmd, &flags
			return w.run(cmd.Context())
		},
	}
	flags.Register(cmd, false)
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().IntVar(&w.atOnce, "at-once", 8, "how many runs go on at the same time")
	cmd.Flags().DurationVar(&w.drain, "drain", 30*time.Second, "how long to wait for the current steps when the worker is stopped, a `DURATION`")
	cmd.Flags().StringVar(&w.build, "build", "", "`ID` of this program's version for Temporal's worker versions: runs are finished by the version that began them")
	cmd.Flags().BoolVar(&w.current, "current", false, "runs that begin from now on go to workers of this --build, or without one to workers without a version")
	return cmd
}

// A worker is one run of agent worker.
type worker struct {
	*cli.App
	cmd    *cobra.Command
	flags  *config.Flags
	atOnce int
	drain  time.Duration
	build  string
	// current sends new runs to workers of this build.
	current bool
}
