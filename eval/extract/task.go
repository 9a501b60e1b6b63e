package extract

import (
	"context"
	"encoding/json"

	"example.com/assay/decide/fields"
	"example.com/assay/eval/task"
	"example.com/assay/internal/plainfile"
	"example.com/assay/nodes/extract"
)

// Task is `agent eval extract`.
func Task() task.Task {
	return task.Task{
		Name: "extract", Args: "--format F --schema FILE --data FILE", Short: "Measure how well fields are read from documents",
		Long: `Extract reads every document of a judged collection with the offline model and
prints precision, recall and F1, micro-averaged and by field, with 95 % bootstrap
intervals, and the share of right values by confidence (ECE is the mean difference of
the two). Files may be compressed with gzip. The formats are:

  sroie     {id, ocr_lines: [{text, box}], fields: {company, date, address, total}};
            F1 counts exact values, F1_normalised dates as ISO, amounts as numbers,
            and names and addresses by their letters and digits
  kleister  {id, text, fields: {name: [values]}}; values are compared in upper case,
            with spaces and colons as "_"

The rankers of names, addresses and totals were trained on the public half of sroie.
On that file the figures are those of a fit, and the output says so. --cross-validate
trains them again for each fold, without its documents. Folds are made of single
documents (documents), or of all documents of a company (groups).`,
		Example: `  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl
  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl --cross-validate groups
  agent eval extract --format kleister --schema contract.json --data documents.jsonl.gz --json`,
		New: func(o *task.Options) task.Measure {
			var f options
			o.Format(&f.format, "file", formats())
			o.Need(&f.schema, "schema", "`FILE` of the JSON Schema")
			o.Need(&f.data, "data", "`FILE` of the documents (JSON Lines)")
			o.OneOf(&f.cross, "cross-validate", "", "train the rankers anew for each fold of `WHAT`: documents or groups", CrossDocuments, CrossGroups)
			o.Refuse(func(given func(string) bool) error {
				switch {
				case f.cross != "" && f.format != FormatSROIE:
					return task.Usagef("--cross-validate is for the format sroie: what reads %s is not trained", f.format)
				case f.cross == "" && given("folds"):
					return task.Usagef("--folds is for --cross-validate")
				}
				return nil
			})
			o.Within(&f.folds, "folds", 5, 2, task.NoMost, "`NUMBER` of folds of --cross-validate")
			o.Within(&f.iterations, "max-iterations", 3, 1, task.NoMost, "read a document at most `NUMBER` times")
			o.Limit(&f.limit, "read", "document", "documents")
			return f.measure
		},
	}
}

type options struct {
	format, schema, data string
	cross                string
	folds, iterations    int
	limit                int
}

func (f *options) read() (*extract.Schema, error) {
	data, err := plainfile.Read(f.schema, 0)
	if err != nil {
		return nil, task.Usagef("reading --schema: %w", err)
	}
	s, err := extract.ParseSchema(data)
	if err != nil {
		return nil, task.Usagef("%s: %w", f.schema, err)
	}
	return s, nil
}

func (f *options) measure(ctx context.Context, progress task.Progress) (*task.Report, error) {
	schema, err := f.read()
	if err != nil {
		return nil, err
	}
	set, err := Read(ctx, f.format, f.data, progress.Of("reading "+f.format))
	if err != nil {
		return nil, err
	}
	weights, err := fields.Default()
	if err != nil {
		return nil, err
	}
	trained := f.cross == "" && set.Saw(weights)
	set.Items = task.First(set.Items, f.limit)
	got, err := Evaluate(ctx, set, schema, &Options{Cross: f.cross, Folds: f.folds, MaxIterations: f.iterations, Progress: progress})
	if err != nil {
		return nil, err
	}
	return f.report(set, got, trained), nil
}

// An itemRow has the values of a document: for sroie one per field, as written; for
// kleister lists, normalised.
type itemRow struct {
	ID    string  `json:"id"`
	Gold  escaped `json:"gold"`
	Pred  escaped `json:"pred"`
	Score float64 `json:"score"`
}

// escaped are values written with & as \u0026, the form in which readers of these rows expect them.
type escaped struct{ values any }

func (e escaped) MarshalJSON() ([]byte, error) { return json.Marshal(e.values) }

// single returns the first values of fields.
func single(values map[string][]string) map[string]string {
	out := map[string]string{}
	for name, list := range values {
		if len(list) > 0 {
			out[name] = list[0]
		}
	}
	return out
}

func (f *options) report(set *Dataset, got *Evaluation, trained bool) *task.Report {
	r := task.NewReport("extract", len(got.Outcomes), got.Metrics)
	r.Trained = trained
	r.Put("format", set.Format)
	r.Linef("%s: n %d", set.Format, r.N)
	if trained {
		r.Linef("  the rankers were trained on these values: these are figures of a fit; for cross-validated ones add --cross-validate groups")
	}
	if f.cross != "" {
		r.Put("cross_validated", f.cross)
		r.Linef("  cross-validated by %s in %d folds", f.cross, f.folds)
	}
	r.Put("trained_on_this_data", trained)
	r.Put("n", r.N)
	r.Put("changed_by_later_iterations", got.Changed)
	r.PutScore(&got.Score)
	r.Put("reliability", task.Bins(got.Reliability))
	items := make([]itemRow, len(got.Outcomes))
	for i, o := range got.Outcomes {
		items[i] = itemRow{o.Item.ID, escaped{single(o.Item.Gold)}, escaped{single(o.Exact)}, task.Six(o.Score)}
		if set.Format == FormatKleister {
			items[i].Gold, items[i].Pred = escaped{o.Item.Gold}, escaped{o.Normal}
		}
	}
	r.Put("items", items)

	r.Table(26, got.Metrics)
	r.Linef("\n%-12s  %5s  %8s  %8s", "confidence", "n", "expected", "right")
	for _, b := range got.Reliability {
		if b.N > 0 {
			r.Linef("%.1f – %.1f     %5d  %8.3f  %8.3f", b.Lo, b.Hi, b.N, b.Expected, b.Observed)
		}
	}
	r.Linef("\nread again with another result: %s", task.Count(got.Changed, "document"))
	r.Linef("latency p50 %.2f ms, p95 %.2f ms", got.Latency().P50, got.Latency().P95)
	r.Drawn("")
	return r
}
