package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// trainRerank trains the ranker of one judged set. Nothing of it ships: a ranker
// is of the corpus that it was trained on; agent train rerank keeps one with an
// ingested corpus.
func trainRerank(ctx context.Context, args []string, out io.Writer) (err error) {
	var f retrieval.Files
	flags := flag.NewFlagSet("rerank", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&f.Format, "format", "beir", "`format` of the files: "+strings.Join(retrieval.Formats(), ", "))
	flags.StringVar(&f.Corpus, "corpus", "", "`file` of the passages")
	flags.StringVar(&f.Queries, "queries", "", "`file` of the judged questions")
	flags.StringVar(&f.Qrels, "qrels", "", "`file` of the judgments; for beir only")
	folds := flags.Int("folds", 2, "`number` of folds of the cross-validation")
	to := flags.String("out", "", "`folder` to write weights.json and weights.md to; empty only prints the scores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if f.Corpus == "" || f.Queries == "" || flags.NArg() > 0 {
		return errors.New("want --format F --corpus FILE --queries FILE and no other argument: a judged set, in a format of agent eval retrieval")
	}
	set, err := retrieval.Read(ctx, f, nil)
	if err != nil {
		return err
	}
	hash, err := hashFiles(f.Corpus, f.Queries, f.Qrels)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "train-rerank-*")
	if err != nil {
		return fmt.Errorf("making a directory for the index: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	model, table, err := fitRanker(ctx, filepath.Join(tmp, "index"), set, *folds)
	if err != nil {
		return err
	}
	weights, err := model.Encode()
	if err != nil {
		return err
	}
	weights = append(weights, '\n')
	var page bytes.Buffer
	fmt.Fprintf(&page, "# A ranker of one corpus\n\nMade by `go run ./eval/train rerank --format %s --corpus FILE --queries FILE`; run again on the\nsame files it writes the same bytes.\n\n"+
		"- %d passages, %d judged questions; sha256 of the files, one after the other: %s\n- weights.json: %d bytes\n\n"+
		"Questions are ranked by what was trained on those of the other folds, %d folds. Difference to\nthe index's own order with its 95 %% bootstrap interval, and p of the paired randomisation test.\n\n%s",
		f.Format, len(set.Passages), len(set.Queries), hash, len(weights), *folds, table)
	return writeTrained(out, *to, weights, page.Bytes())
}

// fitRanker trains on all questions, and compares what is trained in folds with
// the index's own order.
func fitRanker(ctx context.Context, dir string, set *retrieval.Dataset, folds int) (_ *learn.Model, table string, err error) {
	plain, err := retrieval.NewIndex(ctx, dir, set, index.BM25{}, nil)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	before, err := retrieval.Evaluate(ctx, set, plain, nil)
	if err != nil {
		return nil, "", err
	}
	trained, err := retrieval.TrainFolds(ctx, dir, set, folds, nil)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, trained.Close()) }()
	after, err := retrieval.Evaluate(ctx, set, trained, nil)
	if err != nil {
		return nil, "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| n %d | index alone | trained | difference | 95 %% | p |\n|---|---|---|---|---|---|\n", len(set.Queries))
	for i, m := range after.Metrics {
		d, err := metrics.Paired(after.Values(i), before.Values(i), nil)
		if err != nil {
			return nil, "", fmt.Errorf("comparing %s: %w", m.Name, err)
		}
		fmt.Fprintf(&b, "| %s | %.4f | %.4f | %+.4f | %+.4f – %+.4f | %.4f |\n", m.Name, before.Metrics[i].Value, m.Value, d.Value, d.Lo, d.Hi, d.P)
	}
	x, err := index.Open(dir)
	if err != nil {
		return nil, "", fmt.Errorf("training a ranker: %w", err)
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	model, err := learn.Train(ctx, x, set.Judged(), nil)
	return model, b.String(), err
}

// hashFiles is SHA-256 over files, one after the other; "" is no file.
func hashFiles(paths ...string) (string, error) {
	h := sha256.New()
	for _, path := range paths {
		if path == "" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return "", err // names the file
		}
		_, err = io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
