package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/eval/claims"
	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// Judges that can be measured.
const (
	judgeOffline = "offline"
	judgeVerify  = "verify"
)

// evalClaimsFlags are the flags of eval claims.
type evalClaimsFlags struct {
	files   claims.Files
	judge   string
	limit   int
	altered bool
	asJSON  bool
}

func (a *app) evalClaimsCommand() *cobra.Command {
	var f evalClaimsFlags
	cmd := &cobra.Command{
		Use:   "claims --format F --data FILE",
		Short: "Measure how well claims are judged",
		Long: `Claims asks a judge about every claim of a judged collection, with the evidence
that people judged it by, and prints each metric with its 95 % bootstrap
interval. Files may be compressed with gzip. The formats are those of these
collections:

  wice        {id, claim, label, evidence: [sentences], claim_title}
  faithbench  {id, source, response, hallucinated: 0 or 1}; the response as a
              whole is judged: supported means free of hallucination
  scifact     {id, claim, label, qrels, evidence: [{doc_id}]}, and --corpus:
              {id, title, text}; a claim is judged by its gold abstracts

F1, precision, recall and balanced_accuracy are of "supported" against the
rest; AUC and ECE are of the probability of support. Accuracy and macro_F1 are
of the same two classes, and in scifact of its three labels: a claim is
contradicted only by a hard signal, which the judge offline does not look for.

The judge verify is that of agent verify: learned weights, and code that weighs
each critical word of the claim (numbers, dates, names, negation, direction,
gender, quantifiers, modality) and overrules them. offline is the weights alone.

--altered judges the fully supported claims and, beside each, copies of it with
one word or number changed, so that they no longer hold. It prints for each kind
of change how many are refused, and how many are refused or in doubt, of the
claims whose original is accepted. A file that holds altered claims already, with
ids such as ID+negation, is counted in the same way.

Offline was trained on the public halves of wice and scifact. On these files
the figures are those of a fit, and the output says so; for cross-validated ones
run, in the repository: go run ./eval/train verify --data DIR --out ''`,
		Example: `  agent eval claims --format wice --data claims.jsonl.gz
  agent eval claims --format wice --data claims.jsonl.gz --altered
  agent eval claims --format scifact --data claims.jsonl --corpus corpus.jsonl.gz
  agent eval claims --format faithbench --data samples.jsonl.gz --judge verify --json`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.evalClaims(cmd.Context(), &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.files.Format, "format", "", "`FORMAT` of the files: "+strings.Join(claims.Formats(), ", "))
	flags.StringVar(&f.files.Data, "data", "", "`FILE` of the claims or responses (JSON Lines)")
	flags.StringVar(&f.files.Corpus, "corpus", "", "`FILE` of the abstracts; for scifact only")
	flags.StringVar(&f.judge, "judge", judgeVerify, "`JUDGE` to measure: verify or offline")
	flags.IntVar(&f.limit, "limit", 0, "judge only the first `N` items")
	flags.BoolVar(&f.altered, "altered", false, "judge supported claims and altered copies of them")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// check refuses a command line that cannot be meant.
func (f *evalClaimsFlags) check(cmd *cobra.Command) error {
	for _, need := range []struct{ flag, value string }{{"format", f.files.Format}, {"data", f.files.Data}} {
		if need.value == "" {
			return usagef("--%s is missing; see: agent help eval claims", need.flag)
		}
	}
	judges := []string{judgeOffline, judgeVerify}
	switch {
	case !slices.Contains(judges, f.judge):
		return usagef("--judge is %q%s; known: %s", f.judge, didYouMean(f.judge, judges), strings.Join(judges, ", "))
	case !slices.Contains(claims.Formats(), f.files.Format):
		return usagef("--format is %q%s; known: %s", f.files.Format, didYouMean(f.files.Format, claims.Formats()), strings.Join(claims.Formats(), ", "))
	case f.files.Format == claims.FormatSciFact && f.files.Corpus == "":
		return usagef("--corpus is missing: the format scifact has its abstracts in a file of their own")
	case f.files.Format != claims.FormatSciFact && f.files.Corpus != "":
		return usagef("--corpus is for the format scifact; %s has its evidence in the file of the claims", f.files.Format)
	case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
		return usagef("--limit is %d: it must be at least 1; leave it out to judge every item", f.limit)
	}
	return nil
}

// A measuredClaims is what there is to print of an evaluation of claims.
type measuredClaims struct {
	judge   string
	set     *claims.Dataset
	result  claims.Evaluation
	trained bool // the judge has seen the labels
}

func (a *app) evalClaims(ctx context.Context, f *evalClaimsFlags) error {
	progress := a.newIngestProgress(f.asJSON)
	m, err := measureClaims(ctx, f, progress.update)
	if err = errors.Join(err, progress.close()); err != nil {
		return err
	}
	if f.asJSON {
		a.printClaimsJSON(m)
	} else {
		a.printClaims(m)
	}
	return nil
}

func measureClaims(ctx context.Context, f *evalClaimsFlags, progress func(string, int, int)) (m measuredClaims, err error) {
	m.judge = f.judge
	set, err := claims.Read(ctx, f.files, &claims.ReadOptions{Progress: progress})
	if err != nil {
		return m, err
	}
	m.set = set.Limit(f.limit)
	if f.altered {
		if m.set = claims.Altered(m.set); len(m.set.Items) == 0 {
			return m, fmt.Errorf("%s has no supported claim to alter", f.files.Data)
		}
	}
	if m.trained, err = claims.OfflineSaw(set); err != nil {
		return m, err
	}
	var judge claims.Judge = claims.NewOffline()
	if f.judge == judgeVerify {
		if judge, err = claims.NewVerified(nil); err != nil {
			return m, err
		}
	}
	m.result, err = claims.Evaluate(ctx, m.set, judge, &claims.EvaluateOptions{Progress: progress})
	return m, err
}

// trainedNote says what figures on data that was trained on are worth.
const trainedNote = "the judge was trained on these labels: these are figures of a fit; cross-validated ones: go run ./eval/train verify --data DIR --out ''"

// printClaims prints an evaluation for people.
func (a *app) printClaims(m measuredClaims) {
	fmt.Fprintf(a.stdout, "%s, judge %s: n %d\n", m.set.Format, m.judge, len(m.result.Outcomes))
	if m.trained {
		fmt.Fprintf(a.stdout, "  %s\n", trainedNote)
	}
	if m.result.Failed > 0 {
		fmt.Fprintf(a.stdout, "  could not be judged, counted as unsupported: %d\n", m.result.Failed)
	}
	a.printMetrics(m.result.Metrics)
	fmt.Fprintf(a.stdout, "\n%-12s  %5s  %8s  %s\n", "confidence", "n", "expected", "observed")
	for _, b := range m.result.Reliability {
		if b.N > 0 {
			fmt.Fprintf(a.stdout, "%.1f … %.1f     %5d  %8.2f  %8.2f\n", b.Lo, b.Hi, b.N, b.Expected, b.Observed)
		}
	}
	if r, ok := claims.Resist(m.result.Outcomes); ok {
		fmt.Fprintf(a.stdout, "\nof %d supported claims %d are accepted, %d of them with a doubt; altered, these are\n%-12s  %5s  %8s  %s\n", r.Originals, r.Accepted, r.InDoubt, "altered", "n", "refused", "refused or in doubt")
		for _, k := range r.Kinds {
			fmt.Fprintf(a.stdout, "%-12s  %5d  %8.2f  %8.2f\n", k.Kind, k.N, float64(k.Refused)/float64(k.N), float64(k.Refused+k.Doubted)/float64(k.N))
		}
	}
	fmt.Fprintf(a.stdout, "\nlatency p50 %.2f ms, p95 %.2f ms\n", milliseconds(m.result.P50), milliseconds(m.result.P95))
	fmt.Fprintf(a.stdout, "intervals: %d bootstrap resamples, seed %d\n", m.result.Resample.Resamples, m.result.Resample.Seed)
}

// claimsDocument is an evaluation of claims as --json prints it.
type claimsDocument struct {
	Schema      int                         `json:"schema"`
	Task        string                      `json:"task"` // "claims"
	Format      string                      `json:"format"`
	Judge       string                      `json:"judge"`
	Trained     bool                        `json:"trained_on_this_data"`
	N           int                         `json:"n"`
	Failed      int                         `json:"failed"`
	Metrics     map[string]metrics.Interval `json:"metrics"`
	Latency     latency                     `json:"latency_ms"`
	Reliability []reliabilityBin            `json:"reliability"`
	Drawn       drawnItems                  `json:"resampling"`
	Altered     *claims.Resistance          `json:"altered,omitempty"` // when the data holds altered claims
	Items       []claimsItem                `json:"items"`
}

type reliabilityBin struct {
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	N        int     `json:"n"`
	Expected float64 `json:"expected"`
	Observed float64 `json:"observed"`
}

type drawnItems struct {
	Seed      uint64 `json:"seed"`
	Resamples int    `json:"resamples"`
}

type claimsItem struct {
	ID     string        `json:"id"`
	Gold   string        `json:"gold"`
	Pred   string        `json:"pred"`             // the verdict's status; of a response, supported or unsupported
	Label  string        `json:"label"`            // the verdict in the labels of the set
	Score  float64       `json:"score"`            // probability of support
	Doubts []state.Doubt `json:"doubts,omitempty"` // what could not be checked
}

func (a *app) printClaimsJSON(m measuredClaims) {
	out := claimsDocument{
		Schema: 1, Task: "claims", Format: m.set.Format, Judge: m.judge, Trained: m.trained, N: len(m.result.Outcomes), Failed: m.result.Failed,
		Metrics: intervals(m.result.Metrics), Latency: latency{milliseconds(m.result.P50), milliseconds(m.result.P95)},
		Drawn: drawnItems{m.result.Resample.Seed, m.result.Resample.Resamples}, Items: make([]claimsItem, len(m.result.Outcomes)),
	}
	if r, ok := claims.Resist(m.result.Outcomes); ok {
		out.Altered = &r
	}
	for _, b := range m.result.Reliability {
		out.Reliability = append(out.Reliability, reliabilityBin{six(b.Lo), six(b.Hi), b.N, six(b.Expected), six(b.Observed)})
	}
	for i, o := range m.result.Outcomes {
		pred := string(o.Verdict.Status)
		if m.set.Responses {
			pred = string(o.Label)
		}
		out.Items[i] = claimsItem{ID: o.Item.ID, Gold: string(o.Item.Gold), Pred: pred, Label: string(o.Label), Score: six(o.Verdict.Confidence), Doubts: o.Verdict.Doubts}
	}
	a.printJSON(out)
}
