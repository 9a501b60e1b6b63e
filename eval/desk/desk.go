// Package desk measures the pipelines on a folder of ordinary papers: letters, price lists,
// minutes, forms. It asks questions, verifies claims and reads forms, as agent ask, comply,
// verify and extract do offline.
//
//	papers, err := desk.Read(ctx, "case_studies/desk/dev", nil)
//	got, err := desk.Evaluate(ctx, papers, desk.Options{Jobs: 2}, nil)
//	worse, err := baseline.Worse(got)
//
// It compares words, not meaning, and does not say why an answer is wrong.
package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"example.com/assay/decide/injection"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/encode"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// An Item is the result of a question, a claim or a form.
type Item struct {
	ID, Verb, Kind string
	Answerable     bool
	Status         state.Status
	Gold, Pred     []string // strings and quotes; statuses; values of a form
	Right          bool     // the first quote; the refusal; the verdict; all values and no other
	Answer         bool     // one of the quotes is right
	Noise          int      // quotes without gold, of an answer with a right quote
	Hits           int      // right values of a form
}

// A Row counts the questions of one kind.
type Row struct {
	Kind   string `json:"kind"`
	N      int    `json:"n"`
	Right  int    `json:"right"`
	Answer int    `json:"answer"`
}

// An Evaluation holds the results of a folder.
type Evaluation struct {
	task.Score
	N       map[string]int // items of each metric: questions, claims, or values of forms
	Items   []Item         // questions, claims, forms
	Rows    []Row          // kinds of questions, by name
	Skipped []memory.Skip  // documents that could not be read
}

var figures = []task.Figure[Item]{
	{Name: "first", Of: func(i Item) (task.Fraction, bool) { return task.Yes(i.Right), i.Verb == Ask && i.Answerable }},
	{Name: "answer", Of: func(i Item) (task.Fraction, bool) { return task.Yes(i.Answer), i.Verb == Ask && i.Answerable }},
	{Name: noise, Of: func(i Item) (task.Fraction, bool) {
		if !i.Answer {
			return task.Ratio(0, 0, 1), i.asked() && i.Answerable
		}
		return task.Ratio(i.Noise, len(i.Pred), 1), i.asked() && i.Answerable
	}},
	{Name: "refused", Of: func(i Item) (task.Fraction, bool) { return task.Yes(i.Right), i.asked() && !i.Answerable }},
	{Name: "comply_first", Of: func(i Item) (task.Fraction, bool) { return task.Yes(i.Right), i.Verb == Comply && i.Answerable }},
	{Name: "claims_true", Of: func(i Item) (task.Fraction, bool) {
		return task.Yes(i.Right), i.Verb == claim && i.Gold[0] == supported
	}},
	{Name: "claims_false", Of: func(i Item) (task.Fraction, bool) {
		return task.Yes(i.Right), i.Verb == claim && i.Gold[0] == unsupported
	}},
	{Name: "precision", Of: func(i Item) (task.Fraction, bool) {
		return task.Ratio(i.Hits, len(i.Pred), len(i.Gold)), i.Verb == form
	}},
	{Name: "recall", Of: func(i Item) (task.Fraction, bool) {
		return task.Ratio(i.Hits, len(i.Gold), len(i.Gold)), i.Verb == form
	}},
	{Name: "F1", Of: func(i Item) (task.Fraction, bool) {
		return task.Ratio(2*i.Hits, len(i.Pred)+len(i.Gold), len(i.Gold)), i.Verb == form
	}},
}

// noise is the only metric for which lower is better.
const noise = "noise"

// Verbs of claims and of forms, and the verdicts on claims.
const (
	claim, form            = "verify", "extract"
	supported, unsupported = "supported", "unsupported"
)

func (i Item) asked() bool { return i.Verb == Ask || i.Verb == Comply }

// Options say how papers are measured.
type Options struct {
	Jobs  int  // items at the same time
	Words bool // without the encoder
}

// Evaluate ingests the documents into a temporary folder and measures every item. The first error
// ends it.
func Evaluate(ctx context.Context, p *Papers, opts Options, progress task.Progress) (_ *Evaluation, err error) {
	d, err := open(ctx, p.Documents, opts.Words, progress)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	var steps []func(context.Context) (Item, error)
	for _, q := range p.Questions {
		steps = append(steps, func(ctx context.Context) (Item, error) { return d.ask(ctx, q) })
	}
	for _, c := range p.Claims {
		steps = append(steps, func(ctx context.Context) (Item, error) { return d.verify(ctx, c) })
	}
	for _, f := range p.Forms {
		steps = append(steps, func(ctx context.Context) (Item, error) { return d.read(ctx, f) })
	}
	out := &Evaluation{Skipped: d.skipped}
	do := func(ctx context.Context, i int) (Item, error) { return steps[i](ctx) }
	if out.Items, out.Score, err = task.Timed(ctx, progress, "measuring", len(steps), opts.Jobs, do); err != nil {
		return nil, err
	}
	out.N, err = task.Figures(&out.Score, out.Items, figures)
	out.fillRows()
	return out, err
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// fillRows counts the questions of each kind.
func (e *Evaluation) fillRows() {
	for _, i := range e.Items {
		if !i.asked() {
			continue
		}
		at, known := slices.BinarySearchFunc(e.Rows, i.Kind, func(r Row, kind string) int { return strings.Compare(r.Kind, kind) })
		if !known {
			e.Rows = slices.Insert(e.Rows, at, Row{Kind: i.Kind})
		}
		r := &e.Rows[at]
		r.N, r.Right, r.Answer = r.N+1, r.Right+one(i.Right), r.Answer+one(i.Answer)
	}
}

// A bench has the pipelines over a temporary corpus. Those that search are nil without documents.
type bench struct {
	home    string       // to remove; empty without documents
	vectors *embed.Cache // nil without the encoder
	model   llm.Model
	set     *skills.Set
	corpus  *memory.Corpus
	skipped []memory.Skip
	answers *research.Pipeline
	rules   *evidence.Pipeline
	claims  *verify.Pipeline // without corrections
	checks  *verify.Pipeline // as agent verify
}

func open(ctx context.Context, documents string, words bool, progress task.Progress) (_ *bench, err error) {
	set, err := skills.Load(nil)
	if err != nil {
		return nil, err
	}
	d := &bench{model: offline.New(nil), set: set}
	if documents == "" {
		return d, nil
	}
	if d.home, err = os.MkdirTemp("", "agent-eval-*"); err != nil {
		return nil, fmt.Errorf("making a directory for the index: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	var space *embed.Space
	var reader memory.Reader
	if !words {
		if d.vectors, space, reader, err = meaning(d.home); err != nil {
			return nil, err
		}
	}
	in := memory.IngestOptions{Home: d.home, Corpus: "desk", Paths: []string{documents}, Space: space, Progress: progress}
	made, err := memory.Ingest(ctx, in)
	if err != nil {
		return nil, err
	}
	d.skipped = made.Skipped
	if d.corpus, err = memory.OpenWith(d.home, in.Corpus, &memory.OpenOptions{Space: space, Meaning: space, Reader: reader, Inspect: injection.Orders}); err != nil {
		return nil, err
	}
	var errs [4]error
	d.answers, errs[0] = research.New(research.Deps{Model: d.model, Skills: set, Corpus: d.corpus, Inspect: injection.Orders}, &research.Options{Passages: research.OfflinePassages, WarnOfCited: true})
	d.rules, errs[1] = evidence.New(evidence.Deps{Model: d.model, Skills: set, Corpus: d.corpus, Inspect: injection.Orders}, nil)
	checked := verify.Deps{Model: d.model, Skills: set, Corpus: d.corpus, Inspect: injection.Orders}
	d.claims, errs[2] = verify.New(checked, &verify.Options{MaxAttempts: -1})
	d.checks, errs[3] = verify.New(checked, nil)
	return d, errors.Join(errs[:]...)
}

// meaning opens the encoder in the program and a cache of its vectors.
func meaning(home string) (*embed.Cache, *embed.Space, memory.Reader, error) {
	m, err := encode.Builtin()
	if err != nil {
		return nil, nil, nil, err
	}
	cache, err := embed.OpenCache(memory.VectorsPath(home), nil)
	if err != nil {
		return nil, nil, nil, err
	}
	space, err := embed.New(m, &embed.Options{Cache: cache, Concurrency: 1, EightBits: true}) // the encoder uses all processors by itself
	return cache, space, m, err
}

func (d *bench) close() (err error) {
	if d.corpus != nil {
		err = d.corpus.Close()
	}
	if d.vectors != nil {
		err = errors.Join(err, d.vectors.Close())
	}
	if d.home != "" {
		err = errors.Join(err, os.RemoveAll(d.home))
	}
	return err
}

// ask asks a question and judges the quotes of its answer.
func (d *bench) ask(ctx context.Context, q Question) (Item, error) {
	i := Item{ID: q.ID, Verb: q.Verb, Kind: q.Kind, Answerable: q.Answerable, Gold: q.Gold}
	fault := ""
	if q.Verb == Comply {
		final, err := d.rules.Run(ctx, evidence.Input{Question: q.Question}, nil)
		if err != nil {
			return i, fmt.Errorf("asking question %q: %w", q.ID, err)
		}
		audit := evidence.Result(final, nil, d.corpus)
		i.Status, fault = audit.Status, audit.Error
		for _, r := range audit.Verified {
			i.Pred = append(i.Pred, r.Quote)
		}
	} else {
		final, _, err := d.answers.Ask(ctx, q.Question, nil)
		if err != nil {
			return i, fmt.Errorf("asking question %q: %w", q.ID, err)
		}
		answer := research.Result(final, nil, d.corpus)
		i.Status, fault = answer.Status, answer.Error
		for _, quote := range answer.Quotes {
			if quote.Shown == "" {
				quote.Shown = quote.Text
			}
			i.Pred = append(i.Pred, quote.Shown)
		}
	}
	if err := failed(i.Status, fault); err != nil {
		return i, fmt.Errorf("asking question %q: %w", q.ID, err)
	}
	i.judge(q)
	return i, nil
}

// failed returns the error of a run that could not search.
func failed(status state.Status, fault string) error {
	if status == state.StatusFailed || status == state.StatusUnavailable {
		return fmt.Errorf("the answer is %s: %s", status, fault)
	}
	return nil
}

// judge compares the quotes with the gold of a question.
func (i *Item) judge(q Question) {
	if !q.Answerable {
		i.Right = i.Status.ExitCode() == state.StatusNoEvidence.ExitCode()
		return
	}
	if i.Status != state.StatusAnswered {
		return
	}
	for n, quote := range i.Pred {
		gold := metrics.Holds(quote, q.Gold)
		if !gold {
			i.Noise++
		}
		if gold && !metrics.Holds(quote, q.Not) {
			i.Answer, i.Right = true, i.Right || n == 0
		}
	}
}

// verify verifies a claim against the corpus, without corrections.
func (d *bench) verify(ctx context.Context, c Claim) (Item, error) {
	final, err := d.claims.Run(ctx, verify.Input{Response: c.Claim}, nil)
	if err != nil {
		return Item{}, fmt.Errorf("verifying claim %q: %w", c.ID, err)
	}
	answer := verify.Result(final, nil, d.corpus)
	if err := failed(answer.Status, answer.Error); err != nil {
		return Item{}, fmt.Errorf("verifying claim %q: %w", c.ID, err)
	}
	verdict := func(yes bool) []string {
		if yes {
			return []string{supported}
		}
		return []string{unsupported}
	}
	said := answer.Status == state.StatusAnswered
	return Item{ID: c.ID, Verb: claim, Status: answer.Status, Gold: verdict(c.Supported), Pred: verdict(said), Right: said == c.Supported}, nil
}

// read reads a form by its schema.
func (d *bench) read(ctx context.Context, f Form) (Item, error) {
	i := Item{ID: f.ID, Verb: form, Gold: f.Gold}
	docs, err := docfile.Read(ctx, f.Path)
	if err != nil {
		return i, err
	}
	if len(docs) != 1 {
		return i, fmt.Errorf("%s holds %d documents: a form is one", f.Path, len(docs))
	}
	p, err := extract.New(extract.Deps{Model: d.model, Skills: d.set, Schema: f.Schema}, nil)
	if err != nil {
		return i, err
	}
	final, err := p.Run(ctx, docs[0].FieldDocument, nil)
	if err != nil {
		return i, fmt.Errorf("reading form %q: %w", f.ID, err)
	}
	answer := f.Schema.Answer(final, nil)
	i.Status = answer.Status
	if err := failed(i.Status, answer.Error); err != nil {
		return i, fmt.Errorf("reading form %q: %w", f.ID, err)
	}
	if len(answer.Result) > 0 {
		if i.Pred, err = valuesOf(answer.Result); err != nil {
			return i, fmt.Errorf("reading the values of form %q: %w", f.ID, err)
		}
	}
	left := slices.Clone(i.Pred)
	for _, v := range i.Gold {
		if at := slices.Index(left, v); at >= 0 {
			left = slices.Delete(left, at, at+1)
			i.Hits++
		}
	}
	i.Right = i.Hits == len(i.Gold) && len(left) == 0
	return i, nil
}
