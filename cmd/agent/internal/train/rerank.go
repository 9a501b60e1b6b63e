package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
	"example.com/assay/memory"
	"example.com/assay/memory/learn"
	"example.com/assay/memory/ltr"
)

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
		fmt.Fprintf(a.Stdout, "%s: the trained ranker is removed\n", s.Corpus)
	default:
		fmt.Fprintf(a.Stdout, "%s: it had no trained ranker\n", s.Corpus)
	}
	return nil
}

// A trial is the result of training.
type trial struct {
	corpus  string
	set     *retrieval.Dataset
	flags   *trainRerankFlags
	metrics []retrieval.Trial
	nothing bool // nothing could be learnt
	kept    bool
	ranker  memory.RankerInfo // the corpus's ranker now; its ID is empty for none
}

// decisive is the metric on which a trained ranker must win.
const decisive = "nDCG@10"

// shown are the metrics that are printed.
var shown = []string{decisive, "MAP@10", "MRR@10", "R@5", "R@10"}

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
	x := open.PlainExchange(a, s)
	defer func() { err = cli.Also(err, x.Close()) }()
	finder, err := open.NewFinder(ctx, a, s, set, x)
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

// try trains in folds, compares the rankings, and keeps a ranker that wins.
func try(ctx context.Context, a *cli.App, home string, corpus *memory.Corpus, opts memory.OpenOptions, f *trainRerankFlags, progress func(string, int, int)) (*trial, error) {
	held, err := corpus.PassageIDs()
	if err != nil {
		return nil, err
	}
	set, err := retrieval.Read(ctx, f.files, &retrieval.ReadOptions{Held: held, Progress: progress})
	if err != nil {
		return nil, err
	}
	t := &trial{corpus: corpus.Name(), set: set.Found(), flags: f}
	if err := checkQuestions(a, t, set, corpus.Name(), held, f); err != nil {
		return nil, err
	}
	train := &learn.Options{Seed: f.seed, Progress: progress}
	all, err := retrieval.Try(ctx, home, corpus, opts, t.set, f.folds, train)
	if t.nothing = errors.Is(err, ltr.ErrNothing); err != nil && !t.nothing {
		return nil, err
	}
	info := memory.RankerInfo{Questions: len(t.set.Queries), Fingerprint: corpus.Fingerprint(), Metric: decisive, Forced: f.force && len(t.set.Queries) < learn.Enough}
	for _, m := range all {
		if slices.Contains(shown, m.Name) {
			t.metrics = append(t.metrics, m)
		}
		if m.Name == decisive {
			info.Before, info.After, t.kept = m.Before, m.After, m.Lo > 0
		}
	}
	if t.kept {
		model, err := corpus.Train(ctx, t.set.Judged(), train)
		if err != nil {
			return nil, err
		}
		if err := memory.SaveRanker(home, corpus.Name(), model, info); err != nil {
			return nil, err
		}
	}
	t.ranker, err = memory.StoredRanker(home, corpus.Name())
	return t, err
}

// checkQuestions refuses too few questions.
func checkQuestions(a *cli.App, t *trial, set *retrieval.Dataset, name string, ids []string, f *trainRerankFlags) error {
	n := len(t.set.Queries)
	if n == 0 {
		have := "it has none"
		if len(ids) > 0 {
			have = fmt.Sprintf("its ids are like %q", ids[0])
		}
		return fmt.Errorf("training a ranker: no judgment names a passage of corpus %q: %s, those of the judgments like %q; ingest records with the ids that the judgments use (agent help ingest), or judge what agent search --json shows", name, have, set.NotHeld)
	}
	if n < max(learn.Enough, f.folds) && !f.force {
		return fmt.Errorf("training a ranker: there are %s about corpus %q and at least %d are needed; judge more, or try with --force", cli.Count(n, "judged question"), name, learn.Enough)
	}
	if n < f.folds {
		return fmt.Errorf("training a ranker: %s cannot be divided into %d folds", cli.Count(n, "judged question"), f.folds)
	}
	if n < learn.Enough {
		a.Warn("only %s: with fewer than %d, a ranker that seems to help may not really help", cli.Count(n, "judged question"), learn.Enough)
	}
	return nil
}

func printTrial(a *cli.App, t *trial) {
	fmt.Fprintf(a.Stdout, "%s: %s, %d folds, seed %d\n", t.corpus, cli.Count(len(t.set.Queries), "judged question"), t.flags.folds, t.flags.seed)
	if n := t.set.Unjudged; n > 0 {
		fmt.Fprintf(a.Stdout, "  questions without a relevant passage in the corpus, left out: %d\n", n)
	}
	if n := t.set.Missing; n > 0 {
		fmt.Fprintf(a.Stdout, "  relevant passages that the corpus does not hold, counted as not found: %d\n", n)
	}
	if !t.nothing {
		fmt.Fprintf(a.Stdout, "\n%-9s  %7s  %7s  %10s  %-18s  %6s\n", "held back", "before", "trained", "difference", "95 % interval", "p")
	}
	for _, m := range t.metrics {
		fmt.Fprintf(a.Stdout, "%-9s  %7.4f  %7.4f  %+10.4f  [%+.4f, %+.4f]  %6.4f\n", m.Name, m.Before, m.After, m.Value, m.Lo, m.Hi, m.P)
	}
	if t.kept {
		fmt.Fprintf(a.Stdout, "\nkept: %s, trained on all questions, orders the searches of %s from now on\n", t.ranker.ID, t.corpus)
		return
	}
	why := "it does not win on " + decisive + " beyond chance"
	if t.nothing {
		why = "nothing could be learnt from these questions, or there are too few"
	}
	if t.ranker.ID != "" {
		why += "; " + t.ranker.ID + ", trained earlier, stays as it is"
	}
	fmt.Fprintf(a.Stdout, "\nnot kept: %s\n", why)
}

func printTrialJSON(a *cli.App, t *trial) {
	type row struct {
		Before float64 `json:"before"`
		After  float64 `json:"after"`
		metrics.Difference
	}
	rows := map[string]row{}
	for _, m := range t.metrics {
		rows[m.Name] = row{task.Six(m.Before), task.Six(m.After), metrics.Difference{Interval: task.Rounded(m.Interval), P: task.Six(m.P)}}
	}
	var ranker *memory.RankerInfo
	if t.ranker.ID != "" {
		ranker = &t.ranker
	}
	a.PrintJSON(struct {
		Schema   int                `json:"schema"`
		Task     string             `json:"task"`
		Corpus   string             `json:"corpus"`
		N        int                `json:"n"`
		Folds    int                `json:"folds"`
		Seed     uint64             `json:"seed"`
		Unjudged int                `json:"queries_without_relevant"`
		Missing  int                `json:"relevant_not_in_corpus"` // counted as not found
		Decisive string             `json:"decisive"`
		Kept     bool               `json:"kept"`
		Nothing  bool               `json:"nothing_learnt,omitempty"` // then there are no metrics
		Metrics  map[string]row     `json:"metrics"`
		Ranker   *memory.RankerInfo `json:"ranker,omitempty"` // the ranker that the corpus has now
	}{1, "train_rerank", t.corpus, len(t.set.Queries), t.flags.folds, t.flags.seed, t.set.Unjudged, t.set.Missing, decisive, t.kept, t.nothing, rows, ranker})
}
