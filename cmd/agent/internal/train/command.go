// Package train is agent train: it trains a ranker for one corpus on judged questions.
//
//	agent train rerank --corpus handbook --queries questions.jsonl --qrels judged.tsv
//
// Package memory/learn trains; this package reads the judgments, compares and prints.
package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/eval/retrieval"
	"example.com/assay/memory/learn"
	"example.com/assay/memory/text"
)

// Command is agent train.
func Command(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "train",
		Short: "Train on judged data of your own",
		Example: `  agent train rerank --corpus handbook --queries questions.jsonl --qrels judged.tsv
  agent help train rerank`,
	}, trainRerankCommand(a))
}

// trainRerankFlags are the flags of train rerank.
type trainRerankFlags struct {
	files  retrieval.Files
	folds  int
	seed   uint64
	force  bool
	remove bool
	asJSON bool
}

func trainRerankCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var f trainRerankFlags
	cmd := &cobra.Command{
		Use:   "rerank --corpus CORPUS --queries FILE",
		Short: "Train a ranker for one corpus on judged questions about it",
		Long: fmt.Sprintf(`Rerank trains a ranker for a corpus. It needs at least %d questions whose answering
passages are known. The questions are divided into folds; each fold is ranked by a
ranker that was trained on the others. If that beats the index's own ranking beyond
chance (the 95 %% interval of the difference in nDCG@10 is above 0), a ranker is
trained on all questions and saved with the corpus, whose searches use it from then
on. Otherwise nothing changes. In both cases the exit code is 0.

Judgments name passages by their ids, as agent search --json shows them. A record that
was cut into passages (ID~1, ID~2 …) may be named by its own id. Files may be
compressed with gzip. The formats are those of agent eval retrieval, except
legalbench, which judges spans:

  beir        {_id, text}, and --qrels: tab-separated query-id, corpus-id,
              score, or TREC's four columns
  obliqa      {id, question, qrels: {passage: grade}}
  scifact     {id, claim, qrels: {passage: grade}}
  barexam     {id, prompt, question, choices, gold_passage_ids}
  morehopqa   {id, question, gold_passage_ids}

The ranker stays in use when documents are ingested, and agent doctor reports that the
corpus has changed. It is not used when the corpus holds less than half of the
passages that it was trained on: then train again, or --remove it.`, learn.Enough),
		Example: `  agent train rerank --corpus handbook --queries questions.jsonl --qrels judged.tsv
  agent train rerank --corpus rules --format obliqa --queries questions.jsonl --json
  agent train rerank --corpus rules --remove`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.remove {
				return removeRanker(a, cmd, &flags, &f)
			}
			return trainRerank(a, cmd, &flags, &f)
		},
	}
	set := cmd.Flags()
	set.String("corpus", config.DefaultCorpus, "the `CORPUS`")
	set.StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	config.RegisterStore(set)
	set.StringVar(&f.files.Format, "format", "beir", "`FORMAT` of the files: "+strings.Join(trainFormats(), ", "))
	cli.Choices(set, "format", trainFormats()...)
	set.StringVar(&f.files.Queries, "queries", "", "`FILE` of the questions (JSON Lines)")
	set.StringVar(&f.files.Qrels, "qrels", "", "`FILE` of the judgments; for beir only")
	set.IntVar(&f.folds, "folds", 2, "`NUMBER` of folds that the questions are divided into")
	set.Uint64Var(&f.seed, "seed", 1, "`SEED` of the random numbers, above 0; the same seed gives the same ranker")
	set.BoolVar(&f.force, "force", false, fmt.Sprintf("also try with fewer than %d judged questions", learn.Enough))
	set.BoolVar(&f.remove, "remove", false, "remove the corpus's trained ranker")
	set.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// trainFormats are the formats that judge passages.
func trainFormats() []string {
	return slices.DeleteFunc(retrieval.Formats(), func(f string) bool { return f == "legalbench" })
}

// check refuses mistakes in the command line.
func (f *trainRerankFlags) check(cmd *cobra.Command) error {
	if f.remove {
		for _, other := range []string{"queries", "qrels", "format", "folds", "seed", "force"} {
			if cmd.Flags().Changed(other) {
				return cli.Usagef("--remove and --%s cannot be combined", other)
			}
		}
		return nil
	}
	switch known := trainFormats(); {
	case f.files.Queries == "":
		return cli.Usagef("--queries is missing; see: agent help train rerank")
	case !slices.Contains(known, f.files.Format):
		return cli.Usagef("--format is %q%s; known: %s", f.files.Format, text.DidYouMean(f.files.Format, known), strings.Join(known, ", "))
	case retrieval.CheckQrels(f.files, "questions") != nil:
		return cli.Usagef("%w", retrieval.CheckQrels(f.files, "questions"))
	case f.folds < 2 || f.folds > retrieval.MostFolds:
		return cli.Usagef("--folds is %d: it must be from 2 to %d", f.folds, retrieval.MostFolds)
	case f.seed == 0:
		return cli.Usagef("--seed is 0: it must be above 0")
	}
	return nil
}
