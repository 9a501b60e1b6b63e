package claims

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/eval/task"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/state"
)

// Judges that can be measured.
const (
	judgeOffline    = "offline"
	judgeVerify     = "verify"
	judgeConfigured = "configured"
)

// A Configured is a judge on a server.
type Configured struct {
	Model       llm.Model
	Calibration *classify.Calibration        // in use; nil for none
	Served      func(context.Context) string // the server's name for the model
	Setting     string                       // the key for a calibration
	Close       func() error
}

// Task is `agent eval claims`. Open opens the judge that a person has configured.
func Task(open func(context.Context) (*Configured, error)) task.Task {
	return task.Task{
		Name: "claims", Args: "--format F --data FILE", Short: "Measure how well claims are judged",
		Long: `Claims asks a judge about every claim of a judged collection, with the evidence
that people judged it by, and prints each metric with its 95 % bootstrap
interval. Files may be compressed with gzip. The formats are those of these
collections:

  wice        {id, claim, label, evidence: [sentences], claim_title}
  faithbench  {id, source, response, hallucinated: 0 or 1}; the response as a
              whole is judged: supported means free of hallucination
  scifact     {id, claim, label, qrels, evidence: [{doc_id}]}, and --corpus:
              {id, title, text}; a claim is judged by its gold abstracts

F1, precision, recall and balanced_accuracy compare "supported" with the rest; AUC and
ECE use the probability of support. Accuracy and macro_F1 are over the same two
classes, in scifact over its three labels. Only a hard signal contradicts a claim; the
judge offline does not look for any.

The judge verify is that of agent verify: trained weights, and code that checks each
critical word of the claim (numbers, dates, names, negation, direction, gender,
quantifiers, modality, the subject) and overrules the weights. offline is the weights alone.
configured is verify with the small model of verification.judge, without a fallback.
For that judge the output has a calibration for the configuration, with the
calibration error on claims that it was not fitted on.

--altered judges the fully supported claims together with copies in which one word,
number or subject is changed, so that they are no longer supported. For each kind of change it
prints the share of copies that are refused, and that are refused or in doubt, among
claims whose original is accepted. A file that already holds altered claims, with ids
such as ID+negation, is counted in the same way.

The weights were trained on the public halves of wice and scifact. On these files the
figures are those of a fit, and the output says so. For cross-validated figures run,
in the repository: go run ./eval/train verify --data DIR --out ''`,
		Example: `  agent eval claims --format wice --data claims.jsonl.gz
  agent eval claims --format wice --data claims.jsonl.gz --altered
  agent eval claims --format scifact --data claims.jsonl --corpus corpus.jsonl.gz
  agent eval claims --format faithbench --data samples.jsonl.gz --judge verify --json
  agent eval claims --format wice --data mine.jsonl --judge configured --config c.yaml`,
		New: func(o *task.Options) task.Measure {
			f := &options{open: open}
			o.Format(&f.files.Format, "files", formats())
			o.Need(&f.files.Data, "data", "`FILE` of the claims or responses (JSON Lines)")
			o.StringVar(&f.files.Corpus, "corpus", "", "`FILE` of the abstracts; for scifact only")
			o.OneOf(&f.judge, "judge", judgeVerify, "`JUDGE` to measure: verify, offline or configured", judgeConfigured, judgeOffline, judgeVerify)
			o.BoolVar(&f.altered, "altered", false, "judge supported claims and altered copies of them")
			o.Refuse(f.check)
			o.Limit(&f.limit, "judge", "item", "items")
			return f.measure
		},
	}
}

type options struct {
	open    func(context.Context) (*Configured, error)
	files   Files
	judge   string
	limit   int
	altered bool
}

func (f *options) check(given func(string) bool) error {
	switch {
	case f.files.Format == FormatSciFact && f.files.Corpus == "":
		return task.Usagef("--corpus is missing: the format scifact has its abstracts in a file of their own")
	case f.files.Format != FormatSciFact && f.files.Corpus != "":
		return task.Usagef("--corpus is for the format scifact; %s has its evidence in the file of the claims", f.files.Format)
	case f.judge != judgeConfigured && slices.ContainsFunc([]string{"config", "record", "replay"}, given):
		return task.Usagef("--config, --record and --replay are for --judge %s; %s asks no model", judgeConfigured, f.judge)
	}
	return nil
}

func (f *options) measure(ctx context.Context, progress task.Progress) (_ *task.Report, err error) {
	var configured *Configured
	if f.judge == judgeConfigured {
		if configured, err = f.open(ctx); err != nil {
			return nil, err
		}
		defer func() {
			if failed := configured.Close(); failed != nil && err == nil {
				err = failed
			}
		}()
	}
	set, err := Read(ctx, f.files, progress)
	if err != nil {
		return nil, err
	}
	trained, err := offlineSaw(set)
	if err != nil {
		return nil, err
	}
	set.Items = task.First(set.Items, f.limit)
	if f.altered {
		if set = Altered(set); len(set.Items) == 0 {
			return nil, fmt.Errorf("%s has no supported claim to alter", f.files.Data)
		}
	}
	if configured != nil {
		return f.measureConfigured(ctx, set, configured, progress)
	}
	var judge Judge = NewOffline()
	if f.judge == judgeVerify {
		if judge, err = NewVerified(nil); err != nil {
			return nil, err
		}
	}
	got, err := Evaluate(ctx, set, judge, progress)
	if err != nil {
		return nil, err
	}
	return f.report(set, got, trained, nil), nil
}

// A fitted is the result of fitting a calibration to a configured judge.
type fitted struct {
	*Configured
	served string
	fit    fit
	unfit  error // reason for a missing fit
}

// measureConfigured measures the configured judge, and fits a calibration to the
// probabilities of its server.
func (f *options) measureConfigured(ctx context.Context, set *Dataset, c *Configured, progress task.Progress) (*task.Report, error) {
	judge, err := newHeard(c.Model)
	if err != nil {
		return nil, err
	}
	got, err := Evaluate(ctx, set, judge, progress)
	if err != nil {
		return nil, err
	}
	if got.Failed == len(got.Outcomes) {
		return nil, fmt.Errorf("no claim could be judged; the first: %s", got.Outcomes[0].Verdict.Error)
	}
	raw := slices.Clone(judge.Heard())
	for i := range raw {
		raw[i] = c.Calibration.Raw(raw[i])
	}
	with := &fitted{Configured: c, served: c.Served(ctx)}
	with.fit, with.unfit = calibrate(set, raw)
	return f.report(set, got, false, with), nil
}

// A fitRow is a calibration that was fitted, in the document.
type fitRow struct {
	Calibration string  `json:"judge_calibration"` // to paste
	N           int     `json:"n"`
	ECE         float64 `json:"ece"`            // of the probabilities of the server
	Calibrated  float64 `json:"ece_calibrated"` // on claims that it was not fitted on
}

// An itemRow is a claim in the document.
type itemRow struct {
	ID     string        `json:"id"`
	Gold   string        `json:"gold"`
	Pred   string        `json:"pred"`             // the verdict's status; of a response, supported or unsupported
	Label  string        `json:"label"`            // the verdict in the labels of the set
	Score  float64       `json:"score"`            // probability of support
	Doubts []state.Doubt `json:"doubts,omitempty"` // facts that could not be checked
}

func (f *options) report(set *Dataset, got Evaluation, trained bool, with *fitted) *task.Report {
	r := task.NewReport("claims", len(got.Outcomes), got.Metrics)
	r.Trained = trained
	r.Put("format", set.Format)
	r.Put("judge", f.judge)
	name := f.judge
	if with != nil {
		name = with.put(r, name)
	}
	r.Put("data_sha256", set.Hash)
	r.Put("trained_on_this_data", trained)
	r.Put("n", r.N)
	r.Put("failed", got.Failed)
	r.Put("metrics", task.Intervals(got.Metrics))
	r.Put("latency_ms", got.Latency())
	r.Put("reliability", task.Bins(got.Reliability))
	r.Put("resampling", task.Resampling())

	r.Linef("%s, judge %s: n %d", set.Format, name, r.N)
	if trained {
		r.Linef("  the judge was trained on these labels: these are figures of a fit; cross-validated ones: go run ./eval/train verify --data DIR --out ''")
	}
	if got.Failed > 0 {
		r.Linef("  could not be judged, counted as unsupported: %d", got.Failed)
	}
	r.Table(task.Names, got.Metrics)
	r.Linef("\n%-12s  %5s  %8s  %s", "confidence", "n", "expected", "observed")
	for _, b := range got.Reliability {
		if b.N > 0 {
			r.Linef("%.1f … %.1f     %5d  %8.2f  %8.2f", b.Lo, b.Hi, b.N, b.Expected, b.Observed)
		}
	}
	if resisted, ok := Resist(got.Outcomes); ok {
		r.Put("altered", resisted)
		resisted.show(r)
	}
	if with != nil {
		with.show(r)
	}
	r.Close(&got.Score, "", "")
	r.Put("items", rows(set, got.Outcomes))
	return r
}

func rows(set *Dataset, outcomes []Outcome) []itemRow {
	out := make([]itemRow, len(outcomes))
	for i, o := range outcomes {
		pred := string(o.Verdict.Status)
		if set.Responses {
			pred = string(o.Label)
		}
		out[i] = itemRow{o.Item.ID, string(o.Item.Gold), pred, string(o.Label), task.Six(o.Verdict.Confidence), o.Verdict.Doubts}
	}
	return out
}

// put adds the data of the judge to the document, and returns its name.
func (c *fitted) put(r *task.Report, name string) string {
	if c.served != "" {
		r.Put("judge_model", c.served)
		name += " (" + c.served + ")"
	}
	if c.Calibration != nil {
		r.Put("judge_calibration", c.Calibration.String())
	}
	switch {
	case c.unfit != nil:
		r.Put("no_calibration", c.unfit.Error())
	case c.served != "":
		r.Put("calibration", fitRow{c.fit.Calibration.String(), c.fit.N, task.Six(c.fit.ECE), task.Six(c.fit.Calibrated)})
	}
	return name
}

func (c *fitted) show(r *task.Report) {
	switch {
	case c.unfit != nil:
		r.Linef("\nno calibration: %v", c.unfit)
	case c.served != "":
		r.Linef("\nits probabilities on %d claims: ECE %.4f, calibrated on other claims %.4f; to calibrate them set\n%s: %s", c.fit.N, c.fit.ECE, c.fit.Calibrated, c.Setting, c.fit.Calibration.String())
	}
}

func (a Resistance) show(r *task.Report) {
	r.Linef("\nof %d supported claims %d are accepted, %d of them with a doubt; altered, these are\n%-12s  %5s  %8s  %s", a.Originals, a.Accepted, a.InDoubt, "altered", "n", "refused", "refused or in doubt")
	for _, k := range a.Kinds {
		r.Linef("%-12s  %5d  %8.2f  %8.2f", k.Kind, k.N, float64(k.Refused)/float64(k.N), float64(k.Refused+k.Doubted)/float64(k.N))
	}
}
