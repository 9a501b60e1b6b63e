package evals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"example.com/assay/cmd/agent/internal/cli"

	"github.com/spf13/cobra"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/claims"
	"example.com/assay/eval/figures"
)

func evalAllCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	var only string
	cmd := &cobra.Command{
		Use:   "all DIR",
		Short: "Measure on every data set in a folder",
		Long: `All runs agent eval on each data set in a folder, offline, and prints the metrics with
their 95 % intervals. For a missing set it prints the source instead. Each set is a
folder:

` + figures.Sources() + `
Some shipped weights were trained on a part of a set. docs/results.md says which, and
has the cross-validated figures.`,
		Example: `  agent eval all data
  agent eval all data --only sroie
  agent eval all data --json > figures.json`,
		Args: cli.Exactly(1, "the folder of the data sets"),
		RunE: func(cmd *cobra.Command, args []string) error { return evalAll(cmd.Context(), a, args[0], only, asJSON) },
	}
	cmd.Flags().StringVar(&only, "only", "", "measure only sets with this `TEXT` in their name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func evalAll(ctx context.Context, a *cli.App, dir, only string, asJSON bool) (err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cli.Usagef("%s is not a folder of data sets; agent help eval all lists them", dir)
	}
	chosen := figures.Offline(only)
	if len(chosen) == 0 {
		return cli.Usagef("no data set has %q in its name; there are:\n%s", only, figures.Sources())
	}
	schemas, err := os.MkdirTemp("", "agent-schemas-*")
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, os.RemoveAll(schemas)) }()
	files, err := casestudies.Schemas()
	if err == nil {
		err = os.CopyFS(schemas, files)
	}
	if err != nil {
		return fmt.Errorf("writing the schemas: %w", err)
	}
	progress, tasks := render.NewBar(a, asJSON), append(tasks(), claims.Task(nil))
	var sets []figures.Set
	for i, m := range chosen {
		progress.Update("measuring "+m.Folder, i, len(chosen))
		set, err := m.Run(ctx, tasks, dir, schemas)
		if err != nil {
			return errors.Join(err, progress.Close())
		}
		sets = append(sets, set)
	}
	if err := progress.Close(); err != nil {
		return err
	}
	if asJSON {
		a.PrintJSON(struct {
			Schema int           `json:"schema"`
			Task   string        `json:"task"`
			Sets   []figures.Set `json:"sets"`
		}{1, "all", sets})
		return nil
	}
	for _, set := range sets {
		printSet(a, set)
	}
	return nil
}

func printSet(a *cli.App, set figures.Set) {
	fmt.Fprintf(a.Stdout, "%s\n  %s\n", set.Name, set.Command)
	if set.Skipped != "" {
		fmt.Fprintf(a.Stdout, "  skipped: %s\n", render.Visible(set.Skipped))
	}
	if set.Trained {
		fmt.Fprintln(a.Stdout, "  a fit: shipped weights were trained on these labels; docs/results.md has cross-validated figures")
	}
	for _, name := range slices.Sorted(maps.Keys(set.Metrics)) {
		v := set.Metrics[name]
		fmt.Fprintf(a.Stdout, "  %-26s  %.4f  [%.4f, %.4f]  n %d\n", name, v.Value, v.Lo, v.Hi, set.N)
	}
}
