package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
	"example.com/assay/memory"
	"example.com/assay/memory/learn"
	"example.com/assay/memory/ltr"
)

// mostFolds bounds --folds: each trains a ranker.
const mostFolds = 20

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
		Use:   "rerank --corpus NAME --queries FILE",
		Short: "Train a ranker for one corpus on judged questions about it",
		Long: fmt.Sprintf(`Rerank trains a ranker on questions about a corpus for which the passages that
answer them are known, at least %d of them. The questions are dealt out into
folds; the questions of each are ranked by what was trained on the others. If
that is better than the index's own ranking beyond chance (the 95 %% interval of
the difference in nDCG@10 is above 0), a ranker is trained on all questions and
kept with the corpus; from then on it orders what is found there. If not, nothing
changes. Exit code 0 says that it was tried, whatever came of it.

Judgments name passages by their ids, as agent search --json shows them; those of
a record that was cut into passages (ID~1, ID~2 …) may name the record. Files may
be compressed with gzip. The formats are those of agent eval retrieval, but for
legalbench, which judges spans:

  beir        {_id, text}, and --qrels: tab-separated query-id, corpus-id,
              score, or TREC's four columns
  obliqa      {id, question, qrels: {passage: grade}}
  scifact     {id, claim, qrels: {passage: grade}}
  barexam     {id, prompt, question, choices, gold_passage_ids}
  morehopqa   {id, question, gold_passage_ids}

The ranker stays when documents are ingested, and is told of as trained on
another state of the corpus; it rests when the corpus holds less than half of
the passages that it was trained on. Train again then, or --remove it.`, learn.Enough),
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
	set.String("corpus", config.DefaultCorpus, "`NAME` of the corpus")
	set.StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	set.StringVar(&f.files.Format, "format", "beir", "`FORMAT` of the files: "+strings.Join(trainFormats(), ", "))
	set.StringVar(&f.files.Queries, "queries", "", "`FILE` of the questions (JSON Lines)")
	set.StringVar(&f.files.Qrels, "qrels", "", "`FILE` of the judgments; for beir only")
	set.IntVar(&f.folds, "folds", 2, "`NUMBER` of folds that the questions are dealt out into")
	set.Uint64Var(&f.seed, "seed", 1, "`SEED` of what is drawn, above 0; the same one gives the same ranker")
	set.BoolVar(&f.force, "force", false, fmt.Sprintf("try with fewer than %d judged questions, too", learn.Enough))
	set.BoolVar(&f.remove, "remove", false, "remove the corpus's trained ranker")
	set.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// trainFormats are the formats that judge passages.
func trainFormats() []string {
	return slices.DeleteFunc(retrieval.Formats(), func(f string) bool { return f == "legalbench" })
}

// check refuses a command line that cannot be meant.
func (f *trainRerankFlags) check(cmd *cobra.Command) error {
	if f.remove {
		for _, other := range []string{"queries", "qrels", "format", "folds", "seed", "force"} {
			if cmd.Flags().Changed(other) {
				return cli.Usagef("--remove and --%s do not go together", other)
			}
		}
		return nil
	}
	switch known := trainFormats(); {
	case f.files.Queries == "":
		return cli.Usagef("--queries is missing; see: agent help train rerank")
	case !slices.Contains(known, f.files.Format):
		return cli.Usagef("--format is %q%s; known: %s", f.files.Format, cli.DidYouMean(f.files.Format, known), strings.Join(known, ", "))
	case f.files.Format == "beir" && f.files.Qrels == "":
		return cli.Usagef("--qrels is missing: the format beir has its judgments in a file of their own")
	case f.files.Format != "beir" && f.files.Qrels != "":
		return cli.Usagef("--qrels is for the format beir; %s has its judgments in the file of the questions", f.files.Format)
	case f.folds < 2 || f.folds > mostFolds:
		return cli.Usagef("--folds is %d: it must be from 2 to %d", f.folds, mostFolds)
	case f.seed == 0:
		return cli.Usagef("--seed is 0: it must be above 0")
	}
	return nil
}

func removeRanker(a *cli.App, cmd *cobra.Command, flags *config.Flags, f *trainRerankFlags) error {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	removed, err := memory.RemoveRanker(s.Home, s.Corpus)
	if unknown, ok := errors.AsType[*memory.UnknownCorpusError](err); ok {
		return open.UnknownCorpus(s.Corpus, unknown.Known)
	}
	if err != nil {
		return err
	}
	switch {
	case f.asJSON:
		a.PrintJSON(struct {
			Schema  int    `json:"schema"`
			Corpus  string `json:"corpus"`
			Removed bool   `json:"removed"`
		}{1, s.Corpus, removed})
	case removed:
		fmt.Fprintf(a.Stdout, "%s: its trained ranker is removed\n", s.Corpus)
	default:
		fmt.Fprintf(a.Stdout, "%s: it had no trained ranker\n", s.Corpus)
	}
	return nil
}

// A trial is what came of training.
type trial struct {
	corpus  string
	set     *retrieval.Dataset
	flags   *trainRerankFlags
	metrics []trialMetric
	nothing bool // there was nothing to learn
	kept    bool
	ranker  memory.RankerInfo // the one in place now; without an ID when there is none
}

// A trialMetric compares a metric on held-back questions.
type trialMetric struct {
	Name          string
	Before, After float64
	metrics.Difference
}

// decisive is the metric that a trained ranker must win on.
const decisive = "nDCG@10"

func trainRerank(a *cli.App, cmd *cobra.Command, flags *config.Flags, f *trainRerankFlags) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	set, err := s.LoadSkills()
	if err != nil {
		return err
	}
	finder, err := open.NewFinder(ctx, a, s, set, open.PlainExchange(a, s))
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, finder.Close()) }()
	opts := memory.OpenOptions{Space: finder.Options().Space, Untrained: true}
	corpus, err := open.Corpus(ctx, a, s, &opts)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, corpus.Close()) }()
	if corpus.Name() != s.Corpus {
		return cli.Usagef("there is no corpus %q to train a ranker for; ingest one: agent ingest PATH… --corpus %s", s.Corpus, s.Corpus)
	}
	progress := render.NewBar(a, f.asJSON)
	t, err := try(ctx, a, s.Home, corpus, opts, f, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		printTrialJSON(a, t)
	} else {
		printTrial(a, t)
	}
	return nil
}

// try trains in folds, compares, and keeps a ranker that wins.
func try(ctx context.Context, a *cli.App, home string, corpus *memory.Corpus, opts memory.OpenOptions, f *trainRerankFlags, progress func(string, int, int)) (*trial, error) {
	set, err := retrieval.Read(ctx, f.files, &retrieval.ReadOptions{Held: corpus.PassageIDs(), Progress: progress})
	if err != nil {
		return nil, err
	}
	t := &trial{corpus: corpus.Name(), set: set.Found(), flags: f}
	if err := checkQuestions(a, t, set, corpus, f); err != nil {
		return nil, err
	}
	train := &learn.Options{Seed: f.seed, Progress: progress}
	err = t.compare(ctx, home, corpus, opts, train)
	if t.nothing = errors.Is(err, ltr.ErrNothing); err != nil && !t.nothing {
		return nil, err
	}
	if t.kept {
		model, err := corpus.Train(ctx, t.set.Judged(), train)
		if err != nil {
			return nil, err
		}
		info := memory.RankerInfo{Questions: len(t.set.Queries), Fingerprint: corpus.Fingerprint(), Metric: decisive, Forced: f.force && len(t.set.Queries) < learn.Enough}
		for _, m := range t.metrics {
			if m.Name == decisive {
				info.Before, info.After = m.Before, m.After
			}
		}
		if err := memory.SaveRanker(home, corpus.Name(), model, info); err != nil {
			return nil, err
		}
	}
	t.ranker, err = memory.StoredRanker(home, corpus.Name())
	return t, err
}

// checkQuestions refuses too few.
func checkQuestions(a *cli.App, t *trial, set *retrieval.Dataset, corpus *memory.Corpus, f *trainRerankFlags) error {
	n := len(t.set.Queries)
	if n == 0 {
		have := "it has none"
		if ids := corpus.PassageIDs(); len(ids) > 0 {
			have = fmt.Sprintf("its ids are like %q", ids[0])
		}
		return fmt.Errorf("training a ranker: no judgment names a passage of corpus %q: %s, the judgments' like %q; ingest records with the ids that the judgments use (agent help ingest), or judge what agent search --json shows", corpus.Name(), have, set.NotHeld)
	}
	if n < max(learn.Enough, f.folds) && !f.force {
		return fmt.Errorf("training a ranker: there are %s about corpus %q and at least %d are needed; judge more, or try with --force", cli.Count(n, "judged question"), corpus.Name(), learn.Enough)
	}
	if n < f.folds {
		return fmt.Errorf("training a ranker: %s cannot be dealt out into %d folds", cli.Count(n, "judged question"), f.folds)
	}
	if n < learn.Enough {
		a.Warn("only %s: with fewer than %d a ranker that seems to help may not", cli.Count(n, "judged question"), learn.Enough)
	}
	return nil
}

// compare ranks the questions of each fold without a ranker and with the one
// that was trained on the others.
func (t *trial) compare(ctx context.Context, home string, corpus *memory.Corpus, opts memory.OpenOptions, train *learn.Options) error {
	questions := t.set.Judged()
	folds := learn.Folds(questions, t.flags.folds, t.flags.seed)
	var before, after [][]float64 // per metric, per question
	var names []string
	for fold := range t.flags.folds {
		model, err := corpus.Train(ctx, learn.Without(questions, folds, fold), train)
		if err != nil {
			return err
		}
		with := opts
		with.Untrained, with.Ranker = false, model
		trained, err := memory.OpenWith(home, corpus.Name(), &with)
		if err != nil {
			return err
		}
		held := t.set.Only(func(i int) bool { return folds[i] == fold })
		evaluations := make([]retrieval.Evaluation, 2)
		for i, c := range []*memory.Corpus{corpus, trained} {
			if evaluations[i], err = retrieval.Evaluate(ctx, held, retrieval.NewCorpus(c), &retrieval.EvaluateOptions{Progress: train.Progress}); err != nil {
				return errors.Join(err, trained.Close())
			}
		}
		if err := trained.Close(); err != nil {
			return err
		}
		if names == nil {
			for _, m := range evaluations[0].Metrics {
				names = append(names, m.Name)
			}
			before, after = make([][]float64, len(names)), make([][]float64, len(names))
		}
		for m := range names {
			before[m] = append(before[m], evaluations[0].Values(m)...)
			after[m] = append(after[m], evaluations[1].Values(m)...)
		}
	}
	for m, name := range names {
		if !slices.Contains([]string{decisive, "MAP@10", "MRR@10", "R@5", "R@10"}, name) {
			continue
		}
		diff, err := metrics.Paired(after[m], before[m], nil)
		if err != nil {
			return fmt.Errorf("comparing %s: %w", name, err)
		}
		t.metrics = append(t.metrics, trialMetric{Name: name, Before: mean(before[m]), After: mean(after[m]), Difference: diff})
		t.kept = t.kept || name == decisive && diff.Lo > 0
	}
	return nil
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
