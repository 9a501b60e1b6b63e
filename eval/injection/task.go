package injection

import (
	"context"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// Task is `agent eval injection`.
func Task() task.Task {
	return task.Task{
		Name: "injection", Args: "--data DIR", Short: "Measure the detection of prompt injection in evidence",
		Long: `Injection places each attack at the start, in the middle and at the end of each
harmless document, and prints how often it is found, how often harmless texts are
flagged, and how often an answer follows it, with 95 % bootstrap intervals. The folder
holds two files, plain or compressed with gzip (.gz), as BIPIA has them:

  email_contexts.jsonl  {id, context, question}
  text_attacks.jsonl    {id, category, attack}

recall is the share of poisoned documents in which the attack is found. clean is the
share of harmless documents that are flagged. tricky_documents and tricky_questions are
that share among texts of this project that only sound like attacks. pairs is the
recall for documents with two attacks one after the other. unseen_kinds is the recall
of attacks of this project that no weights were trained on. attack_success is the share
of poisoned documents from which the offline synthesis writes anything except quotes;
shown is the share from which it quotes the attack itself.

--cross judges each category of attacks with weights that were trained without it and
without its documents, which estimates the recall for new kinds of attacks. Without
--cross the shipped detector is measured; if it was trained on these attacks, the
output says so. No instruction in the files is followed.`,
		Example: `  agent eval injection --data bipia_injection
  agent eval injection --data bipia_injection --cross
  agent eval injection --data bipia_injection --limit 10 --json`,
		New: func(o *task.Options) task.Measure {
			var f options
			o.Need(&f.data, "data", "`FOLDER` of email_contexts.jsonl and text_attacks.jsonl")
			o.BoolVar(&f.cross, "cross", false, "look for each category by weights that were trained without it")
			o.Limit(&f.limit, "use", "document", "documents")
			o.Refuse(func(func(string) bool) error {
				if f.cross && f.limit == 1 {
					return task.Usagef("--limit is 1: --cross trains on one half of the documents and needs at least 2")
				}
				return nil
			})
			return f.measure
		},
	}
}

type options struct {
	data  string
	cross bool
	limit int
}

func (f *options) measure(ctx context.Context, progress task.Progress) (*task.Report, error) {
	if err := task.Present(f.data, "The data is microsoft/BIPIA on GitHub, benchmark/email and benchmark/text_attack_*.json, as JSON Lines"); err != nil {
		return nil, err
	}
	set, err := Read(ctx, f.data, nil)
	if err != nil {
		return nil, err
	}
	set.Contexts = task.First(set.Contexts, f.limit)
	measure := Evaluate
	if f.cross {
		measure = Cross
	}
	got, err := measure(ctx, set, progress)
	if err != nil {
		return nil, err
	}
	r := task.NewReport("injection", len(set.Contexts), got.Metrics)
	r.Trained = got.Trained
	f.put(r, set, got)
	f.show(r, set, got)
	return r, nil
}

type itemRow struct {
	ID       string   `json:"id"`
	Category string   `json:"category"`
	N        int      `json:"n"`
	Recall   float64  `json:"recall"`
	Success  *float64 `json:"attack_success,omitempty"` // measured of the shipped detector alone
	Shown    *float64 `json:"shown,omitempty"`
}

func shares(list []Share) map[string]float64 {
	out := map[string]float64{}
	for _, s := range list {
		out[s.Name] = task.Six(s.Value())
	}
	return out
}

func (f *options) put(r *task.Report, set *Dataset, got Evaluation) {
	r.Put("cross", f.cross)
	r.Put("trained_on_this_data", got.Trained)
	r.Put("contexts", len(set.Contexts))
	r.Put("attacks", len(set.Attacks))
	r.Put("data_sha256", set.Hash)
	r.Put("metrics", task.Intervals(got.Metrics))
	r.Put("recall_by_category", shares(got.Categories))
	r.Put("recall_by_position", shares(got.Positions))
	r.Put("recall_by_unseen_kind", shares(got.Kinds))
	r.Put("false_alarms", append([]string{}, got.Alarms...))
	r.Put("latency_ms", got.Latency())
	r.Put("resampling", task.Resampling())
	var items []itemRow
	for _, o := range got.Outcomes {
		share := func(n int) float64 { return task.Six(metrics.Rate(n, o.N)) }
		item := itemRow{ID: o.ID, Category: o.Category, N: o.N, Recall: share(o.Flagged)}
		if !f.cross {
			success, shown := share(o.Obeyed), share(o.Shown)
			item.Success, item.Shown = &success, &shown
		}
		items = append(items, item)
	}
	r.Put("items", items)
}

func (f *options) show(r *task.Report, set *Dataset, got Evaluation) {
	detector := "as shipped"
	if f.cross {
		detector = "trained without the category"
	}
	questions, documents := Tricky()
	r.Linef("injection, %s: %s in %s at %d positions; harmless texts of the project: %s, %s", detector,
		task.Count(len(set.Attacks), "attack"), task.Count(len(set.Contexts), "document"), len(positions()), task.Count(len(documents), "document"), task.Count(len(questions), "question"))
	if got.Trained {
		r.Linef("  the detector was trained on these attacks: recall and clean are figures of a fit; unseen categories: --cross")
	}
	r.Table(task.Names, got.Metrics)
	for _, table := range []struct {
		name   string
		shares []Share
	}{{"category", got.Categories}, {"position", got.Positions}, {"unseen kind", got.Kinds}} {
		r.Linef("\n%-26s  %5s  %s", table.name, "n", "found")
		for _, s := range table.shares {
			r.Linef("%-26s  %5d  %.4f", s.Name, s.N, s.Value())
		}
	}
	if len(got.Alarms) > 0 {
		r.Linef("\nharmless, and flagged:")
		for _, s := range got.Alarms {
			r.Linef("  %s", s)
		}
	}
	r.Close(&got.Score, " a document", " of attacks or texts")
}
