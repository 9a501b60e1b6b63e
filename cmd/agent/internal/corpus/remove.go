package corpus

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory"
)

func corpusRemoveCommand(a *cli.App) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:     "remove CORPUS --yes",
		Short:   "Remove a corpus and the answers remembered from it",
		Long:    "Remove deletes the index, wherever it is, extracted texts and remembered answers of a corpus. It never deletes the documents themselves.",
		Example: "  agent corpus remove handbook --yes",
		Args:    cli.Exactly(1, "the name of a corpus"),
		RunE: func(cmd *cobra.Command, args []string) error {
			home, err := a.Env.Home()
			if err != nil {
				return err
			}
			if err := removeCorpus(cmd.Context(), a, home, args[0], yes); err != nil {
				return err
			}
			if asJSON {
				a.PrintJSON(struct {
					Schema  int    `json:"schema"`
					Removed string `json:"removed"`
				}{1, args[0]})
				return nil
			}
			fmt.Fprintf(a.Stdout, "Removed corpus %q.\n", args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "really remove it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// removeCorpus removes a corpus when it exists and the user said yes.
func removeCorpus(ctx context.Context, a *cli.App, home, name string, yes bool) error {
	if err := config.CheckCorpus("the name", name); err != nil {
		return err
	}
	known, err := memory.Names(home)
	if err != nil {
		return err
	}
	if !slices.Contains(known, name) {
		if name == open.SampleCorpus {
			return cli.Usagef("the sample is not unpacked, so there is nothing to remove")
		}
		return open.UnknownCorpus(name, known)
	}
	if !yes {
		return cli.Usagef("removing corpus %q needs --yes: agent corpus remove %s --yes", name, name)
	}
	return memory.Remove(ctx, home, name, config.Servers(a.Env))
}
