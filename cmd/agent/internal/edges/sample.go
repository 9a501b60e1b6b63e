package edges

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/cli"
)

func edgesSampleCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "sample DIR",
		Short: "Write a sample: edges on public health, and texts to check them against",
		Long: `Sample writes edges.json and a directory docs into DIR. It makes DIR if needed, and
never overwrites a file. The texts are a teaching sample, not medical advice.`,
		Example: `  agent edges sample health
  agent ingest health/docs --corpus health
  agent edges verify health/edges.json --corpus health`,
		Args: cli.Exactly(1, "one directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			sample, err := casestudies.PublicHealth()
			if err != nil {
				return fmt.Errorf("reading the embedded sample: %w", err)
			}
			if err := os.CopyFS(args[0], sample); err != nil {
				return cli.Usagef("writing the sample: %w", err)
			}
			fmt.Fprintf(a.Stdout, "wrote %s and %s\n\nNext: agent ingest %s --corpus health\n      agent edges verify %s --corpus health\n",
				filepath.Join(args[0], "edges.json"), filepath.Join(args[0], "docs"), filepath.Join(args[0], "docs"), filepath.Join(args[0], "edges.json"))
			return nil
		},
	}
}
