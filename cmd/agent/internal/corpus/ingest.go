package corpus

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
)

// skippedShown is how many skipped files are listed without -v.
const skippedShown = 10

// ingestFlags are the flags of ingest.
type ingestFlags struct {
	settings config.Flags // corpus and config only
	load     document.LoadOptions
	bytes    int
	rebuild  bool
	asJSON   bool
}

// IngestCommand is agent ingest.
func IngestCommand(a *cli.App) *cobra.Command {
	var f ingestFlags
	cmd := &cobra.Command{
		Use:   "ingest PATH…",
		Short: "Build or extend a corpus from files and directories",
		Long: `Ingest reads documents into a corpus: ` + strings.Join(document.Extensions(), " ") + `.

Directories are read with their subdirectories. An unchanged file is not read again. A
file that is gone from a named directory leaves the corpus; files of other directories
stay. A named file that cannot be read is an error; inside a directory such a file is
skipped and listed.

The field flags are for CSV and JSON Lines; without them common field names are
recognised.`,
		Example: `  agent ingest docs/
  agent ingest --corpus handbook policies/ faq.md
  agent ingest --corpus cases --text-field body --id-field case_no cases.jsonl
  agent ingest --corpus handbook --rebuild policies/
  agent ingest --corpus law --index weaviate://localhost:8080 laws/`,
		RunE: func(cmd *cobra.Command, args []string) error { return ingest(a, cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.String("corpus", config.DefaultCorpus, "the `CORPUS`")
	flags.StringVar(&f.settings.Config, "config", "", "configuration `FILE` (YAML); its key \"corpus\" names the corpus")
	flags.StringVar(&f.load.TextField, "text-field", "", "`FIELD` that holds a record's text")
	flags.StringVar(&f.load.IDField, "id-field", "", "`FIELD` that holds a record's id")
	flags.StringVar(&f.load.TitleField, "title-field", "", "`FIELD` that holds a record's title")
	flags.StringVar(&f.load.DocField, "doc-field", "", "`FIELD` that names the document a record belongs to")
	flags.IntVar(&f.bytes, "passage-bytes", new(document.SplitOptions).Resolved().Target, "target size of a passage in `BYTES`")
	flags.String("bm25-k1", "1.2", "k1 of BM25, above 0 and up to 10: how soon repetitions of a word stop counting")
	flags.String("bm25-b", "0.7", "b of BM25, 0 to 1: how much a passage loses by its length")
	flags.String("index", "", "`ADDRESS` of a server for the index, such as "+config.IndexExample+", or files; default: where the corpus has it")
	config.RegisterStore(flags)
	config.RegisterEncoder(flags)
	flags.BoolVar(&f.rebuild, "rebuild", false, "empty the corpus first, so that it holds only PATH…")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func ingest(a *cli.App, cmd *cobra.Command, f *ingestFlags, paths []string) (err error) {
	if len(paths) == 0 {
		return cli.Usagef("agent ingest needs files or directories, such as: agent ingest docs/")
	}
	s, err := config.Resolve(a, cmd, &f.settings)
	if err != nil {
		return err
	}
	if s.Corpus == open.SampleCorpus || s.Corpus == open.CountyCorpus {
		return cli.Usagef("the corpus %q is the embedded sample; choose another name with --corpus", s.Corpus)
	}
	split, err := splitOptions(cmd, f.bytes)
	if err != nil {
		return err
	}
	x := open.PlainExchange(a, s)
	defer func() { err = cli.Also(err, x.Close()) }()
	found, err := open.NewEmbedder(cmd.Context(), a, s, x)
	if err != nil {
		return err
	}
	progress := render.NewBar(a, f.asJSON)
	began := a.Now()
	report, err := found.Ingest(cmd.Context(), memory.IngestOptions{
		Home: s.Home, Corpus: s.Corpus, Paths: paths, Load: f.load, Split: split, Rebuild: f.rebuild, Progress: progress.Update, BM25: s.BM25, Index: s.Index, Servers: config.Servers(a.Env),
	}, func(r memory.Report) {
		a.Note(fmt.Sprintf("%s can be searched by their words; reading them for their meaning (to stop is safe: the next ingest goes on)", cli.Count(r.Passages, "passage")))
	})
	err = errors.Join(err, progress.Close(), found.Close())
	if err != nil {
		return err
	}
	elapsed := cli.Milliseconds(a.Now().Sub(began))
	if f.asJSON {
		a.PrintJSON(struct {
			Schema int    `json:"schema"`
			Status string `json:"status"`
			memory.Report
			ElapsedMS float64 `json:"elapsed_ms"`
		}{1, "done", report, elapsed})
		return nil
	}
	printReport(a, report, elapsed)
	return nil
}

// splitOptions sets the size of passages. As by default, the longest may be a third longer than
// the target.
func splitOptions(cmd *cobra.Command, target int) (document.SplitOptions, error) {
	if !cmd.Flags().Changed("passage-bytes") {
		return document.SplitOptions{}, nil
	}
	const least, most = 64, 1 << 20
	if target < least || target > most {
		return document.SplitOptions{}, cli.Usagef("--passage-bytes is %d: it must be from %d to %d", target, least, most)
	}
	return document.SplitOptions{Target: target, Max: target + target/3}, nil
}

func printReport(a *cli.App, r memory.Report, elapsed float64) {
	fmt.Fprintf(a.Stdout, "Corpus %q: %s, %s (%.1f s).\n", r.Corpus, cli.Count(r.Files, "file"), cli.Count(r.Passages, "passage"), elapsed/1000)
	fmt.Fprintf(a.Stdout, "  added %d, changed %d, removed %d, unchanged %d\n", r.Added, r.Changed, r.Removed, r.Unchanged)
	if r.Records > 0 {
		fmt.Fprintf(a.Stdout, "  %s without text left out\n", cli.Count(r.Records, "record"))
	}
	for i, skip := range r.Skipped {
		if i == skippedShown && !a.Verbose {
			fmt.Fprintf(a.Stdout, "  … and %d more skipped (-v lists them)\n", len(r.Skipped)-i)
			break
		}
		fmt.Fprintf(a.Stdout, "  skipped %s: %s\n", skip.Path, skip.Reason)
	}
	flag := ""
	if r.Corpus != config.DefaultCorpus {
		flag = " --corpus " + r.Corpus
	}
	fmt.Fprintf(a.Stdout, "\nNext: agent ask%s \"your question\"\n", flag)
}
