// Package search is agent search: the passages of a corpus that fit a query, without an answer.
//
//	agent search --explain "elements of battery"
//
// Package memory searches; this package reads flags and prints.
package search

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/memory/retrieval"
)

// Command is agent search.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var k int
	var explain, full, asJSON bool
	var alternatives, filters []string
	var mmr float64
	var neighbours int
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find passages of a corpus, without an answer",
		Long: `Search returns the passages that fit a query best, with their file, section and
range of bytes, and a confidence. From 0.70 the passages are about the query; below
0.35 the corpus does not hold it. No model is called, unless a model reranks.

A query word that no passage has is replaced by one of the corpus when it is misspelt,
or British in an American text: "searched for: color (not colour)".

Parts that the query names by number come first: "§ 5899(b)", "Art. 12(3)",
"Rule 8.7.1", "42 U.S.C. § 1983", "REQ-12".

--filter selects passages by metadata: the keys of front matter or of a table's
columns, the directory ("dir") and the format ("file_type"); agent corpus show lists
them. "topic=a|b" matches either value, "dir=law/*" a prefix, "topic=*" any value.
Several filters must all match.

--explain shows how each passage got its rank: the summands of its score, the score
of a trained ranker or a reranker, and the passages that were left out because they
say the same. Exit code 3 says that nothing was found.`,
		Example: `  agent search "elements of battery"
  agent search --corpus handbook --k 20 --json "notice period"
  agent search --explain --also "hostile touching" "harmful contact"
  agent search --filter topic=torts --filter 'dir=law/*' --mmr 0.7 --neighbours 1 "duty of care"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.Question(cmd.Context(), args, searchExample)
			switch {
			case err != nil:
			case k < 1 || k > mostHits:
				err = cli.Usagef("--k is %d: it must be from 1 to %d", k, mostHits)
			case !(mmr >= 0 && mmr <= 1):
				err = cli.Usagef("--mmr is %v: it must be from 0 (do not choose) to 1", mmr)
			case neighbours < 0 || neighbours > mostNeighbours:
				err = cli.Usagef("--neighbours is %d: it must be from 0 to %d", neighbours, mostNeighbours)
			}
			q := retrieval.Query{Primary: text, Alternatives: alternatives, K: k, MMR: mmr, Neighbours: neighbours}
			if err == nil {
				q.Filter, err = conditions(filters)
			}
			if err != nil {
				return err
			}
			return runSearch(a, cmd, &flags, q, explain, full, asJSON)
		},
	}
	f := cmd.Flags()
	f.String("corpus", config.DefaultCorpus, "`CORPUS` to search; until something is ingested into \"default\", the embedded sample")
	f.StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	config.RegisterStore(f)
	config.RegisterEncoder(f)
	f.IntVar(&k, "k", 5, "`NUMBER` of passages")
	f.StringArrayVar(&alternatives, "also", nil, "another `WORDING` of the query, for more candidates; may be repeated")
	f.StringArrayVar(&filters, "filter", nil, "search only passages with metadata `KEY=VALUE`; may be repeated")
	f.Float64Var(&mmr, "mmr", 0, "choose hits that differ: `SHARE` of relevance against difference, such as 0.7")
	f.IntVar(&neighbours, "neighbours", 0, "`NUMBER` of passages to show before and after each")
	f.BoolVar(&explain, "explain", false, "show the scores of each passage")
	f.BoolVar(&full, "full", false, "show whole passages")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

const searchExample = `search "elements of battery"`
