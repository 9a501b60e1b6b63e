package causal

import (
	"context"

	"example.com/assay/eval/task"
)

// Task is `agent eval causal`.
func Task() task.Task {
	return task.Task{
		Name: "causal", Args: "--format F --data FILE", Short: "Measure how well causal language is read",
		Long: `Causal asks the offline judge about every sentence or pair of a judged collection
and prints each metric with its 95 % bootstrap interval. Files may be compressed
with gzip. The formats are those of these collections:

  pubmed  {id, sentence, label}: no_relationship, direct_causal,
          conditional_causal (which is direct) or correlational
  cnc     {id, text, causal: 0 or 1}
  pairs   {id, text, cause, effect, causal: 0 or 1}

F1, precision, recall, balanced_accuracy, AUC and ECE compare the causal label with
the rest; accuracy and macro_F1 are over all labels. --swap exchanges cause and effect
of each pair, so that no pair is true. accepted is the share that is still judged
causal, accepted_causal that share among the pairs that were causal before.

The weights were trained on the public halves of cnc and pairs. On these files the
figures are those of a fit, and the output says so. For cross-validated figures run,
in the repository: go run ./eval/train causal --data DIR --out ''`,
		Example: `  agent eval causal --format pubmed --data sentences.jsonl
  agent eval causal --format pairs --data pairs.jsonl --swap --json`,
		New: func(o *task.Options) task.Measure {
			var f options
			o.Format(&f.files.Format, "file", formats())
			o.Need(&f.files.Data, "data", "`FILE` of the sentences or pairs (JSON Lines)")
			o.BoolVar(&f.swap, "swap", false, "exchange cause and effect of each pair; for pairs only")
			o.Refuse(func(func(string) bool) error {
				if f.swap && f.files.Format != FormatPairs {
					return task.Usagef("--swap is for the format pairs; %s names no cause and effect", f.files.Format)
				}
				return nil
			})
			o.Limit(&f.limit, "judge", "item", "items")
			return f.measure
		},
	}
}

type options struct {
	files Files
	swap  bool
	limit int
}

func (f *options) measure(ctx context.Context, progress task.Progress) (*task.Report, error) {
	set, err := Read(ctx, f.files, progress)
	if err != nil {
		return nil, err
	}
	judge, err := NewOffline(f.files.Format)
	if err != nil {
		return nil, err
	}
	set.Items = task.First(set.Items, f.limit)
	name := set.Format
	if f.swap {
		set, name = set.Swap(), name+", cause and effect exchanged"
	}
	got, err := Evaluate(ctx, set, judge, progress)
	if err != nil {
		return nil, err
	}
	items := make([]task.Item, len(got.Outcomes))
	for i, o := range got.Outcomes {
		items[i] = task.Item{ID: o.Item.ID, Gold: string(o.Item.Gold), Pred: string(o.Label), Score: task.Six(o.P)}
	}
	r := task.NewReport("causal", len(items), got.Metrics)
	r.Trained = judge.Saw(set)
	r.Put("format", set.Format)
	r.Put("swapped", set.Swapped)
	r.Put("trained_on_this_data", r.Trained)
	r.Put("n", r.N)
	r.PutScore(&got.Score)
	r.Put("items", items)
	r.Linef("%s: n %d", name, r.N)
	if r.Trained {
		r.Linef("  the judge was trained on these labels: these are figures of a fit; cross-validated ones: go run ./eval/train causal --data DIR --out ''")
	}
	r.Table(task.Names, got.Metrics)
	r.Close(&got.Score, "", "")
	return r, nil
}
