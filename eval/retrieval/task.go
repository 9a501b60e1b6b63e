package retrieval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/encode"
	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// Rankers that can be measured.
const (
	rankerAssay = "assay"
	rankerWords = "words"
	rankerBM25  = "bm25"
)

// Deepest is the most places that are judged, enough to evaluate a first stage.
const Deepest = 1000

// MostFolds bounds folds: each trains a ranker.
const MostFolds = 20

// Task is `agent eval retrieval`.
func Task() task.Task {
	return task.Task{
		Name: "retrieval", Args: "--format F --corpus FILE --queries FILE", Short: "Measure how well passages are found",
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

The ranker assay is the index that answers questions, with the encoder, which takes
most of the time. It searches for the unchanged query and keeps repeated passages. words
is the same without the encoder. bm25 is a plain baseline for comparison (k1 .9, b .4,
Lucene's English stop words, Porter2 stems). --train-rerank orders what words finds by a
ranker that is trained on the queries of the other folds, as agent train rerank would.`,
		Example: `  agent eval retrieval --format scifact --corpus corpus.jsonl.gz --queries claims.jsonl
  agent eval retrieval --format beir --corpus corpus.jsonl --queries queries.jsonl --qrels test.tsv --json
  agent eval retrieval --format obliqa --corpus corpus.jsonl.gz --queries questions.jsonl --ranker bm25 --run bm25.trec
  agent eval retrieval --format obliqa --corpus corpus.jsonl.gz --queries questions.jsonl --compare bm25.trec
  agent eval retrieval --format obliqa --corpus corpus.jsonl.gz --queries questions.jsonl --train-rerank --folds 2`,
		New: func(o *task.Options) task.Measure {
			var f options
			o.Format(&f.files.Format, "files", Formats())
			o.Need(&f.files.Corpus, "corpus", "`FILE` of the passages (JSON Lines)")
			o.Need(&f.files.Queries, "queries", "`FILE` of the queries (JSON Lines)")
			o.StringVar(&f.files.Qrels, "qrels", "", "`FILE` of the judgments; for beir only")
			o.OneOf(&f.ranker, "ranker", rankerWords, "`RANKER` to measure: assay, words or bm25", rankerAssay, rankerWords, rankerBM25)
			o.OneOf(&f.choices, "choices", "", "`HOW` choices are asked, for barexam only: joined (one query, the default) or pooled (that query and one per choice)", choicesJoined, choicesPooled)
			o.StringVar(&f.run, "run", "", "write the rankings to a `FILE` that trec_eval reads")
			o.StringVar(&f.compare, "compare", "", "test the difference to the rankings of a TREC run `FILE`")
			o.Refuse(f.checkFormat)
			o.Within(&f.k, "k", defaultK, 1, Deepest, "`PLACES` of a ranking that are judged")
			o.Limit(&f.limit, "ask", "query", "queries")
			o.Float64Var(&f.bm25.K1, "bm25-k1", 0, "k1 of BM25, with --bm25-b; 0 is the ranker's own of both")
			o.Float64Var(&f.bm25.B, "bm25-b", 0, "b of BM25")
			o.BoolVar(&f.train, "train-rerank", false, "rank each fold by what is trained on the others")
			o.Refuse(f.checkRanker)
			o.Within(&f.folds, "folds", 2, 2, MostFolds, "`NUMBER` of folds of --train-rerank")
			return f.measure
		},
	}
}

type options struct {
	files   Files
	choices string
	ranker  string
	run     string // file to write
	compare string // file to read
	bm25    index.BM25
	k       int
	limit   int
	train   bool
	folds   int
}

func (f *options) checkFormat(func(string) bool) error {
	if err := CheckQrels(f.files, "queries"); err != nil {
		return err
	}
	if f.files.Format != "barexam" && f.choices != "" {
		return task.Usagef("--choices is for the format barexam; %s has no choices", f.files.Format)
	}
	return nil
}

// CheckQrels refuses a separate file of judgments, except for the format beir, which needs
// one. asked is the word for queries in the message: "queries" or "questions".
func CheckQrels(f Files, asked string) error {
	switch {
	case f.Format == "beir" && f.Qrels == "":
		return task.Usagef("--qrels is missing: the format beir has its judgments in a file of their own")
	case f.Format != "beir" && f.Qrels != "":
		return task.Usagef("--qrels is for the format beir; %s has its judgments in the file of the %s", f.Format, asked)
	}
	return nil
}

func (f *options) checkRanker(given func(string) bool) error {
	switch {
	case given("bm25-k1") != given("bm25-b"):
		return task.Usagef("--bm25-k1 and --bm25-b go together")
	case f.bm25.Check() != nil:
		return task.Usagef("%w", f.bm25.Check())
	case f.train && f.ranker != rankerWords:
		return task.Usagef("--train-rerank trains what orders the ranker words, not %s", f.ranker)
	case f.train && f.choices == choicesPooled:
		return task.Usagef("--train-rerank and --choices pooled cannot be combined: a choice may belong to a question of the training set")
	case !f.train && given("folds"):
		return task.Usagef("--folds is for --train-rerank")
	case f.run != "" && f.run == f.compare:
		return task.Usagef("--run and --compare name the same file: the run that is compared with would be written over")
	}
	return nil
}

// name returns the name of the ranker in the output.
func (f *options) name() string {
	if f.train {
		return fmt.Sprintf("%s-trained-%d-folds", f.ranker, f.folds)
	}
	return f.ranker
}

// measure reads, indexes, searches and compares, the quick checks first.
func (f *options) measure(ctx context.Context, progress task.Progress) (_ *task.Report, err error) {
	var other Run
	if f.compare != "" {
		if other, err = readRun(ctx, f.compare); err != nil {
			return nil, fmt.Errorf("reading --compare: %w", err)
		}
	}
	set, err := Read(ctx, f.files, &ReadOptions{Choices: f.choices, Progress: progress})
	if err != nil {
		return nil, err
	}
	set.Queries = task.First(set.Queries, f.limit)
	dir, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the index: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	began := time.Now()
	ranker, release, err := f.rank(ctx, filepath.Join(dir, "index"), set, progress)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	ingest := time.Since(began)
	if f.train {
		trained, err := TrainFolds(ctx, filepath.Join(dir, "index"), set, f.folds, &learn.Options{Progress: progress})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, trained.Close()) }()
		ranker = trained
	}
	got, err := Evaluate(ctx, set, ranker, &EvaluateOptions{K: f.k, Progress: progress})
	if err != nil {
		return nil, err
	}
	r := f.report(set, got, ingest)
	if f.compare != "" {
		compared, err := compare(set, got, other)
		if err != nil {
			return nil, fmt.Errorf("comparing with %s: %w", f.compare, err)
		}
		f.show(r, got, compared)
	}
	f.putItems(r, got)
	if f.run == "" {
		return r, nil
	}
	r.Linef("run: %s", f.run)
	var run bytes.Buffer
	r.File = &task.File{Option: "run", Path: f.run, Err: writeRun(&run, set, got, f.name())}
	r.File.Data = run.Bytes()
	return r, nil
}

// rank makes a ranker and the function that closes it.
func (f *options) rank(ctx context.Context, dir string, set *Dataset, progress task.Progress) (Ranker, func() error, error) {
	if f.ranker == rankerBM25 {
		ranker, err := NewBM25(ctx, set, f.bm25, progress)
		return ranker, func() error { return nil }, err
	}
	var space *embed.Space
	if f.ranker == rankerAssay {
		m, err := encode.Builtin()
		if err == nil {
			space, err = embed.New(m, &embed.Options{Concurrency: 1, EightBits: true}) // the encoder uses all processors by itself
		}
		if err != nil {
			return nil, nil, err
		}
	}
	ranker, err := NewIndex(ctx, dir, set, f.bm25, space, progress)
	if err != nil {
		return nil, nil, err
	}
	return ranker, ranker.Close, nil
}

type leftOut struct {
	Empty    int `json:"passages_without_text"`
	Unjudged int `json:"queries_without_relevant"`
	Missing  int `json:"relevant_not_in_corpus"` // counted as not found
}

type drawn struct {
	task.Drawn
	Flips int `json:"flips"`
}

func (f *options) report(set *Dataset, got Evaluation, ingest time.Duration) *task.Report {
	r := task.NewReport("retrieval", len(got.Items), got.Metrics)
	r.Put("format", set.Format)
	r.Put("ranker", f.name())
	r.Put("n", r.N)
	r.Put("passages", len(set.Passages))
	r.Put("left_out", leftOut{set.Empty, set.Unjudged, set.Missing})
	r.Put("metrics", task.Intervals(got.Metrics))
	r.Put("latency_ms", got.Latency())
	r.Put("ingest_ms", task.Milliseconds(ingest))
	r.Put("resampling", drawn{task.Resampling(), metrics.Flips})

	r.Linef("%s, ranker %s: n %d, %s", set.Format, f.name(), r.N, task.Count(len(set.Passages), "passage"))
	for _, left := range []struct {
		n    int
		what string
	}{
		{set.Empty, "records without text, left out"},
		{set.Unjudged, "queries without a relevant passage, left out"},
		{set.Missing, "relevant passages that the corpus does not hold, counted as not found"},
	} {
		if left.n > 0 {
			r.Linef("  %s: %d", left.what, left.n)
		}
	}
	r.Table(task.Names, got.Metrics)
	r.Close(&got.Score, fmt.Sprintf("; indexed in %.1f s", ingest.Seconds()), "")
	return r
}

type compareRow struct {
	Run     string              `json:"run"`
	Absent  int                 `json:"absent"` // queries that it does not have
	Metrics map[string]deltaRow `json:"metrics"`
}

type deltaRow struct {
	Other float64 `json:"other"`
	metrics.Difference
}

// show adds a comparison.
func (f *options) show(r *task.Report, got Evaluation, c comparison) {
	row := compareRow{Run: f.compare, Absent: c.Absent, Metrics: map[string]deltaRow{}}
	r.Linef("\ncompared with %s, this minus that", f.compare)
	if c.Absent > 0 {
		r.Linef("  queries that it does not have, counted as nothing found: %d", c.Absent)
	}
	r.Linef("%-17s  %7s  %7s  %10s  %-18s  %6s", "metric", "this", "that", "difference", "95 % interval", "p")
	for i, d := range c.Metrics {
		row.Metrics[d.Name] = deltaRow{task.Six(d.Other), metrics.Difference{Interval: task.Rounded(d.Interval), P: task.Six(d.P)}}
		r.Linef("%-17s  %7.4f  %7.4f  %+10.4f  [%+.4f, %+.4f]  %6.4f", d.Name, got.Metrics[i].Value, d.Other, d.Value, d.Lo, d.Hi, d.P)
	}
	r.Linef("p: paired randomisation test, two-sided, %d flips, seed %d; each metric on its own", metrics.Flips, metrics.Seed)
	r.Put("compare", row)
}

type itemRow struct {
	ID      string             `json:"id"`
	Gold    []string           `json:"gold"` // relevant passages, by id
	Pred    []string           `json:"pred"` // ranked passages, best first
	Metrics map[string]float64 `json:"metrics"`
}

func (f *options) putItems(r *task.Report, got Evaluation) {
	items := make([]itemRow, len(got.Items))
	for i, item := range got.Items {
		row := itemRow{ID: item.Query.ID, Gold: item.Query.Relevant(), Pred: ids(item.Ranked), Metrics: map[string]float64{}}
		for j, v := range item.Values {
			row.Metrics[got.Metrics[j].Name] = task.Six(v)
		}
		items[i] = row
	}
	r.Put("items", items)
}
