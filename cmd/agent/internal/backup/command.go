// Package backup is agent backup and agent restore: a whole home as one file, made while other
// processes use the home.
//
// A backup does not hold rows of a PostgreSQL store, indexes on a server, or documents that were
// ingested from outside the home: corpora keep their passages and paths.
package backup

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/render"
)

// Command is agent backup.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole home to one file, while it is in use",
		Long: `Backup writes the home to FILE, a zip archive: corpora, saved runs, notes, remembered
answers, records of served runs, cached vectors, results, and the configuration and token if
they are in the home. Other commands and a server may go on working. Each database is saved
as it was at one moment, and each corpus as one generation.

FILE appears when it is whole and on the disk. It holds the token of the server and the texts
of your documents. Only you can read it: keep it so.

Not in it: documents and a configuration outside the home, rows of a PostgreSQL store
(pg_dump saves those), and indexes on a server. While it works, backup needs room for the
databases in the folder of FILE.
Exit code 1 says that a part of the home could not be saved; the message names it.`,
		Example: "  agent backup assay.zip\n  agent backup --force /mnt/backup/assay.zip\n  agent backup assay.zip --json",
		Args:    cli.Exactly(1, "a file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.Resolve(a, cmd, &flags)
			if err != nil {
				return err
			}
			b := &backup{App: a, home: s.Home, to: args[0], force: force, bar: render.NewBar(a, false)}
			if s.Store.Connect != nil {
				b.leave(s.Store.Shown, errors.New("threads, notes, answers, vectors and records of runs are on the PostgreSQL server: save them with pg_dump"), false)
			}
			m, size, err := b.run(cmd.Context())
			if err := errors.Join(err, b.bar.Close()); err != nil {
				return err
			}
			return report(a, asJSON, args[0], m, size)
		},
	}
	cmd.Flags().StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	config.RegisterStore(cmd.Flags())
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it exists")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// report prints what was saved and what was not.
func report(a *cli.App, asJSON bool, file string, m *manifest, size int64) error {
	failed := false
	for _, l := range m.LeftOut {
		failed = failed || l.fault
		a.Warn("not in the backup: %s: %s", l.Name, l.Reason)
	}
	if asJSON {
		if m.LeftOut == nil {
			m.LeftOut = []leftOut{}
		}
		a.PrintJSON(struct {
			Schema  int       `json:"schema"`
			File    string    `json:"file"`
			Size    int64     `json:"size"`
			Files   int       `json:"files"`
			Bytes   int64     `json:"bytes"` // of the files
			Formats []format  `json:"formats"`
			LeftOut []leftOut `json:"left_out"`
		}{1, file, size, len(m.Files), m.bytes(), m.Formats, m.LeftOut})
	} else {
		fmt.Fprintf(a.Stdout, "Saved %s, %s, in %s (%s).\n", cli.Count(len(m.Files), "file"), render.Size(m.bytes()), file, render.Size(size))
		fmt.Fprintf(a.Stdout, "\nNext: agent restore %s\n", file)
	}
	if failed {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// RestoreCommand is agent restore.
func RestoreCommand(a *cli.App) *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the home",
		Long: `Restore makes the home from FILE, which agent backup wrote. It first writes everything to a
folder next to the home and compares it with the checksums. Then the folder takes the home's
name. After a kill the old home or the new one is there, whole. On macOS and Windows a kill
between two renamings leaves both of them, whole, next to the home's place.

Restore refuses a home that is not empty. With --force it keeps that home under another name,
which it prints; end what uses the home first. It refuses a backup of a newer version.`,
		Example: "  agent restore assay.zip\n  agent restore assay.zip --json\n  agent restore --force assay.zip",
		Args:    cli.Exactly(1, "a backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := a.Env.Home()
			if err != nil {
				return err
			}
			r := &restore{App: a, home: place, from: args[0], force: force, bar: render.NewBar(a, false)}
			done, err := r.run(cmd.Context())
			if err := errors.Join(err, r.bar.Close()); err != nil {
				return err
			}
			if asJSON {
				a.PrintJSON(done)
				return nil
			}
			fmt.Fprintf(a.Stdout, "Restored %s, %s, of %s to %s.\n", cli.Count(done.Files, "file"), render.Size(done.Bytes), done.Made.Format("2006-01-02 15:04:05 MST"), place)
			if done.Before != "" {
				fmt.Fprintf(a.Stdout, "The home before is in %s; remove it when you need it no more.\n", done.Before)
			}
			for _, l := range done.LeftOut {
				fmt.Fprintf(a.Stdout, "The backup does not hold %s: %s\n", l.Name, l.Reason)
			}
			fmt.Fprint(a.Stdout, "\nNext: agent doctor --deep\n")
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "restore even if the home is not empty; the earlier home is kept under another name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// restored is the result as JSON.
type restored struct {
	Schema int    `json:"schema"`
	Home   string `json:"home"`
	Before string `json:"before,omitempty"` // where the earlier home is now
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	manifestInfo
}
