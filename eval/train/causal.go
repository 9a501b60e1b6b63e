package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	reading "example.com/assay/decide/causal"
	"example.com/assay/eval/causal"
	"example.com/assay/eval/train/linear"
)

// trainCausal trains the reader of causal language.
func trainCausal(ctx context.Context, data string) (*learned, error) {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Weights of causal language\n\nMade by `go run ./eval/train causal --data DIR`; run again on the same data it writes the same bytes.\n"+
		"Shipped are pairs and cnc, whose marked causes, effects and signals teach which words join them. What is learned from pubmed is measured here and not shipped: it is\nunder the GPL; the program reads such sentences by its rules.\n\n"+
		"Cross-validation in %d folds by group: every item is judged by weights that were fitted without\nits fold, and by a threshold that was chosen on the judgements of the others. Value and 95 %%\nbootstrap interval.\n", folds)
	var shipped reading.Weights
	for _, part := range causalParts {
		set, err := causal.Read(ctx, causal.Files{Format: part.format, Data: filepath.Join(data, part.file)}, nil)
		if err != nil {
			return nil, err
		}
		model, err := part.train(ctx, set, &page)
		if err != nil {
			return nil, err
		}
		if part.format == causal.FormatCNC {
			joint, err := fitJoint(set, func(int) bool { return true })
			if err != nil {
				return nil, err
			}
			shipped.Joint = reading.NewLinear("joint", joint.Weights[0], joint.Bias[0], 0)
		}
		if part.ship != nil {
			*part.ship(&shipped) = model
			shipped.Trained = append(shipped.Trained, reading.Data{Name: set.Format, Items: len(set.Items), SHA256: set.Hash})
		}
	}
	weights, err := json.Marshal(shipped)
	if err != nil {
		return nil, fmt.Errorf("encoding the weights: %w", err)
	}
	weights = append(weights, '\n')
	fmt.Fprintf(&page, "\nweights.json: %d bytes\n", len(weights))
	return weighed(weights, page.Bytes()), nil
}

// A causalPart configures the training on one collection.
type causalPart struct {
	format, file string
	dimensions   int
	ridge        float64
	ship         func(*reading.Weights) *reading.Linear // nil: not shipped
}

var causalParts = []causalPart{
	{causal.FormatPubMed, filepath.Join("pubmed_causal_language", "sentences.jsonl"), 1 << 17, .05, nil},
	{causal.FormatCNC, filepath.Join("causal_news_corpus", "sentences.jsonl"), reading.Dimensions, .3, func(w *reading.Weights) *reading.Linear { return &w.News }},
	{causal.FormatPairs, filepath.Join("semeval2010t8_pairs", "pairs.jsonl"), reading.Dimensions, .05, func(w *reading.Weights) *reading.Linear { return &w.Pair }},
}

// swappedWeight is the weight of a swapped, non-causal pair against an original one: enough for the
// order of non-causal pairs to carry no information.
const swappedWeight = .15

// A causalRow is an item for training and evaluation.
type causalRow struct {
	item    int
	fold    int
	class   int // place of its gold label
	found   bool
	x       linear.Sparse
	swapped bool // a pair in the other order: trained as not causal, evaluated separately
	weight  float64
}

func (p causalPart) rows(set *causal.Dataset) []causalRow {
	groups := make([]string, len(set.Items))
	for i, item := range set.Items {
		groups[i] = item.Group
	}
	dealt := linear.Folds(groups, folds)
	var out []causalRow
	for i, item := range set.Items {
		row := causalRow{item: i, weight: 1, fold: dealt[i], class: slices.Index(set.Labels, item.Gold)}
		if len(set.Labels) == 2 {
			row.class = 1 - row.class // true is class 1
		}
		s := reading.Read(item.Text)
		if p.format != causal.FormatPairs {
			v := reading.SentenceFeatures(s, uint32(p.dimensions))
			row.x, row.found = linear.Sparse{Index: v.Index, Value: v.Value}, true
			out = append(out, row)
			continue
		}
		row.x, row.found = p.pair(s, item.Cause, item.Effect)
		out = append(out, row)
		turned := row
		turned.class, turned.swapped = 0, true
		if !item.Causal {
			turned.weight = swappedWeight
		}
		turned.x, turned.found = p.pair(s, item.Effect, item.Cause)
		out = append(out, turned)
	}
	return out
}

func (p causalPart) pair(s *reading.Sentence, cause, effect string) (linear.Sparse, bool) {
	c, e, ok := reading.Locate(s, cause, effect)
	if !ok {
		return linear.Sparse{}, false
	}
	v := reading.PairFeatures(s, c, e, uint32(p.dimensions))
	return linear.Sparse{Index: v.Index, Value: v.Value}, true
}

func (p causalPart) fit(rows []causalRow, classes int) (*linear.Softmax, error) {
	var xs []linear.Sparse
	var labels []int
	var weights []float64
	n, all := make([]float64, classes), 0.0
	for _, r := range rows {
		if r.found {
			xs, labels, weights = append(xs, r.x), append(labels, r.class), append(weights, r.weight)
			n[r.class] += r.weight
			all += r.weight
		}
	}
	for i, class := range labels {
		weights[i] *= math.Sqrt(all / (float64(classes) * n[class]))
	}
	return linear.FitSoftmax(xs, labels, classes, p.dimensions, weights, p.ridge, 80)
}

// train cross-validates, writes the scores to page, and fits all rows.
func (p causalPart) train(ctx context.Context, set *causal.Dataset, page *bytes.Buffer) (reading.Linear, error) {
	rows, classes := p.rows(set), len(set.Labels)
	dealt := make([]int, len(set.Items)) // folds, by item
	for _, r := range rows {
		dealt[r.item] = r.fold
	}
	seen := make([][]float64, len(rows)) // probabilities by weights without the row's fold
	for fold := range folds {
		if err := context.Cause(ctx); err != nil {
			return reading.Linear{}, err
		}
		m, err := p.fit(slices.DeleteFunc(slices.Clone(rows), func(r causalRow) bool { return r.fold == fold }), classes)
		if err != nil {
			return reading.Linear{}, err
		}
		var joint *linear.Softmax
		if p.format == causal.FormatCNC {
			if joint, err = fitJoint(set, func(item int) bool { return dealt[item] != fold }); err != nil {
				return reading.Linear{}, err
			}
		}
		for i, r := range rows {
			if r.fold != fold {
				continue
			}
			seen[i] = make([]float64, classes)
			if seen[i][0] = 1; r.found {
				seen[i] = m.P(r.x)
			}
			if joint != nil {
				yes := newsP(seen[i][1], joint, set.Items[r.item])
				seen[i] = []float64{1 - yes, yes}
			}
		}
	}
	if err := p.score(set, rows, seen, page); err != nil {
		return reading.Linear{}, err
	}
	if p.ship == nil {
		return reading.Linear{}, nil
	}
	m, err := p.fit(rows, classes)
	if err != nil {
		return reading.Linear{}, err
	}
	return reading.NewLinear(p.format, m.Weights[0], m.Bias[0], best(rows, seen, -1)), nil
}

// Thresholds that are tried, in hundredths, and the neighbourhood over which F1 is averaged: the
// best single threshold of a few hundred rows is luck.
const (
	lowest, highest = 20, 80
	around          = 5
)

// best returns the probability threshold with the highest F1, averaged over its neighbourhood, on
// all rows outside a fold, with swapped ones as errors.
func best(rows []causalRow, seen [][]float64, but int) float64 {
	var f1 [highest + around + 1]float64
	for step := lowest - around; step < len(f1); step++ {
		f1[step] = f1At(float64(step)/100, rows, seen, but)
	}
	at, top := 50, -1.0
	for step := lowest; step <= highest; step++ {
		sum := 0.0
		for _, f := range f1[step-around : step+around+1] {
			sum += f
		}
		if sum > top {
			at, top = step, sum
		}
	}
	return float64(at) / 100
}

// f1At is the F1 of a threshold on all rows outside a fold.
func f1At(t float64, rows []causalRow, seen [][]float64, but int) float64 {
	tp, fp, fn := 0.0, 0.0, 0.0
	for i, r := range rows {
		switch yes := seen[i][1] >= t; {
		case r.fold == but:
		case yes && r.class == 1:
			tp += r.weight
		case yes:
			fp += r.weight
		case r.class == 1:
			fn += r.weight
		}
	}
	return 2 * tp / max(2*tp+fp+fn, 1)
}

func (p causalPart) score(set *causal.Dataset, rows []causalRow, seen [][]float64, page *bytes.Buffer) error {
	thresholds := make([]float64, folds)
	for fold := range folds {
		thresholds[fold] = best(rows, seen, fold)
	}
	sets := []*causal.Dataset{set}
	if p.format == causal.FormatPairs {
		sets = append(sets, set.Swap())
	}
	for _, part := range sets {
		var judged []causal.Judgement
		for i, r := range rows {
			if r.swapped != part.Swapped {
				continue
			}
			j := causal.Judgement{Label: set.Labels[0], P: seen[i][1]}
			switch {
			case len(set.Labels) == 2 && seen[i][1] < thresholds[r.fold]:
				j.Label = causal.False
			case len(set.Labels) > 2:
				most := 0
				for k, v := range seen[i] {
					if v > seen[i][most] {
						most = k
					}
				}
				j.Label, j.P = set.Labels[most], seen[i][0]
			}
			judged = append(judged, j)
		}
		got, err := causal.Measure(part, judged)
		if err != nil {
			return err
		}
		name := set.Format
		if part.Swapped {
			name += ", swapped"
		}
		table(page, fmt.Sprintf("%s, n %d", name, len(judged)), got.Metrics)
		if !part.Swapped {
			fmt.Fprintf(page, "\nsha256 %s\n", set.Hash)
		}
	}
	return nil
}
