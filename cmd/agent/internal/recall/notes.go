package recall

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph/store"
	"example.com/assay/nodes/react"
)

// memoryNotesCommand is agent memory notes.
func memoryNotesCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var remove string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "notes",
		Short: "List what agent chat has noted, or remove a note",
		Example: `  agent memory notes
  agent memory notes --remove 1f3a5c7e9b02`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Resolve(a, cmd, &flags)
			if err != nil {
				return err
			}
			notes, err := notesIn(cmd.Context(), s, remove)
			if err != nil {
				return err
			}
			if asJSON {
				a.PrintJSON(struct {
					Schema int          `json:"schema"`
					Notes  []react.Note `json:"notes"`
				}{1, notes})
				return nil
			}
			for _, n := range notes {
				fmt.Fprintf(a.Stdout, "%s  %s\n", n.ID, render.OneLine(render.Visible(n.Text)))
			}
			if len(notes) == 0 {
				fmt.Fprintln(a.Stdout, "no notes")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	config.RegisterStore(cmd.Flags())
	cmd.Flags().StringVar(&remove, "remove", "", "remove the note with this `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// notesIn lists the notes, after it has removed one.
func notesIn(ctx context.Context, settings config.Settings, remove string) (notes []react.Note, err error) {
	unknown := cli.Usagef("there is no note %q; agent memory notes lists them", remove)
	saved := open.NewStore(settings)
	defer saved.Close()
	if has, err := saved.Has(open.NotesFile(settings.Home)); err != nil {
		return nil, err
	} else if !has && remove != "" {
		return nil, unknown
	} else if !has {
		return []react.Note{}, nil
	}
	s, err := saved.Notes(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = cli.Also(err, s.Close()) }()
	if remove != "" {
		if _, err := s.Get(ctx, open.NotesOf, remove); errors.Is(err, store.ErrNotFound) {
			return nil, unknown
		}
		if err := store.Delete(ctx, s, open.NotesOf, remove); err != nil {
			return nil, err
		}
	}
	return react.Notes(ctx, s, open.NotesOf)
}
