//go:build lean

package threads

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

func listRuns(*cli.App, *cobra.Command, *config.Flags, string, bool) error {
	return cli.NotBuilt("Temporal")
}

func cancelRun(*cli.App, *cobra.Command, *config.Flags, string) error {
	return cli.NotBuilt("Temporal")
}
