package recall

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory/qa"
)

func memoryForgetCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON, all, stale bool
	cmd := &cobra.Command{
		Use:   "forget ID… | --all | --stale",
		Short: "Delete remembered answers",
		Long: `Forget removes remembered answers without confirmation and lists them. An
unambiguous beginning of an id is enough. If one id is unknown, nothing is removed.`,
		Example: "  agent memory forget 3f2a 9c41\n  agent memory forget --stale\n  agent memory forget --all --corpus handbook",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !one(len(args) > 0, all, stale) {
				return cli.Usagef("%s needs ids, --all or --stale, only one of the three: see agent help memory forget", cmd.CommandPath())
			}
			var removed []qa.Entry
			var name string
			err := onMemory(a, cmd, &flags, func(r *remembered) (err error) {
				name = r.Name
				removed, err = r.forget(cmd.Context(), args, stale)
				return err
			})
			var broken string
			if damage, ok := errors.AsType[*qa.DamagedError](err); ok && all {
				broken = damage.Path
				err = qa.Remove(broken)
			}
			if err != nil {
				return err
			}
			if asJSON {
				a.PrintJSON(struct {
					Schema  int         `json:"schema"`
					Corpus  string      `json:"corpus,omitempty"`
					Removed []memoryRow `json:"removed"`
					File    string      `json:"removed_file,omitempty"` // that was damaged
				}{1, name, forgottenRows(removed), broken})
				return nil
			}
			printForgotten(a, removed, broken)
			return nil
		},
	}
	flags.RegisterConditions(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&all, "all", false, "forget all answers of the corpus, even if their file is damaged")
	cmd.Flags().BoolVar(&stale, "stale", false, "forget the answers that would not be served with these settings")
	return cmd
}

// one reports whether exactly one of several is true.
func one(of ...bool) bool {
	n := 0
	for _, b := range of {
		if b {
			n++
		}
	}
	return n == 1
}

// forget removes the answers with these ids, the stale ones, or all.
func (r *remembered) forget(ctx context.Context, ids []string, stale bool) ([]qa.Entry, error) {
	switch {
	case r.Answers == nil && len(ids) > 0:
		return nil, cli.Usagef("no remembered answer has the id %q; %s", ids[0], r.nothing())
	case r.Answers == nil:
		return nil, nil
	case len(ids) > 0:
		removed, err := r.Answers.Forget(ctx, ids...)
		return removed, r.unknownAnswer(ctx, err)
	case !stale:
		return r.Answers.ForgetAll(ctx)
	case r.Fault != nil:
		return nil, fmt.Errorf("telling which answers are stale: %w", r.Fault)
	}
	return r.Answers.ForgetStale(ctx, r.Now)
}

func forgottenRows(list []qa.Entry) []memoryRow {
	out := make([]memoryRow, len(list))
	for i, e := range list {
		e.Conditions = nil
		out[i] = memoryRow{Entry: e}
	}
	return out
}

func printForgotten(a *cli.App, removed []qa.Entry, broken string) {
	for _, e := range removed {
		fmt.Fprintf(a.Stdout, "forgot %s  %s\n", e.ID, render.Short(e.Question))
	}
	if broken != "" {
		fmt.Fprintf(a.Stdout, "removed the damaged file %s\n", broken)
		return
	}
	fmt.Fprintf(a.Stdout, "%s forgotten\n", cli.Count(len(removed), "answer"))
}
