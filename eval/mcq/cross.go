package mcq

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/eval/train/linear"
	"example.com/assay/skills"
)

const (
	// crossFolds is the number of folds.
	crossFolds = 10
	// crossDeals is the number of times the folds are drawn, to show the variance.
	crossDeals = 6
)

// fitting are the options of fitting, except for the seed of a deal.
var fitting = linear.ListwiseOptions{Ridge: 2, Rounds: 10, Rate: .02, Least: 5, Seed: 20240607}

// A crossed compares weights, on questions that they were not fitted on, with the offline
// skill on the same passages.
//
// Fitted has the metrics accuracy, ECE and gold_found; over_shipped is its accuracy minus
// that of Shipped, question by question. For retrieved passages, right_if_found and
// right_if_not are its accuracy with and without a gold passage among them. It must answer
// every question, so its outcomes have no letter.
type crossed struct {
	Fitted, Shipped Evaluation
	Deals           []float64 // accuracy in several deals of the folds; the first is that of Fitted
}

// cross fits a softmax over the choices of a question in ten folds, with features of
// evidence and of style (see features). Questions that share a passage or facts are in one
// fold. The weights are not kept: the result only shows what could be learned. The errors
// are those of Evaluate, and fewer groups of questions than folds.
func cross(ctx context.Context, d *Dataset, opts *Options) (crossed, error) {
	groups := d.groups()
	if n := len(set(groups)); n < crossFolds {
		return crossed{}, fmt.Errorf("cross-validating in %d folds: the %d questions are %d groups that share no passage and no facts; give at least %d groups", crossFolds, len(groups), n, crossFolds)
	}
	o := opts.resolved()
	inputs, err := inputs(ctx, d, o)
	if err != nil {
		return crossed{}, err
	}
	var out crossed
	if out.Shipped, err = choose(ctx, d, inputs, NewOffline(), o); err != nil {
		return crossed{}, err
	}
	x, words := newLexicon(d), vocabulary(d.Questions)
	lists, right := make([][][]float64, len(inputs)), make([]int, len(inputs))
	for i, in := range inputs {
		if err := context.Cause(ctx); err != nil {
			return crossed{}, fmt.Errorf("cross-validating: %w", err)
		}
		lists[i] = features(x, in, words)
		right[i] = slices.IndexFunc(in.Choices, func(c skills.Choice) bool { return c.Letter == d.Questions[i].Answer })
	}
	for deal := range crossDeals {
		choices, err := leaveOut(ctx, deal, groups, lists, right)
		if err != nil {
			return crossed{}, fmt.Errorf("cross-validating: %w", err)
		}
		if deal == 0 {
			if out.Fitted, err = measure(d, inputs, choices, task.NewScore(nil), o.Mode); err != nil {
				return crossed{}, err
			}
		}
		right := 0.0
		for i, c := range choices {
			_, share := best(d.Questions[i], c.P)
			right += share
		}
		out.Deals = append(out.Deals, right/float64(len(choices)))
		o.Progress.Tell("leaving folds out", deal+1, crossDeals)
	}
	out.Fitted.Metrics, err = metrics.Measure(len(inputs), compared(out)...)
	return out, err
}

// leaveOut answers each question by weights that were fitted without its fold. Each deal
// assigns the groups to other folds and shuffles the rounds in another order.
func leaveOut(ctx context.Context, deal int, groups []string, lists [][][]float64, right []int) ([]Choice, error) {
	named := slices.Clone(groups)
	for i := range named {
		named[i] = strconv.Itoa(deal) + " " + named[i]
	}
	folds := linear.Folds(named, crossFolds)
	how := fitting
	how.Seed += uint64(deal)
	out := make([]Choice, len(lists))
	for fold := range crossFolds {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var seen [][][]float64
		var answers []int
		for i, f := range folds {
			if f != fold {
				seen, answers = append(seen, lists[i]), append(answers, right[i])
			}
		}
		weights, err := linear.FitListwise(seen, answers, how)
		if err != nil {
			return nil, err
		}
		for i, f := range folds {
			if f == fold {
				out[i].P = linear.Listwise(weights, lists[i])
			}
		}
	}
	return out, nil
}

// compared returns the statistics of the fitted weights.
func compared(c crossed) []metrics.Statistic {
	list := c.Fitted.Outcomes
	accuracy, gain, found := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for i, o := range list {
		accuracy[i], gain[i], found[i] = o.Right, o.Right-c.Shipped.Outcomes[i].Right, metrics.One(o.Found)
	}
	out := []metrics.Statistic{
		metrics.Mean("accuracy", accuracy),
		{Name: "ECE", Of: func(items []int) float64 { return ece(list, items) }},
		metrics.Mean("over_shipped", gain),
		metrics.Mean("gold_found", found),
	}
	if c.Fitted.Mode != Retrieval {
		return out
	}
	return append(out, rightWhere("right_if_found", list, true), rightWhere("right_if_not", list, false))
}

// rightWhere is the accuracy where a gold passage was found, or was not.
func rightWhere(name string, list []Outcome, found bool) metrics.Statistic {
	return metrics.Statistic{Name: name, Of: func(items []int) float64 {
		sum, n := 0.0, 0.0
		for _, at := range items {
			if list[at].Found == found {
				sum, n = sum+list[at].Right, n+1
			}
		}
		return sum / max(n, 1)
	}}
}

// groups names the group of each question by the id of its first one: those that
// share a passage, facts or the whole stem, directly or through others.
func (d *Dataset) groups() []string {
	parent := make([]int, len(d.Questions))
	root := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	first := map[string]int{} // the first question with a key
	for i, q := range d.Questions {
		parent[i] = i
		keys := []string{"stem " + q.Stem}
		if q.Facts != "" {
			keys = append(keys, "facts "+q.Facts)
		}
		for _, id := range q.Gold {
			keys = append(keys, "passage "+id)
		}
		for _, key := range keys {
			other, held := first[key]
			if !held {
				first[key] = i
				continue
			}
			a, b := root(i), root(other)
			parent[max(a, b)] = min(a, b)
		}
	}
	out := make([]string, len(parent))
	for i := range parent {
		out[i] = d.Questions[root(i)].ID
	}
	return out
}
