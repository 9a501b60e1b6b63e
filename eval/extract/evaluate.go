package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/fields"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/eval/train/linear"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/text/values"
	"example.com/assay/nodes/extract"
	"example.com/assay/skills"
)

// Ways of cross-validation: the rankers that read a document were not trained on
// its fold.
const (
	CrossNone      = ""
	CrossDocuments = "documents" // documents are dealt to folds one by one
	CrossGroups    = "groups"    // similar documents stay together, so that a fold is really new
)

// Options say how to evaluate. Nil is the zero value.
type Options struct {
	// Cross trains rankers for each fold. Default: the shipped rankers read everything.
	Cross string
	// Folds of Cross. Default 5.
	Folds int
	// MaxIterations of the pipeline. Default: that of the pipeline.
	MaxIterations int
	Progress      task.Progress
}

// An Outcome is the result of reading one document.
type Outcome struct {
	Item   Item
	Exact  map[string][]string // values as written in the document
	Normal map[string][]string // and normalised
	Score  float64             // of the best iteration
	First  float64             // of the first one
	Judged []Judged            // the values that were read, in order
}

// A Judged value is one with its confidence, and whether it is right, normalised.
type Judged struct {
	Field      string
	Confidence float64
	Right      bool
}

// An Evaluation holds the results of reading a collection.
type Evaluation struct {
	task.Score // its metrics are micro-averaged, then by field
	Outcomes   []Outcome
	Changed    int // documents whose values a later iteration changed

	// Reliability is the share of right values by confidence; the metric "ECE" is the
	// mean difference of the two.
	Reliability []metrics.Bin
}

// Evaluate reads every document with the pipeline and compares the values with the
// collection. "F1" counts a value as right when it equals the collection's, except for
// white space. "F1_normalised" compares dates in ISO form, amounts as numbers, and all
// else by letters and digits in upper case. Kleister is compared only in its own normal
// form: upper case, with spaces and colons as "_". Precision and recall count values, as a
// document can have several of a field. "ECE" is the difference between confidence and the
// share of right values, normalised.
func Evaluate(ctx context.Context, d *Dataset, schema *extract.Schema, opts *Options) (*Evaluation, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	models, fold, err := o.models(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("evaluating: %w", err)
	}
	set, err := skills.Load(nil)
	if err != nil {
		return nil, err
	}
	pipelines := make([]*extract.Pipeline, len(models))
	for i, m := range models {
		if pipelines[i], err = extract.New(extract.Deps{Model: m, Skills: set, Schema: schema}, &extract.Options{MaxIterations: o.MaxIterations}); err != nil {
			return nil, err
		}
	}
	out := &Evaluation{}
	out.Score, err = o.Progress.Timed(ctx, "reading documents", len(d.Items), func(i int) string { return "document " + d.Items[i].ID }, func(i int) error {
		final, err := pipelines[fold[i]].Run(ctx, d.Items[i].Doc, nil)
		if err != nil {
			return err
		}
		out.Outcomes = append(out.Outcomes, d.outcome(d.Items[i], final))
		if n := len(final.Iterations); n > 1 && slices.ContainsFunc(final.Iterations[1:], func(it extract.Iteration) bool { return len(it.Changed) > 0 }) {
			out.Changed++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, out.measure(d)
}

// models has one model for each fold, or one for all.
func (o Options) models(ctx context.Context, d *Dataset) ([]llm.Model, []int, error) {
	fold := make([]int, len(d.Items))
	if o.Cross == CrossNone {
		return []llm.Model{offline.New(nil)}, fold, nil
	}
	groups := make([]string, len(d.Items))
	distinct := map[string]bool{}
	for i, item := range d.Items {
		switch o.Cross {
		case CrossDocuments:
			groups[i] = item.ID
		case CrossGroups:
			groups[i] = item.Group
		default:
			return nil, nil, fmt.Errorf("cross-validation by %q is not known; known are %s and %s", o.Cross, CrossDocuments, CrossGroups)
		}
		distinct[groups[i]] = true
	}
	if o.Folds < 2 || o.Folds > len(distinct) {
		return nil, nil, errFolds(o.Folds, len(distinct))
	}
	t, err := Prepare(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	fold = linear.Folds(groups, o.Folds)
	models := make([]llm.Model, o.Folds)
	for f := range models {
		if o.Progress != nil {
			o.Progress("training folds", f, len(models))
		}
		w := t.Fit(func(i int) bool { return fold[i] != f })
		models[f] = offline.New(&offline.Options{Fields: &w})
	}
	return models, fold, nil
}

func (d *Dataset) outcome(item Item, final extract.State) Outcome {
	oc := Outcome{Item: item, Exact: map[string][]string{}, Normal: map[string][]string{}}
	best, _ := final.Best()
	oc.Score, oc.First = best.Report.Score, final.Iterations[0].Report.Score
	for _, v := range extract.InDocument(best.Values) {
		name, _, _ := strings.Cut(v.Field, "[")
		exact := v.Verbatim
		if d.Format == FormatKleister {
			exact = v.Value
		}
		oc.Exact[name] = append(oc.Exact[name], exact)
		normal := d.normal(name, v.Value)
		right := !slices.Contains(oc.Normal[name], normal) && slices.ContainsFunc(item.Gold[name], func(g string) bool { return d.normal(name, g) == normal })
		oc.Normal[name] = append(oc.Normal[name], normal)
		if _, judged := item.Gold[name]; judged || d.Format == FormatKleister { // a field that nobody read from a receipt is not judged
			oc.Judged = append(oc.Judged, Judged{name, v.Confidence, right})
		}
	}
	return oc
}

// normal is the form in which values of a field are compared.
func (d *Dataset) normal(name, value string) string {
	if d.Format == FormatKleister {
		return strings.ToUpper(strings.NewReplacer(" ", "_", ":", "_").Replace(value))
	}
	switch name {
	case "date":
		if iso, ok := values.Date(value, nil); ok {
			return iso
		}
	case fields.KindTotal:
		if n, ok := values.Number(value); ok {
			return n
		}
	}
	return fields.Key(value)
}

// A tally counts values: those that are right, those that were read, and those
// that the collection has.
type tally struct{ right, read, gold int }

func (t tally) precision() task.Fraction { return task.Ratio(t.right, t.read, 1) }
func (t tally) recall() task.Fraction    { return task.Ratio(t.right, t.gold, 1) }
func (t tally) f1() task.Fraction        { return task.Ratio(2*t.right, t.read+t.gold, 1) }

// count compares one field of one document.
func (d *Dataset) count(oc Outcome, name string, normalised bool) tally {
	gold, read := oc.Item.Gold[name], oc.Exact[name]
	if normalised || d.Format == FormatKleister {
		read = oc.Normal[name]
	}
	t := tally{read: len(read), gold: len(gold)}
	taken := make([]bool, len(read))
	for _, g := range gold {
		g = strings.Join(strings.Fields(g), " ")
		if normalised || d.Format == FormatKleister {
			g = d.normal(name, g)
		}
		for i, r := range read {
			if !taken[i] && r == g {
				taken[i] = true
				t.right++
				break
			}
		}
	}
	return t
}

func (e *Evaluation) measure(d *Dataset) error {
	names := d.Names()
	var failed error
	add := func(name string, normalised bool, of func(tally) task.Fraction) {
		list := []task.Figure[Outcome]{d.counted(name, names, normalised, of)}
		for _, field := range names {
			list = append(list, d.counted(name+"."+field, []string{field}, normalised, of))
		}
		_, err := task.Figures(&e.Score, e.Outcomes, list)
		failed = errors.Join(failed, err)
	}
	add("precision", false, tally.precision)
	add("recall", false, tally.recall)
	add("F1", false, tally.f1)
	for _, field := range append([]string{""}, names...) {
		failed = errors.Join(failed, e.Measure(len(e.Outcomes), metrics.Statistic{Name: strings.TrimSuffix("ECE."+field, "."), Of: func(documents []int) float64 { return metrics.ECE(e.pooled(documents, field)) }}))
	}
	if d.Format != FormatKleister {
		add("F1_normalised", true, tally.f1)
	}
	all := make([]int, len(e.Outcomes))
	for i := range all {
		all[i] = i
	}
	right, p := e.pooled(all, "")
	e.Reliability = metrics.Reliability(right, p, metrics.CalibrationBins)
	return failed
}

// counted returns a figure of the values of some fields, over all documents.
func (d *Dataset) counted(name string, fields []string, normalised bool, of func(tally) task.Fraction) task.Figure[Outcome] {
	return task.Figure[Outcome]{Name: name, Of: func(oc Outcome) (task.Fraction, bool) {
		var sum tally
		for _, f := range fields {
			t := d.count(oc, f, normalised)
			sum = tally{sum.right + t.right, sum.read + t.read, sum.gold + t.gold}
		}
		return of(sum), true
	}}
}

// pooled returns the values of a field of some documents, or of every field for "".
func (e *Evaluation) pooled(documents []int, field string) (right []bool, p []float64) {
	for _, i := range documents {
		for _, v := range e.Outcomes[i].Judged {
			if field == "" || v.Field == field {
				right, p = append(right, v.Right), append(p, v.Confidence)
			}
		}
	}
	return right, p
}
