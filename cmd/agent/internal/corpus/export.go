package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory"
)

// exported is one file that corpus export wrote.
type exported struct {
	Source string `json:"source"`
	Path   string `json:"path"`
}

func corpusExportCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export CORPUS DIR",
		Short: "Write the texts of a corpus as files",
		Long: `Export writes the texts that the byte offsets of sources refer to: markdown and plain
text unchanged, other formats as extracted text with ".txt" appended to the name.
DIR must be new or empty. A file that changed since it was ingested is not written,
and the exit code is 1.`,
		Example: "  agent corpus export sample ./sample\n  agent corpus export handbook /tmp/handbook --json",
		Args:    cli.Exactly(2, "the name of a corpus and a directory"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			corpus, err := open.Named(a, cmd, args[0])
			if err != nil {
				return err
			}
			defer func() { err = cli.Also(err, corpus.Close()) }()
			files, err := export(corpus, args[1])
			if err != nil {
				return err
			}
			if asJSON {
				a.PrintJSON(struct {
					Schema int        `json:"schema"`
					Corpus string     `json:"corpus"`
					Files  []exported `json:"files"`
				}{1, corpus.Name(), files})
				return nil
			}
			fmt.Fprintf(a.Stdout, "Wrote %s of corpus %q to %s.\n", cli.Count(len(files), "file"), corpus.Name(), args[1])
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func export(corpus *memory.Corpus, dir string) ([]exported, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("exporting to %q: %w", dir, err)
	}
	if len(entries) > 0 {
		return nil, cli.Usagef("exporting to %q: the directory is not empty; name a new one, so that nothing is overwritten", dir)
	}
	var files []exported
	var faults []error
	for _, source := range corpus.Sources() {
		path, original, err := corpus.TextPath(source)
		if err = errors.Join(err, corpus.Check(source)); err != nil {
			faults = append(faults, err)
			continue
		}
		name := source
		if original != "" {
			name += ".txt"
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			faults = append(faults, fmt.Errorf("its name %q leads out of the directory", name))
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := cli.WriteFile(to, data, 0o644); err != nil {
			return nil, fmt.Errorf("exporting to %q: %w", dir, err)
		}
		files = append(files, exported{source, to})
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("exporting corpus %q: wrote %s, not these:\n%w", corpus.Name(), cli.Count(len(files), "file"), err)
	}
	return files, nil
}
