package obligations

import (
	"context"
	"fmt"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// Task is `agent eval obligations`.
func Task() task.Task {
	return task.Task{
		Name: "obligations", Args: "--data FILE", Short: "Measure how well obligations are told from other sentences",
		Long: `Obligations classifies sentences with the shipped model, and prints each metric with
its 95 % bootstrap interval. The file has {id, text, obligation: true or false} on each
line, and may be compressed with gzip.

--plain draws sentences without any word of duty from a corpus of {text} records, and
prints the share that is judged an obligation: a model can reach a high F1 by flagging
everything except advice.`,
		Example: `  agent eval obligations --data sentences.jsonl
  agent eval obligations --data sentences.jsonl --plain corpus.jsonl.gz --json`,
		New: func(o *task.Options) task.Measure {
			var f options
			o.Need(&f.data, "data", "`FILE` of the sentences (JSON Lines)")
			o.StringVar(&f.corpus, "plain", "", "`FILE` of records from which sentences without a word of duty are drawn")
			o.IntVar(&f.draw.N, "plain-n", 200, "`NUMBER` of sentences that are drawn")
			o.Uint64Var(&f.draw.Seed, "seed", metrics.Seed, "`SEED` by which they are drawn")
			o.IntVar(&f.limit, "limit", 0, "read only the first `N` sentences of --data; 0 reads all")
			o.Refuse(func(func(string) bool) error {
				if f.limit < 0 || f.draw.N < 1 {
					return task.Usagef("--limit is %d and --plain-n %d: they must be at least 1", f.limit, f.draw.N)
				}
				return nil
			})
			return f.measure
		},
	}
}

type options struct {
	data, corpus string
	draw         PlainOptions
	limit        int
}

type plainShare struct {
	N       int      `json:"n"`
	Of      int      `json:"of"`
	Seed    uint64   `json:"seed"`
	Share   float64  `json:"flagged_share"`
	Flagged []string `json:"flagged"`
}

func (f *options) measure(ctx context.Context, progress task.Progress) (*task.Report, error) {
	f.draw.Progress = progress.Of(task.Reading)
	items, err := Read(ctx, f.data, f.draw.Progress)
	if err != nil {
		return nil, err
	}
	items = task.First(items, f.limit)
	got, err := Evaluate(ctx, items, nil)
	if err != nil {
		return nil, err
	}
	r := task.NewReport("obligations", len(items), got.Metrics)
	r.Put("n", r.N)
	r.Put("metrics", task.Intervals(got.Metrics))
	r.Put("latency_ms", got.Latency())
	r.Linef("obligations: n %d", r.N)
	r.Table(task.Names, got.Metrics)
	if f.corpus != "" {
		p, err := Plain(ctx, f.corpus, &f.draw)
		if err != nil {
			return nil, err
		}
		r.Put("plain", plainShare{p.N, p.Of, p.Seed, task.Six(p.Share()), append([]string{}, p.Flagged...)})
		r.Linef("\nwithout a word of duty: %d of %d sentences flagged (%.1f %%), drawn from %d, seed %d", len(p.Flagged), p.N, 100*p.Share(), p.Of, p.Seed)
	}
	r.Put("resampling", task.Resampling())
	rows := make([]task.Item, len(items))
	for i, item := range items {
		rows[i] = task.Item{ID: item.ID, Gold: fmt.Sprint(item.Gold), Pred: fmt.Sprint(got.Readings[i].Obligation), Score: task.Six(got.Readings[i].P)}
	}
	r.Put("items", rows)
	r.Linef("\nlatency p50 %.3f ms, p95 %.3f ms", got.Latency().P50, got.Latency().P95)
	r.Drawn("")
	return r, nil
}
