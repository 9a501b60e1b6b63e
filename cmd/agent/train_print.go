package main

import (
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/eval/metrics"
	"example.com/assay/memory"
)

func printTrial(a *cli.App, t *trial) {
	fmt.Fprintf(a.Stdout, "%s: %s, %d folds, seed %d\n", t.corpus, cli.Count(len(t.set.Queries), "judged question"), t.flags.folds, t.flags.seed)
	for _, left := range t.leftOut() {
		if left.n > 0 {
			fmt.Fprintf(a.Stdout, "  %s: %d\n", left.what, left.n)
		}
	}
	if !t.nothing {
		fmt.Fprintf(a.Stdout, "\n%-9s  %7s  %7s  %10s  %-18s  %6s\n", "held back", "before", "trained", "difference", "95 % interval", "p")
	}
	for _, m := range t.metrics {
		fmt.Fprintf(a.Stdout, "%-9s  %7.4f  %7.4f  %+10.4f  [%+.4f, %+.4f]  %6.4f\n", m.Name, m.Before, m.After, m.Value, m.Lo, m.Hi, m.P)
	}
	if t.kept {
		fmt.Fprintf(a.Stdout, "\nkept: %s, trained on all of them, orders what is found in %s from now on\n", t.ranker.ID, t.corpus)
		return
	}
	why := "it does not win on " + decisive + " beyond chance"
	if t.nothing {
		why = "nothing could be learnt from so few questions, or from these"
	}
	if t.ranker.ID != "" {
		why += "; " + t.ranker.ID + ", trained earlier, stays as it is"
	}
	fmt.Fprintf(a.Stdout, "\nkept off: %s\n", why)
}

type leftOutLine struct {
	n    int
	what string
}

func (t *trial) leftOut() []leftOutLine {
	return []leftOutLine{
		{t.set.Unjudged, "questions without a relevant passage in the corpus, left out"},
		{t.set.Missing, "relevant passages that the corpus does not hold, counted as not found"},
	}
}

func printTrialJSON(a *cli.App, t *trial) {
	type row struct {
		Before float64 `json:"before"`
		After  float64 `json:"after"`
		metrics.Difference
	}
	rows := map[string]row{}
	for _, m := range t.metrics {
		rows[m.Name] = row{six(m.Before), six(m.After), metrics.Difference{Interval: rounded(m.Interval), P: six(m.P)}}
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
		Ranker   *memory.RankerInfo `json:"ranker,omitempty"` // the one in place now
	}{1, "train_rerank", t.corpus, len(t.set.Queries), t.flags.folds, t.flags.seed, t.set.Unjudged, t.set.Missing, decisive, t.kept, t.nothing, rows, ranker})
}
