package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/claims"
	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// Judges that can be measured.
const (
	judgeOffline    = "offline"
	judgeVerify     = "verify"
	judgeConfigured = "configured"
)

// evalClaimsFlags are the flags of eval claims.
type evalClaimsFlags struct {
	files   claims.Files
	judge   string
	limit   int
	altered bool
	asJSON  bool

	settings config.Flags
}

func evalClaimsCommand(a *cli.App) *cobra.Command {
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
configured is verify with the small model that verification.judge names, and nothing
that stands in for it. For that judge the output has a calibration to paste into the
configuration, with the calibration error on claims that it was not fitted on.

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
  agent eval claims --format faithbench --data samples.jsonl.gz --judge verify --json
  agent eval claims --format wice --data mine.jsonl --judge configured --config c.yaml`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return evalClaims(a, cmd, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.files.Format, "format", "", "`FORMAT` of the files: "+strings.Join(claims.Formats(), ", "))
	flags.StringVar(&f.files.Data, "data", "", "`FILE` of the claims or responses (JSON Lines)")
	flags.StringVar(&f.files.Corpus, "corpus", "", "`FILE` of the abstracts; for scifact only")
	flags.StringVar(&f.judge, "judge", judgeVerify, "`JUDGE` to measure: verify, offline or configured")
	flags.IntVar(&f.limit, "limit", 0, "judge only the first `N` items")
	flags.BoolVar(&f.altered, "altered", false, "judge supported claims and altered copies of them")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	flags.StringVar(&f.settings.Config, "config", "", "configuration `FILE` (YAML) that names the judge configured")
	f.settings.RegisterCassette(cmd)
	return cmd
}

// check refuses a command line that cannot be meant.
func (f *evalClaimsFlags) check(cmd *cobra.Command) error {
	for _, need := range []struct{ flag, value string }{{"format", f.files.Format}, {"data", f.files.Data}} {
		if need.value == "" {
			return cli.Usagef("--%s is missing; see: agent help eval claims", need.flag)
		}
	}
	judges := []string{judgeConfigured, judgeOffline, judgeVerify}
	switch {
	case !slices.Contains(judges, f.judge):
		return cli.Usagef("--judge is %q%s; known: %s", f.judge, cli.DidYouMean(f.judge, judges), strings.Join(judges, ", "))
	case !slices.Contains(claims.Formats(), f.files.Format):
		return cli.Usagef("--format is %q%s; known: %s", f.files.Format, cli.DidYouMean(f.files.Format, claims.Formats()), strings.Join(claims.Formats(), ", "))
	case f.files.Format == claims.FormatSciFact && f.files.Corpus == "":
		return cli.Usagef("--corpus is missing: the format scifact has its abstracts in a file of their own")
	case f.files.Format != claims.FormatSciFact && f.files.Corpus != "":
		return cli.Usagef("--corpus is for the format scifact; %s has its evidence in the file of the claims", f.files.Format)
	case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
		return cli.Usagef("--limit is %d: it must be at least 1; leave it out to judge every item", f.limit)
	case f.judge != judgeConfigured && (cmd.Flags().Changed("config") || cmd.Flags().Changed("record") || cmd.Flags().Changed("replay")):
		return cli.Usagef("--config, --record and --replay are for --judge %s; %s asks no model", judgeConfigured, f.judge)
	}
	return nil
}

// A measuredClaims is what there is to print of an evaluation of claims.
type measuredClaims struct {
	judge   string
	set     *claims.Dataset
	result  claims.Evaluation
	trained bool // the judge has seen the labels

	// Of the judge configured.
	model       string // as its server names it
	calibration string // in use; empty for none
	fit         claims.Fit
	unfit       error // why there is no fit
}

// A configuredJudge is the judge that the settings name.
type configuredJudge struct {
	*claims.Heard
	config.Classifier
	served func(context.Context) string
}

func evalClaims(a *cli.App, cmd *cobra.Command, f *evalClaimsFlags) (failed error) {
	var configured *configuredJudge
	if f.judge == judgeConfigured {
		x, judge, err := openConfiguredJudge(a, cmd, f)
		if err != nil {
			return err
		}
		configured = judge
		defer func() { failed = cli.Also(failed, x.Close()) }()
	}
	progress := render.NewBar(a, f.asJSON)
	m, err := measureClaims(cmd.Context(), f, configured, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		printClaimsJSON(a, m)
	} else {
		printClaims(a, m)
	}
	return nil
}

// openConfiguredJudge opens the judge that the settings name. The exchange's close is
// the caller's.
func openConfiguredJudge(a *cli.App, cmd *cobra.Command, f *evalClaimsFlags) (*open.Exchange, *configuredJudge, error) {
	s, err := config.Resolve(a, cmd, &f.settings)
	if err != nil {
		return nil, nil, err
	}
	if s.Verification.Judge.URL == "" {
		return nil, nil, cli.Usagef("--judge is %s, and %s names no server: set it to an address", f.judge, config.KeyJudge)
	}
	files, err := f.settings.Cassette(cmd)
	if err != nil {
		return nil, nil, err
	}
	x, err := open.NewExchange(a, files, &s)
	if err != nil {
		return nil, nil, err
	}
	model, served, err := x.JudgeAlone(s)
	if err != nil {
		return nil, nil, err
	}
	heard, err := claims.NewHeard(model)
	return x, &configuredJudge{heard, s.Verification.Judge, served}, err
}

func measureClaims(ctx context.Context, f *evalClaimsFlags, configured *configuredJudge, progress func(string, int, int)) (m measuredClaims, err error) {
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
	if configured != nil {
		err = m.configured(ctx, configured, progress)
		return m, err
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

// configured measures the judge that the settings name, and fits a calibration of
// what its server said.
func (m *measuredClaims) configured(ctx context.Context, judge *configuredJudge, progress func(string, int, int)) (err error) {
	m.calibration = judge.Calibration
	if m.result, err = claims.Evaluate(ctx, m.set, judge, &claims.EvaluateOptions{Progress: progress}); err != nil {
		return err
	}
	m.model = judge.served(ctx)
	if m.result.Failed == len(m.result.Outcomes) {
		return fmt.Errorf("no claim could be judged; the first: %s", m.result.Outcomes[0].Verdict.Error)
	}
	used, err := judge.Calibrated()
	if err != nil {
		return err
	}
	raw := slices.Clone(judge.Heard.Heard())
	for i := range raw {
		raw[i] = used.Raw(raw[i])
	}
	m.fit, m.unfit = claims.Calibrate(m.set, raw)
	return nil
}

// trainedNote says what figures on data that was trained on are worth.
const trainedNote = "the judge was trained on these labels: these are figures of a fit; cross-validated ones: go run ./eval/train verify --data DIR --out ''"

// printClaims prints an evaluation for people.
func printClaims(a *cli.App, m measuredClaims) {
	name := m.judge
	if m.model != "" {
		name += " (" + m.model + ")"
	}
	fmt.Fprintf(a.Stdout, "%s, judge %s: n %d\n", m.set.Format, name, len(m.result.Outcomes))
	if m.trained {
		fmt.Fprintf(a.Stdout, "  %s\n", trainedNote)
	}
	if m.result.Failed > 0 {
		fmt.Fprintf(a.Stdout, "  could not be judged, counted as unsupported: %d\n", m.result.Failed)
	}
	printMetrics(a, m.result.Metrics)
	fmt.Fprintf(a.Stdout, "\n%-12s  %5s  %8s  %s\n", "confidence", "n", "expected", "observed")
	for _, b := range m.result.Reliability {
		if b.N > 0 {
			fmt.Fprintf(a.Stdout, "%.1f … %.1f     %5d  %8.2f  %8.2f\n", b.Lo, b.Hi, b.N, b.Expected, b.Observed)
		}
	}
	if r, ok := claims.Resist(m.result.Outcomes); ok {
		fmt.Fprintf(a.Stdout, "\nof %d supported claims %d are accepted, %d of them with a doubt; altered, these are\n%-12s  %5s  %8s  %s\n", r.Originals, r.Accepted, r.InDoubt, "altered", "n", "refused", "refused or in doubt")
		for _, k := range r.Kinds {
			fmt.Fprintf(a.Stdout, "%-12s  %5d  %8.2f  %8.2f\n", k.Kind, k.N, float64(k.Refused)/float64(k.N), float64(k.Refused+k.Doubted)/float64(k.N))
		}
	}
	switch {
	case m.unfit != nil:
		fmt.Fprintf(a.Stdout, "\nno calibration: %v\n", m.unfit)
	case m.model != "":
		fmt.Fprintf(a.Stdout, "\nits probabilities on %d claims: ECE %.4f, calibrated on other claims %.4f; to calibrate them set\n%s: %s\n", m.fit.N, m.fit.ECE, m.fit.Calibrated, config.KeyJudgeCalibration, m.fit.Calibration.String())
	}
	fmt.Fprintf(a.Stdout, "\nlatency p50 %.2f ms, p95 %.2f ms\n", cli.Milliseconds(m.result.P50), cli.Milliseconds(m.result.P95))
	fmt.Fprintf(a.Stdout, "intervals: %d bootstrap resamples, seed %d\n", m.result.Resample.Resamples, m.result.Resample.Seed)
}

// claimsDocument is an evaluation of claims as --json prints it.
type claimsDocument struct {
	Schema      int                         `json:"schema"`
	Task        string                      `json:"task"` // "claims"
	Format      string                      `json:"format"`
	Judge       string                      `json:"judge"`
	Model       string                      `json:"judge_model,omitempty"`       // of the judge configured
	Calibration string                      `json:"judge_calibration,omitempty"` // in use
	Fit         *fitDocument                `json:"calibration,omitempty"`
	Unfit       string                      `json:"no_calibration,omitempty"` // why there is none
	Data        string                      `json:"data_sha256"`
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

// fitDocument is a calibration that was fitted.
type fitDocument struct {
	Calibration string  `json:"judge_calibration"` // to paste
	N           int     `json:"n"`
	ECE         float64 `json:"ece"`            // of the probabilities of the server
	Calibrated  float64 `json:"ece_calibrated"` // on claims that it was not fitted on
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

func printClaimsJSON(a *cli.App, m measuredClaims) {
	out := claimsDocument{
		Schema: 1, Task: "claims", Format: m.set.Format, Judge: m.judge, Trained: m.trained, N: len(m.result.Outcomes), Failed: m.result.Failed,
		Metrics: intervals(m.result.Metrics), Latency: latency{cli.Milliseconds(m.result.P50), cli.Milliseconds(m.result.P95)},
		Drawn: drawnItems{m.result.Resample.Seed, m.result.Resample.Resamples}, Items: make([]claimsItem, len(m.result.Outcomes)),
	}
	if r, ok := claims.Resist(m.result.Outcomes); ok {
		out.Altered = &r
	}
	out.Model, out.Calibration, out.Data = m.model, m.calibration, m.set.Hash
	switch {
	case m.unfit != nil:
		out.Unfit = m.unfit.Error()
	case m.model != "":
		out.Fit = &fitDocument{m.fit.Calibration.String(), m.fit.N, six(m.fit.ECE), six(m.fit.Calibrated)}
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
	a.PrintJSON(out)
}
