// Package corpus is agent corpus and agent ingest: it builds, lists, shows, exports and removes
// corpora.
//
// Package memory does the work; this package has the verbs and prints.
package corpus

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/index"
)

// Command is agent corpus.
func Command(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "corpus",
		Short: "List, show, export and remove corpora",
		Example: `  agent corpus list
  agent corpus show handbook
  agent corpus export sample ./sample`,
	}, corpusListCommand(a), corpusShowCommand(a), corpusStatsCommand(a), corpusRemoveCommand(a), corpusExportCommand(a))
}

// onCorpus makes a verb that opens one corpus.
func onCorpus(a *cli.App, cmd *cobra.Command, run func(*memory.Corpus) error) *cobra.Command {
	cmd.Args = cli.Exactly(1, "the name of a corpus")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		corpus, err := open.Named(a, cmd, args[0])
		if err != nil {
			return err
		}
		defer func() { err = cli.Also(err, corpus.Close()) }()
		return run(corpus)
	}
	return cmd
}

func corpusListCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the corpora",
		Example: "  agent corpus list\n  agent corpus list --json",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			home, err := a.Env.Home()
			if err != nil {
				return err
			}
			list, err := memory.List(home)
			if err != nil {
				return err
			}
			if asJSON {
				a.PrintJSON(struct {
					Schema   int                 `json:"schema"`
					Corpora  []memory.CorpusInfo `json:"corpora"`
					Embedded []string            `json:"embedded"` // the samples, unpacked or not
				}{1, list, []string{open.SampleCorpus}})
				return nil
			}
			Print(a, list)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func corpusShowCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	var values int
	var cmd *cobra.Command
	cmd = onCorpus(a, &cobra.Command{
		Use:     "show CORPUS",
		Short:   "Show a corpus, its files and its metadata",
		Long:    "Show lists the files of a corpus, and the keys and values for agent search --filter, with the number of passages of each.",
		Example: "  agent corpus show handbook\n  agent corpus show handbook --values 100\n  agent corpus show sample --json",
	}, func(corpus *memory.Corpus) error {
		sources := open.SourcesOf(corpus)
		facets, err := corpus.Facets(cmd.Context(), values)
		if err != nil {
			return err
		}
		if asJSON {
			a.PrintJSON(struct {
				Schema int `json:"schema"`
				memory.CorpusInfo
				Ranker   *memory.RankerInfo `json:"ranker,omitempty"`
				Sources  []open.SourceInfo  `json:"sources"`
				Metadata []index.Facet      `json:"metadata"`
			}{1, corpus.Info(), rankerOf(corpus), sources, facets})
			return nil
		}
		info := corpus.Info()
		fmt.Fprintf(a.Stdout, "%s: %s, %s, fingerprint %.12s\n", info.Name, cli.Count(info.Files, "file"), cli.Count(info.Passages, "passage"), info.Fingerprint)
		if info.Index != "" {
			fmt.Fprintf(a.Stdout, "  index: %s\n", info.Index)
		}
		if r := rankerOf(corpus); r != nil {
			fmt.Fprintf(a.Stdout, "  ranker: %s\n", render.Ranker(*r))
		}
		for _, s := range sources {
			fmt.Fprintf(a.Stdout, "  %s  (%s)\n", s.Source, cmp.Or(s.Original, s.Path))
			if s.Stale != "" {
				fmt.Fprintf(a.Stdout, "    stale: %s\n", s.Stale)
			}
		}
		printFacets(a, facets)
		return nil
	})
	cmd.Flags().IntVar(&values, "values", 10, "show at most this `NUMBER` of values of each key, the most frequent first")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
