package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/extract"
	"example.com/assay/eval/metrics"
	"example.com/assay/llm/offline/fields"
)

// evalExtractFlags are the flags of eval extract.
type evalExtractFlags struct {
	format, schema, data string
	cross                string
	folds, iterations    int
	limit                int
	asJSON               bool
}

func evalExtractCommand(a *cli.App) *cobra.Command {
	var f evalExtractFlags
	cmd := &cobra.Command{
		Use:   "extract --format F --schema FILE --data FILE",
		Short: "Measure how well fields are read from documents",
		Long: `Extract reads every document of a judged collection with the offline model and
prints precision, recall and F1, micro-averaged and by field, with 95 % bootstrap
intervals, and how often values are right by how sure they are (ECE is the mean
error of that). Files may be compressed with gzip. The formats are:

  sroie     {id, ocr_lines: [{text, box}], fields: {company, date, address, total}};
            F1 counts exact values, F1_normalised dates as ISO, amounts as numbers,
            and names and addresses by their letters and digits
  kleister  {id, text, fields: {name: [values]}}; values are compared in upper case,
            with spaces and colons as "_"

The rankers of names, addresses and totals were trained on the public half of
sroie. On that file the figures are those of a fit, and the output says so;
--cross-validate trains them anew without the documents that they read: dealt one
by one (documents), or those of one company together (groups).`,
		Example: `  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl
  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl --cross-validate groups
  agent eval extract --format kleister --schema contract.json --data documents.jsonl.gz --json`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return evalExtract(cmd.Context(), a, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "`FORMAT` of the file: "+strings.Join(extract.Formats(), ", "))
	flags.StringVar(&f.schema, "schema", "", "`FILE` of the JSON Schema")
	flags.StringVar(&f.data, "data", "", "`FILE` of the documents (JSON Lines)")
	flags.StringVar(&f.cross, "cross-validate", "", "train the rankers anew for each fold of `WHAT`: documents or groups")
	flags.IntVar(&f.folds, "folds", 5, "`NUMBER` of folds of --cross-validate")
	flags.IntVar(&f.iterations, "max-iterations", 3, "read a document at most `NUMBER` times")
	flags.IntVar(&f.limit, "limit", 0, "read only the first `N` documents")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// check refuses a command line that cannot be meant.
func (f *evalExtractFlags) check(cmd *cobra.Command) error {
	for _, need := range []struct{ flag, value string }{{"format", f.format}, {"schema", f.schema}, {"data", f.data}} {
		if need.value == "" {
			return cli.Usagef("--%s is missing; see: agent help eval extract", need.flag)
		}
	}
	ways := []string{extract.CrossDocuments, extract.CrossGroups}
	switch {
	case !slices.Contains(extract.Formats(), f.format):
		return cli.Usagef("--format is %q%s; known: %s", f.format, cli.DidYouMean(f.format, extract.Formats()), strings.Join(extract.Formats(), ", "))
	case f.cross != "" && !slices.Contains(ways, f.cross):
		return cli.Usagef("--cross-validate is %q%s; known: %s", f.cross, cli.DidYouMean(f.cross, ways), strings.Join(ways, ", "))
	case f.cross != "" && f.format != extract.FormatSROIE:
		return cli.Usagef("--cross-validate is for the format sroie: what reads %s is not trained", f.format)
	case f.cross == "" && cmd.Flags().Changed("folds"):
		return cli.Usagef("--folds is for --cross-validate")
	case f.folds < 2:
		return cli.Usagef("--folds is %d: it must be at least 2", f.folds)
	case f.iterations < 1:
		return cli.Usagef("--max-iterations is %d: it must be at least 1", f.iterations)
	case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
		return cli.Usagef("--limit is %d: it must be at least 1; leave it out to read every document", f.limit)
	}
	return nil
}

// A measuredFields is what there is to print of an evaluation of fields.
type measuredFields struct {
	flags   *evalExtractFlags
	set     *extract.Dataset
	result  *extract.Evaluation
	trained bool // the rankers have seen the values
}

func evalExtract(ctx context.Context, a *cli.App, f *evalExtractFlags) error {
	schema, _, err := open.Schema(f.schema)
	if err != nil {
		return err
	}
	progress := render.NewBar(a, f.asJSON)
	m := measuredFields{flags: f}
	if m.set, err = extract.Read(ctx, f.format, f.data, func(done, total int) { progress.Update("reading "+f.format, done, total) }); err == nil {
		var weights fields.Weights
		if weights, err = fields.Default(); err == nil {
			m.trained = f.cross == "" && m.set.Saw(weights)
			if f.limit > 0 {
				m.set.Items = m.set.Items[:min(f.limit, len(m.set.Items))]
			}
			m.result, err = extract.Evaluate(ctx, m.set, schema, &extract.Options{Cross: f.cross, Folds: f.folds, MaxIterations: f.iterations, Progress: progress.Update})
		}
	}
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		printFieldsEvalJSON(a, m)
	} else {
		printFieldsEval(a, m)
	}
	return nil
}

const fieldsTrainedNote = "the rankers were trained on these values: these are figures of a fit; for cross-validated ones add --cross-validate groups"

func printFieldsEval(a *cli.App, m measuredFields) {
	fmt.Fprintf(a.Stdout, "%s: n %d\n", m.set.Format, len(m.result.Outcomes))
	if m.trained {
		fmt.Fprintf(a.Stdout, "  %s\n", fieldsTrainedNote)
	}
	if m.flags.cross != "" {
		fmt.Fprintf(a.Stdout, "  cross-validated by %s in %d folds\n", m.flags.cross, m.flags.folds)
	}
	fmt.Fprintf(a.Stdout, "\n%-26s  %7s  %s\n", "metric", "value", "95 % interval")
	for _, v := range m.result.Metrics {
		fmt.Fprintf(a.Stdout, "%-26s  %7.4f  [%.4f, %.4f]\n", v.Name, v.Value, v.Lo, v.Hi)
	}
	fmt.Fprintf(a.Stdout, "\n%-12s  %5s  %8s  %8s\n", "confidence", "n", "expected", "right")
	for _, b := range m.result.Reliability {
		if b.N > 0 {
			fmt.Fprintf(a.Stdout, "%.1f – %.1f     %5d  %8.3f  %8.3f\n", b.Lo, b.Hi, b.N, b.Expected, b.Observed)
		}
	}
	fmt.Fprintf(a.Stdout, "\nread again with another result: %s\n", cli.Count(m.result.Changed, "document"))
	fmt.Fprintf(a.Stdout, "latency p50 %.2f ms, p95 %.2f ms\n", cli.Milliseconds(m.result.P50), cli.Milliseconds(m.result.P95))
	fmt.Fprintf(a.Stdout, "intervals: %d bootstrap resamples, seed %d\n", m.result.Resample.Resamples, m.result.Resample.Seed)
}

// fieldsEvalDocument is an evaluation of fields as --json prints it.
type fieldsEvalDocument struct {
	Schema  int                         `json:"schema"`
	Task    string                      `json:"task"` // "extract"
	Format  string                      `json:"format"`
	Cross   string                      `json:"cross_validated,omitempty"`
	Trained bool                        `json:"trained_on_this_data"`
	N       int                         `json:"n"`
	Changed int                         `json:"changed_by_later_iterations"`
	Metrics map[string]metrics.Interval `json:"metrics"`
	Latency latency                     `json:"latency_ms"`
	Drawn   drawnItems                  `json:"resampling"`
	Bins    []reliabilityBin            `json:"reliability"`
	Items   []fieldsItem                `json:"items"`
}

// A fieldsItem has the values of a document: of sroie one of each field, as it is
// written; of kleister lists, normalised.
type fieldsItem struct {
	ID    string       `json:"id"`
	Gold  fieldsByName `json:"gold"`
	Pred  fieldsByName `json:"pred"`
	Score float64      `json:"score"`
}

// fieldsByName are written as strings or as lists.
type fieldsByName struct {
	values map[string][]string
	lists  bool
}

// MarshalJSON writes names in order.
func (f fieldsByName) MarshalJSON() ([]byte, error) {
	if f.lists {
		return json.Marshal(f.values)
	}
	single := map[string]string{}
	for name, list := range f.values {
		if len(list) > 0 {
			single[name] = list[0]
		}
	}
	return json.Marshal(single)
}

func printFieldsEvalJSON(a *cli.App, m measuredFields) {
	out := fieldsEvalDocument{
		Schema: 1, Task: "extract", Format: m.set.Format, Cross: m.flags.cross, Trained: m.trained, N: len(m.result.Outcomes), Changed: m.result.Changed,
		Metrics: intervals(m.result.Metrics), Latency: latency{cli.Milliseconds(m.result.P50), cli.Milliseconds(m.result.P95)},
		Drawn: drawnItems{m.result.Resample.Seed, m.result.Resample.Resamples}, Items: make([]fieldsItem, len(m.result.Outcomes)),
	}
	for _, b := range m.result.Reliability {
		out.Bins = append(out.Bins, reliabilityBin{six(b.Lo), six(b.Hi), b.N, six(b.Expected), six(b.Observed)})
	}
	lists := m.set.Format == extract.FormatKleister
	for i, o := range m.result.Outcomes {
		pred := o.Exact
		if lists {
			pred = o.Normal
		}
		out.Items[i] = fieldsItem{ID: o.Item.ID, Gold: fieldsByName{o.Item.Gold, lists}, Pred: fieldsByName{pred, lists}, Score: six(o.Score)}
	}
	a.PrintJSON(out)
}
