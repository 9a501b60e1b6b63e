package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/retrieval"
	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// Rankers that can be measured.
const (
	rankerAssay = "assay"
	rankerBM25  = "bm25"
)

// deepest is the most places that are judged: so many does an evaluation of a
// first stage ask for.
const deepest = 1000

// evalRetrievalFlags are the flags of eval retrieval.
type evalRetrievalFlags struct {
	files   retrieval.Files
	choices string
	ranker  string
	run     string // file to write
	compare string // file to read
	bm25    index.BM25
	k       int
	limit   int
	train   bool
	folds   int
	asJSON  bool
}

func evalRetrievalCommand(a *cli.App) *cobra.Command {
	var f evalRetrievalFlags
	cmd := &cobra.Command{
		Use:   "retrieval --format F --corpus FILE --queries FILE",
		Short: "Measure how well passages are found",
		Long: `Retrieval indexes a judged collection in a temporary directory, asks every
query, and prints each metric with its 95 % bootstrap interval. Files may be
compressed with gzip. The formats are those of these collections:

  beir        {_id, title, text}, {_id, text}, and --qrels: tab-separated
              query-id, corpus-id, score, or TREC's four columns
  obliqa      {id, doc_id, text}, {id, question, qrels}
  scifact     {id, title, text}, {id, claim, qrels}
  barexam     {id, text}, {id, prompt, question, choices, gold_passage_ids}
  legalbench  {id, text}, {id, query, snippets: [{doc_id, start, end, text}]};
              documents are cut into passages of at most 500 characters
  morehopqa   {id, title, text}, {id, question, gold_passage_ids}

nDCG, MAP and MRR are of the first K places; R, doc_hit, char_recall and
char_precision are also of the first 1, 2, 5, 10, 20, 50 and 100 below K.

The ranker assay is the index that answers questions, asked the query as it
stands, passages that repeat others kept; bm25 is a plain baseline (k1 .9, b .4,
Lucene's English stop words, Porter2 stems) to set it against. With
--train-rerank the index's ranking is ordered by a ranker that is trained on the
queries of the other folds, as agent train rerank would.`,
		Example: `  agent eval retrieval --format scifact --corpus corpus.jsonl.gz --queries claims.jsonl
  agent eval retrieval --format beir --corpus corpus.jsonl --queries queries.jsonl --qrels test.tsv --json
  agent eval retrieval --format obliqa --corpus corpus.jsonl.gz --queries questions.jsonl --ranker bm25 --run bm25.trec
  agent eval retrieval --format obliqa --corpus corpus.jsonl.gz --queries questions.jsonl --compare bm25.trec
  agent eval retrieval --format obliqa --corpus corpus.jsonl.gz --queries questions.jsonl --train-rerank --folds 2`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return evalRetrieval(cmd.Context(), a, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.files.Format, "format", "", "`FORMAT` of the files: "+strings.Join(retrieval.Formats(), ", "))
	flags.StringVar(&f.files.Corpus, "corpus", "", "`FILE` of the passages (JSON Lines)")
	flags.StringVar(&f.files.Queries, "queries", "", "`FILE` of the queries (JSON Lines)")
	flags.StringVar(&f.files.Qrels, "qrels", "", "`FILE` of the judgments; for beir only")
	flags.StringVar(&f.choices, "choices", "", "`HOW` choices are asked, for barexam only: joined (one query, the default) or pooled (that query and one per choice)")
	flags.StringVar(&f.ranker, "ranker", rankerAssay, "`RANKER` to measure: assay or bm25")
	flags.StringVar(&f.run, "run", "", "write the rankings to a `FILE` that trec_eval reads")
	flags.StringVar(&f.compare, "compare", "", "test the difference to the rankings of a TREC run `FILE`")
	flags.IntVar(&f.k, "k", retrieval.DefaultK, "`PLACES` of a ranking that are judged")
	flags.IntVar(&f.limit, "limit", 0, "ask only the first `N` queries")
	flags.Float64Var(&f.bm25.K1, "bm25-k1", 0, "k1 of BM25, with --bm25-b; 0 is the ranker's own of both")
	flags.Float64Var(&f.bm25.B, "bm25-b", 0, "b of BM25")
	flags.BoolVar(&f.train, "train-rerank", false, "rank each fold by what is trained on the others")
	flags.IntVar(&f.folds, "folds", 2, "`NUMBER` of folds of --train-rerank")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// check refuses a command line that cannot be meant.
func (f *evalRetrievalFlags) check(cmd *cobra.Command) error {
	for _, need := range []struct{ flag, value string }{
		{"format", f.files.Format}, {"corpus", f.files.Corpus}, {"queries", f.files.Queries},
	} {
		if need.value == "" {
			return cli.Usagef("--%s is missing; see: agent help eval retrieval", need.flag)
		}
	}
	for _, choice := range []struct {
		flag, value string
		known       []string
	}{
		{"format", f.files.Format, retrieval.Formats()},
		{"ranker", f.ranker, []string{rankerAssay, rankerBM25}},
		{"choices", f.choices, []string{"", retrieval.ChoicesJoined, retrieval.ChoicesPooled}},
	} {
		if !slices.Contains(choice.known, choice.value) {
			known := slices.DeleteFunc(slices.Clone(choice.known), func(s string) bool { return s == "" })
			return cli.Usagef("--%s is %q%s; known: %s", choice.flag, choice.value, cli.DidYouMean(choice.value, known), strings.Join(known, ", "))
		}
	}
	switch {
	case f.files.Format == "beir" && f.files.Qrels == "":
		return cli.Usagef("--qrels is missing: the format beir has its judgments in a file of their own")
	case f.files.Format != "beir" && f.files.Qrels != "":
		return cli.Usagef("--qrels is for the format beir; %s has its judgments in the file of the queries", f.files.Format)
	case f.files.Format != "barexam" && f.choices != "":
		return cli.Usagef("--choices is for the format barexam; %s has no choices", f.files.Format)
	case f.k < 1 || f.k > deepest:
		return cli.Usagef("--k is %d: it must be from 1 to %d", f.k, deepest)
	case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
		return cli.Usagef("--limit is %d: it must be at least 1; leave it out to ask every query", f.limit)
	case cmd.Flags().Changed("bm25-k1") != cmd.Flags().Changed("bm25-b"):
		return cli.Usagef("--bm25-k1 and --bm25-b go together")
	case f.bm25.Check() != nil:
		return cli.Usagef("%w", f.bm25.Check())
	case f.train && f.ranker != rankerAssay:
		return cli.Usagef("--train-rerank trains what orders the ranker assay, not %s", f.ranker)
	case f.train && f.choices == retrieval.ChoicesPooled:
		return cli.Usagef("--train-rerank and --choices pooled do not go together: a choice may be that of a question which was trained on")
	case !f.train && cmd.Flags().Changed("folds"):
		return cli.Usagef("--folds is for --train-rerank")
	case f.folds < 2 || f.folds > mostFolds:
		return cli.Usagef("--folds is %d: it must be from 2 to %d", f.folds, mostFolds)
	case f.run != "" && f.run == f.compare:
		return cli.Usagef("--run and --compare name the same file: the run that is compared with would be written over")
	}
	return nil
}

// name is what the ranker is called in what is printed.
func (f *evalRetrievalFlags) name() string {
	if f.train {
		return fmt.Sprintf("%s-trained-%d-folds", f.ranker, f.folds)
	}
	return f.ranker
}

// A measured retrieval is what there is to print of one.
type measuredRetrieval struct {
	flags      *evalRetrievalFlags
	set        *retrieval.Dataset
	result     retrieval.Evaluation
	comparison *retrieval.Comparison // nil without --compare
	ingest     time.Duration
}

func evalRetrieval(ctx context.Context, a *cli.App, f *evalRetrievalFlags) (err error) {
	progress := render.NewBar(a, f.asJSON)
	m, err := measureRetrieval(ctx, a, f, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.run != "" {
		var run bytes.Buffer
		err = retrieval.WriteRun(&run, m.set, m.result, f.name())
		if err == nil {
			err = cli.WriteFile(f.run, run.Bytes(), 0o644)
		}
		if err != nil { // what was measured is shown all the same
			err = fmt.Errorf("writing --run %s: %w", f.run, err)
		}
	}
	if f.asJSON {
		printRetrievalJSON(a, m)
	} else {
		printRetrieval(a, m)
	}
	return err
}

// measureRetrieval reads, indexes, searches and compares, the quick checks
// first.
func measureRetrieval(ctx context.Context, a *cli.App, f *evalRetrievalFlags, progress func(string, int, int)) (m measuredRetrieval, err error) {
	m.flags = f
	var other retrieval.Run
	if f.compare != "" {
		if other, err = retrieval.ReadRun(ctx, f.compare); err != nil {
			return m, fmt.Errorf("reading --compare: %w", err)
		}
	}
	if m.set, err = retrieval.Read(ctx, f.files, &retrieval.ReadOptions{Choices: f.choices, Progress: progress}); err != nil {
		return m, err
	}
	m.set = m.set.Limit(f.limit)
	dir, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return m, fmt.Errorf("making a directory for the index: %w", err)
	}
	defer func() { err = cli.Also(err, os.RemoveAll(dir)) }()

	began := a.Now()
	ranker, release, err := newRanker(ctx, f.ranker, filepath.Join(dir, "index"), m.set, f.bm25, progress)
	if err != nil {
		return m, err
	}
	defer func() { err = cli.Also(err, release()) }()
	m.ingest = a.Now().Sub(began)
	if f.train {
		trained, err := retrieval.TrainFolds(ctx, filepath.Join(dir, "index"), m.set, f.folds, &learn.Options{Progress: progress})
		if err != nil {
			return m, err
		}
		defer func() { err = cli.Also(err, trained.Close()) }()
		ranker = trained
	}

	if m.result, err = retrieval.Evaluate(ctx, m.set, ranker, &retrieval.EvaluateOptions{K: f.k, Progress: progress}); err != nil {
		return m, err
	}
	if f.compare == "" {
		return m, nil
	}
	comparison, err := retrieval.Compare(m.set, m.result, other)
	if err != nil {
		return m, fmt.Errorf("comparing with %s: %w", f.compare, err)
	}
	m.comparison = &comparison
	return m, nil
}

// newRanker makes a ranker and what releases it.
func newRanker(ctx context.Context, name, dir string, set *retrieval.Dataset, bm25 index.BM25, progress func(string, int, int)) (retrieval.Ranker, func() error, error) {
	if name == rankerBM25 {
		ranker, err := retrieval.NewBM25(ctx, set, &retrieval.BM25Options{K1: bm25.K1, B: bm25.B}, progress)
		return ranker, func() error { return nil }, err
	}
	ranker, err := retrieval.NewIndex(ctx, dir, set, bm25, progress)
	if err != nil {
		return nil, nil, err
	}
	return ranker, ranker.Close, nil
}
