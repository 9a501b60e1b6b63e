package corpus

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
)

// Print prints a list of corpora.
func Print(a *cli.App, list []memory.CorpusInfo) {
	width := len(open.SampleCorpus)
	for _, info := range list {
		width = max(width, len(info.Name))
	}
	sample := false
	for _, info := range list {
		sample = sample || info.Name == open.SampleCorpus
		if info.Fault != "" {
			fmt.Fprintf(a.Stdout, "%-*s  %s\n", width, info.Name, info.Fault)
			continue
		}
		fmt.Fprintf(a.Stdout, "%-*s  %s, %s, %s of text\n", width, info.Name, cli.Count(info.Files, "file"), cli.Count(info.Passages, "passage"), render.Size(info.Bytes))
	}
	if !sample {
		fmt.Fprintf(a.Stdout, "%-*s  embedded, unpacked when it is first used\n", width, open.SampleCorpus)
	}
}

// rankerOf describes the corpus's trained ranker, nil without one.
func rankerOf(corpus *memory.Corpus) *memory.RankerInfo {
	if r, ok := corpus.Ranker(); ok {
		return &r
	}
	return nil
}

// printFacets lists the metadata by which passages can be filtered.
func printFacets(a *cli.App, facets []index.Facet) {
	if len(facets) > 0 {
		fmt.Fprintln(a.Stdout, "metadata, for --filter:")
	}
	for _, f := range facets {
		var list []string
		for _, v := range f.Values {
			list = append(list, fmt.Sprintf("%s (%d)", v.Value, v.Passages))
		}
		if more := f.Distinct - len(f.Values); more > 0 {
			list = append(list, fmt.Sprintf("and %d more", more))
		}
		fmt.Fprintf(a.Stdout, "  %s: %s\n", render.Visible(f.Key), render.Visible(strings.Join(list, ", ")))
	}
}

// formatStats counts the files of one format.
type formatStats struct {
	Format string `json:"format"` // extension, without the dot
	Files  int    `json:"files"`
	Stale  int    `json:"stale"` // how many of them changed since they were ingested
}

func corpusStatsCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	var cmd *cobra.Command
	cmd = onCorpus(a, &cobra.Command{
		Use:     "stats CORPUS",
		Short:   "Show the size and the settings of a corpus",
		Example: "  agent corpus stats handbook\n  agent corpus stats sample --json",
	}, func(corpus *memory.Corpus) error {
		info, formats, training := corpus.Info(), formatsOf(open.SourcesOf(corpus)), corpus.Training()
		var cache *embed.CacheStats
		if info.Space != "" {
			s, err := config.Resolve(a, cmd, &config.Flags{})
			if err != nil {
				return err
			}
			saved := open.NewStore(s)
			defer saved.Close()
			if cache, err = saved.VectorStats(cmd.Context(), nil); err != nil {
				return err
			}
		}
		mean := 0.0
		if info.Passages > 0 {
			mean = float64(info.Bytes) / float64(info.Passages)
		}
		if asJSON {
			a.PrintJSON(struct {
				Schema int `json:"schema"`
				memory.CorpusInfo
				MeanBytes float64           `json:"bytes_per_passage"`
				Formats   []formatStats     `json:"formats"`
				Training  index.Training    `json:"training"`
				Cache     *embed.CacheStats `json:"vector_cache,omitempty"` // of all corpora; absent with the offline embedder
			}{1, info, mean, formats, training, cache})
			return nil
		}
		fmt.Fprintf(a.Stdout, "corpus       %s (%s)\n", info.Name, info.Generation)
		fmt.Fprintf(a.Stdout, "files        %d\ndocuments    %d\npassages     %d, of %.0f bytes each in the mean\n", info.Files, info.Documents, info.Passages, mean)
		fmt.Fprintf(a.Stdout, "text         %s\nembedder     %s\nlsa          %s\nvectors      %s\nranking      BM25 k1 %g, b %g\n",
			render.Size(info.Bytes), info.Embedder, render.Training(training), render.LookedAt(training), training.BM25.K1, training.BM25.B)
		if cache != nil {
			fmt.Fprintf(a.Stdout, "cache        %s\n", render.Cache(*cache))
		}
		fmt.Fprintf(a.Stdout, "fingerprint  %s\n", info.Fingerprint)
		for _, f := range formats {
			fmt.Fprintf(a.Stdout, "  .%-8s   %s, %d stale\n", f.Format, cli.Count(f.Files, "file"), f.Stale)
		}
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	config.RegisterStore(cmd.Flags())
	return cmd
}

func formatsOf(sources []open.SourceInfo) []formatStats {
	var out []formatStats
	for _, s := range sources {
		format := strings.ToLower(strings.TrimPrefix(filepath.Ext(s.Source), "."))
		at := slices.IndexFunc(out, func(f formatStats) bool { return f.Format == format })
		if at < 0 {
			at = len(out)
			out = append(out, formatStats{Format: format})
		}
		out[at].Files++
		if s.Stale != "" {
			out[at].Stale++
		}
	}
	slices.SortFunc(out, func(x, y formatStats) int { return strings.Compare(x.Format, y.Format) })
	return out
}
