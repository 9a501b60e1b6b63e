package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/assay/decide/claim/support"
	"example.com/assay/eval/claims"
	"example.com/assay/memory/text/idf"
	"example.com/assay/state"
)

// verify trains the judge of claims.
func verify(ctx context.Context, data string) (*learned, error) {
	pool, err := readPool(ctx, data)
	if err != nil {
		return nil, err
	}
	return trainVerify(ctx, pool)
}

// What training writes, below the folder of the repository.
const (
	idfFile     = "memory/text/idf/idf.bin"
	weightsFile = "decide/claim/support/weights.json"
	pageFile    = "decide/claim/support/weights.md"
)

func trainVerify(ctx context.Context, p *pool) (*learned, error) {
	table := p.idf()
	blank, err := support.Untrained(table)
	if err != nil {
		return nil, err
	}
	dealt := p.folds()
	samples, terms, err := p.measure(blank, dealt)
	if err != nil {
		return nil, err
	}
	seen, err := p.crossValidate(ctx, table, dealt, samples, terms)
	if err != nil {
		return nil, err
	}
	weights, err := fit(samples, terms)
	if err != nil {
		return nil, err
	}
	if weights.Calibration, err = calibrate(seen.all(-1)); err != nil {
		return nil, err
	}
	for _, set := range p.sets {
		weights.Trained = append(weights.Trained, support.Data{Name: set.Format, Items: len(set.Items), SHA256: set.Hash})
	}
	encodedWeights, err := encoded(weights, "\t")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{idfFile: table, weightsFile: encodedWeights}
	files[pageFile], err = p.page(seen, len(terms), files)
	return &learned{pageFile, files}, err
}

// An unseen judgement is that of a claim by weights that were not trained on it.
type unseen struct {
	set     string
	item    claims.Item
	fold    int
	good    bool
	width   float64
	score   float64
	alone   state.Verdict // of the weights
	verdict state.Verdict // after code has weighed it
}

type unseens []unseen

// all returns scores, widths and labels of every judgement outside a fold, for original and altered
// claims. It omits copied claims, whose probability is not the model's, and claims that code
// refuses or doubts, because the probability is that of a claim which passes.
func (u unseens) all(but int) (scores, widths, weights []float64, good []bool) {
	for _, j := range u {
		if j.fold != but && !math.IsInf(j.score, 0) && len(j.verdict.Conflicts) == 0 && len(j.verdict.Doubts) == 0 {
			weight := 1.0
			if _, _, altered := claims.AlterationOf(j.item.ID); altered {
				weight = alteredWeight
			}
			scores, widths, weights, good = append(scores, j.score), append(widths, j.width), append(weights, weight), append(good, j.good)
		}
	}
	return scores, widths, weights, good
}

// crossValidate judges every claim by weights and a calibration that were
// fitted without its fold.
func (p *pool) crossValidate(ctx context.Context, table idf.Table, dealt map[string][]int, samples []sample, terms []judgedTerm) (unseens, error) {
	models := make([]*support.Model, folds)
	for fold := range folds {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var rest []sample
		var restTerms []judgedTerm
		for _, s := range samples {
			if s.fold != fold {
				rest = append(rest, s)
			}
		}
		for _, t := range terms {
			if t.fold != fold {
				restTerms = append(restTerms, t)
			}
		}
		weights, err := fit(rest, restTerms)
		if err != nil {
			return nil, err
		}
		if models[fold], err = support.New(weights, table); err != nil {
			return nil, err
		}
	}
	code, err := claims.NewVerified(nil)
	if err != nil {
		return nil, err
	}
	var out unseens
	for _, set := range p.sets {
		foldOf := map[string]int{}
		for i, item := range set.Items {
			foldOf[item.ID] = dealt[set.Format][i]
		}
		for _, item := range slices.Concat(set.Items, claims.Altered(set).Items) {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			original, _, altered := claims.AlterationOf(item.ID)
			if !altered && slices.ContainsFunc(out, func(u unseen) bool { return u.set == set.Format && u.item.ID == item.ID }) {
				continue // the originals among the altered
			}
			fold := foldOf[original]
			e := models[fold].PrepareSources(claims.Sources(item.Evidence))
			j := e.Judge(item.Text)
			u := unseen{
				set: set.Format, item: item, fold: fold, good: item.Gold == claims.Supported, width: e.Width(),
				score: math.Log(j.Balanced / (1 - j.Balanced)), alone: state.Verdict{Status: j.Status, Confidence: j.P},
			}
			u.alone.Claim = state.Claim{ID: 1, Text: item.Text, End: len(item.Text)}
			if j.Copied {
				u.score = math.Inf(1)
			}
			u.verdict = code.Weigh(u.alone, item.Evidence)
			out = append(out, u)
		}
	}
	for fold := range folds {
		calibration, err := calibrate(out.all(fold))
		if err != nil {
			return nil, err
		}
		for i, u := range out {
			if u.fold == fold && !math.IsInf(u.score, 0) {
				out[i].alone.Confidence = calibration.P(u.score, u.width)
				out[i].verdict = code.Weigh(out[i].alone, u.item.Evidence)
			}
		}
	}
	return out, nil
}

// page describes the training, its data and the evaluation.
func (p *pool) page(seen unseens, terms int, files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Weights of the judge of claims\n\nMade by `go run ./eval/train verify --data DIR`; run again on the same data it writes the same bytes.\n\n")
	for _, set := range p.sets {
		fmt.Fprintf(&b, "- %s: %d claims, sha256 %s\n", set.Format, len(set.Items), set.Hash)
	}
	fmt.Fprintf(&b, "- words of WiCE claims marked supported or not: %d\n- texts that IDF is counted on: %d\n- everything together: sha256 %s\n", terms, len(p.texts), p.hash)
	fmt.Fprintf(&b, "- features: %d of a claim, %d of a term; weights.json %d bytes, idf.bin %d bytes\n\n", len(support.FeatureNames()), len(support.TermNames()), len(files[weightsFile]), len(files[idfFile]))
	fmt.Fprintf(&b, "Cross-validation in %d folds by group (WiCE by article, SciFact by cited abstracts): every\nclaim is judged by weights and a calibration that were fitted without its group. Value and\n95 %% bootstrap interval; accuracy and macro_F1 of scifact are over its three labels. IDF is\ncounted on all texts, labels unseen.\n", folds)
	for _, set := range p.sets {
		mine := seen.of(set.Format)
		got, err := claims.Measure(set, mine.originals())
		if err != nil {
			return nil, err
		}
		table(&b, fmt.Sprintf("%s, n %d", set.Format, len(set.Items)), got.Metrics)
		fmt.Fprintf(&b, "\n| confidence | claims | expected | observed |\n|---|---|---|---|\n")
		for _, bin := range got.Reliability {
			if bin.N > 0 {
				fmt.Fprintf(&b, "| %.1f – %.1f | %d | %.2f | %.2f |\n", bin.Lo, bin.Hi, bin.N, bin.Expected, bin.Observed)
			}
		}
		if err := mine.resistance(&b, set); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
