package retrieval

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// defaultK is the default number of judged places.
const defaultK = 10

// EvaluateOptions say how to measure. Nil and the zero value work.
type EvaluateOptions struct {
	K        int // places that are judged; default defaultK
	Progress task.Progress
}

// An Item is the result of a query.
type Item struct {
	Query  Query
	Ranked []Scored
	Values []float64 // by the names of the evaluation's Metrics, in their order
}

// An Evaluation holds the results of a ranker on a dataset. Items are in the order of the
// queries.
//
// nDCG, MAP and MRR are of the first K places; R, doc_hit, char_recall and
// char_precision are of the first 1, 2, 5, 10, 20, 50, 100 up to K, and of K.
type Evaluation struct {
	task.Score
	K     int
	Items []Item
}

// Evaluate runs every query of a dataset with a ranker, one after the other, and measures. Errors
// are those of the ranker and cancellation.
func Evaluate(ctx context.Context, d *Dataset, r Ranker, opts *EvaluateOptions) (Evaluation, error) {
	var o EvaluateOptions
	if opts != nil {
		o = *opts
	}
	if o.K <= 0 {
		o.K = defaultK
	}
	out := Evaluation{K: o.K, Items: make([]Item, len(d.Queries))}
	var err error
	out.Score, err = o.Progress.Timed(ctx, "searching", len(d.Queries), func(i int) string { return fmt.Sprintf("query %q", d.Queries[i].ID) }, func(i int) error {
		q := d.Queries[i]
		ranked, err := Pool(ctx, r, q.Texts, o.K)
		out.Items[i] = Item{Query: q, Ranked: ranked}
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	for i, item := range out.Items {
		out.Items[i].Values = d.score(item.Query, ids(item.Ranked), o.K)
	}
	var list []metrics.Statistic
	for i, name := range d.metricNames(o.K) {
		list = append(list, metrics.Mean(name, out.Values(i)))
	}
	return out, out.Measure(len(out.Items), list...)
}

// Values returns the values of one metric, by its index in Metrics, for every query in the order of
// Items.
func (e *Evaluation) Values(metric int) []float64 {
	out := make([]float64, len(e.Items))
	for i, item := range e.Items {
		out[i] = item.Values[metric]
	}
	return out
}

func ids(ranked []Scored) []string {
	out := make([]string, len(ranked))
	for i, s := range ranked {
		out[i] = s.ID
	}
	return out
}

// Pool asks several wordings and adds up their scores, each list divided by
// its largest (CombSUM after Fox and Shaw, "Combination of multiple
// searches", TREC-2, 1994). Each list is as long as the answer.
func Pool(ctx context.Context, r Ranker, texts []string, k int) ([]Scored, error) {
	if len(texts) == 1 {
		return r.Rank(ctx, texts[0], k)
	}
	var all []Scored
	at := map[string]int{}
	for _, text := range texts {
		list, err := r.Rank(ctx, text, k)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if list[0].Score > 0 {
				s.Score /= list[0].Score
			}
			if i, ok := at[s.ID]; ok {
				all[i].Score += s.Score
				continue
			}
			at[s.ID] = len(all)
			all = append(all, s)
		}
	}
	slices.SortFunc(all, byScore)
	return all[:min(k, len(all))], nil
}
