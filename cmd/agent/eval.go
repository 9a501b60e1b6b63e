package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/answers"
	"example.com/assay/eval/causal"
	"example.com/assay/eval/claims"
	"example.com/assay/eval/comply"
	"example.com/assay/eval/extract"
	"example.com/assay/eval/figures"
	"example.com/assay/eval/injection"
	"example.com/assay/eval/mcq"
	"example.com/assay/eval/obligations"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
	search "example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

func (a *app) evalCommand() *cobra.Command {
	var verbs []*cobra.Command
	for _, t := range a.tasks() {
		verbs = append(verbs, a.taskCommand(t))
	}
	verbs = append(verbs, a.evalClaimsCommand(), a.evalAnswersCommand(), a.evalCasesCommand(), a.evalAllCommand())
	return group(&cobra.Command{
		Use:   "eval",
		Short: "Measure on judged data, and run cases",
		Example: `  agent eval retrieval --format scifact --corpus corpus.jsonl.gz --queries claims.jsonl
  agent eval claims --format wice --data claims.jsonl.gz
  agent eval causal --format pairs --data pairs.jsonl
  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl
  agent eval mcq --data barexam_qa
  agent eval answers --corpus handbook --data questions.jsonl
  agent eval injection --data bipia_injection
  agent eval cases case_studies
  agent eval all data
  agent help eval retrieval`,
	}, verbs...)
}

// tasks are those that need nothing of a person's settings.
func (a *app) tasks() []task.Task {
	return []task.Task{retrieval.Task(), causal.Task(), obligations.Task(), comply.Task(ordersIn), extract.Task(), mcq.Task(), injection.Task()}
}

// taskCommand is the verb of a task.
func (a *app) taskCommand(t task.Task) *cobra.Command {
	options, asJSON := task.NewOptions(t.Name), false
	measure := t.New(options)
	cmd := &cobra.Command{
		Use: t.Name + " " + t.Args, Short: t.Short, Long: t.Long, Example: t.Example, Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.Check(cmd.Flags().Changed); err != nil {
				return usageOf(err)
			}
			return a.measure(cmd.Context(), measure, asJSON)
		},
	}
	options.VisitAll(func(f *flag.Flag) {
		known := pflag.PFlagFromGoFlag(f)
		known.Shorthand = ""
		cmd.Flags().AddFlag(known)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// usageOf makes the command's own of a task's usage error.
func usageOf(err error) error {
	if refused, ok := errors.AsType[*task.UsageError](err); ok {
		return usagef("%w", refused)
	}
	return err
}

// measure measures and prints.
func (a *app) measure(ctx context.Context, measure task.Measure, asJSON bool) error {
	progress := a.newIngestProgress(asJSON)
	r, err := measure(ctx, progress.update)
	err = errors.Join(err, progress.close())
	if skipped, ok := errors.AsType[*task.SkippedError](err); ok {
		a.warn("skipped: %v. Get it and name its folder with --data", skipped)
		return nil
	}
	if err != nil {
		return usageOf(err)
	}
	for _, w := range r.Warnings {
		a.warn("%s", w)
	}
	if f := r.File; f != nil {
		if err = f.Err; err == nil {
			err = writeAtomically(f.Path, f.Data, 0o644)
		}
		if err != nil { // what was measured is shown all the same
			err = fmt.Errorf("writing --%s %s: %w", f.Option, f.Path, err)
		}
	}
	if asJSON {
		a.printJSON(r)
	} else if _, failed := io.WriteString(a.stdout, r.Text()); failed != nil {
		return failed
	}
	if err == nil && r.Broken {
		return silent(exitFailed)
	}
	return err
}

// evalClaimsCommand is eval claims, which may ask the judge that the settings name.
func (a *app) evalClaimsCommand() *cobra.Command {
	var flags settingFlags
	var cmd *cobra.Command
	cmd = a.taskCommand(claims.Task(func(context.Context) (*claims.Configured, error) { return a.configuredJudge(cmd, &flags) }))
	cmd.Flags().StringVar(&flags.config, "config", "", "configuration `FILE` (YAML) that names the judge configured")
	flags.registerCassette(cmd)
	return cmd
}

func (a *app) configuredJudge(cmd *cobra.Command, flags *settingFlags) (*claims.Configured, error) {
	s, err := a.resolve(cmd, flags)
	if err != nil {
		return nil, err
	}
	judge := s.verification.judge
	if judge.url == "" {
		return nil, usagef("--judge is configured, and %s names no server: set it to an address", keyJudge)
	}
	calibration, err := judge.calibrated()
	if err != nil {
		return nil, err
	}
	x, err := a.openExchange(cmd, flags, &s)
	if err != nil {
		return nil, err
	}
	model, served, err := x.judgeAlone(s)
	return &claims.Configured{Model: model, Calibration: calibration, Named: judge.calibration, Served: served, Setting: keyJudgeCalibration, Close: x.close}, err
}

// evalAnswersCommand is eval answers, which asks as the settings say.
func (a *app) evalAnswersCommand() *cobra.Command {
	var flags settingFlags
	var cmd *cobra.Command
	cmd = a.taskCommand(answers.Task(func(context.Context) (*answers.Desk, error) { return a.answersDesk(cmd, &flags) }))
	cmd.Flags().String("corpus", defaultCorpus, "`NAME` of the corpus to ask; without it, each question's own")
	flags.registerPipeline(cmd)
	flags.registerTimeout(cmd)
	return cmd
}

func (a *app) answersDesk(cmd *cobra.Command, flags *settingFlags) (*answers.Desk, error) {
	s, err := a.resolve(cmd, flags)
	if err != nil {
		return nil, err
	}
	s.memory = false
	asker := &corpusAsker{app: a, settings: s, exchange: a.newExchange(s), timeout: flags.timeout, engines: map[string]*engine{}}
	return &answers.Desk{Asker: asker, Model: s.modelLabel(), Corpus: s.corpus, Open: asker.open, Close: asker.close}, nil
}

// A corpusAsker asks the corpus that a question names; it opens each once.
type corpusAsker struct {
	*app
	settings settings
	exchange *exchange
	timeout  time.Duration
	engines  map[string]*engine
}

func (c *corpusAsker) open(ctx context.Context, corpus string) (err error) {
	if c.engines[corpus] != nil {
		return nil
	}
	s := c.settings
	s.corpus = corpus
	e, err := c.openEngine(ctx, s, c.exchange)
	if err == nil {
		c.engines[corpus] = e
	}
	return err
}

func (c *corpusAsker) Ask(ctx context.Context, q answers.Question) (state.Answer, error) {
	return c.engines[q.Corpus].ask(ctx, question{text: q.Question, timeout: c.timeout})
}

func (c *corpusAsker) Search(ctx context.Context, q answers.Question, k int) ([]state.Passage, error) {
	found, err := c.engines[q.Corpus].corpus.Search(ctx, search.Query{Primary: q.Question, K: k})
	if err != nil {
		return nil, err
	}
	out := make([]state.Passage, len(found.Hits))
	for i, h := range found.Hits {
		out[i] = h.Passage
	}
	return out, nil
}

func (c *corpusAsker) close() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.engines)) {
		errs = append(errs, c.engines[name].Close())
	}
	return errors.Join(append(errs, c.exchange.close())...)
}

func (a *app) evalAllCommand() *cobra.Command {
	var asJSON bool
	var only string
	cmd := &cobra.Command{
		Use:   "all DIR",
		Short: "Measure on every data set that is there",
		Long: `All runs agent eval on each data set in a folder, offline, and prints the metrics
with their 95 % intervals. A set that is not there is left out, and it is said where
it comes from. Each set lies in a folder of its name:

` + figures.Sources() + `
Trained parts may have been trained on a part of a set; docs/results.md says which, and
has the cross-validated figures.`,
		Example: `  agent eval all data
  agent eval all data --only sroie
  agent eval all data --json > figures.json`,
		Args: exactly(1, "the folder of the data sets"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evalAll(cmd.Context(), args[0], only, asJSON) },
	}
	cmd.Flags().StringVar(&only, "only", "", "measure only sets with this `TEXT` in their name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) evalAll(ctx context.Context, dir, only string, asJSON bool) (err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("%s is no folder of data sets; agent help eval all lists them", dir)
	}
	chosen := figures.Offline(only)
	if len(chosen) == 0 {
		return usagef("no data set has %q in its name; there are:\n%s", only, figures.Sources())
	}
	schemas, err := os.MkdirTemp("", "agent-schemas-*")
	if err != nil {
		return err
	}
	defer func() { err = also(err, os.RemoveAll(schemas)) }()
	files, err := casestudies.Schemas()
	if err == nil {
		err = os.CopyFS(schemas, files)
	}
	if err != nil {
		return fmt.Errorf("writing the schemas: %w", err)
	}
	progress, tasks := a.newIngestProgress(asJSON), append(a.tasks(), claims.Task(nil))
	var sets []figures.Set
	for i, m := range chosen {
		progress.update("measuring "+m.Folder, i, len(chosen))
		set, err := m.Run(ctx, tasks, dir, schemas)
		if err != nil {
			return errors.Join(err, progress.close())
		}
		sets = append(sets, set)
	}
	if err := progress.close(); err != nil {
		return err
	}
	if asJSON {
		a.printJSON(struct {
			Schema int           `json:"schema"`
			Task   string        `json:"task"`
			Sets   []figures.Set `json:"sets"`
		}{1, "all", sets})
		return nil
	}
	for _, set := range sets {
		a.printSet(set)
	}
	return nil
}

func (a *app) printSet(set figures.Set) {
	fmt.Fprintf(a.stdout, "%s\n  %s\n", set.Name, set.Command)
	if set.Skipped != "" {
		fmt.Fprintf(a.stdout, "  skipped: %s\n", render.Visible(set.Skipped))
	}
	if set.Trained {
		fmt.Fprintln(a.stdout, "  a fit: shipped weights were trained on these labels; docs/results.md has cross-validated figures")
	}
	for _, name := range slices.Sorted(maps.Keys(set.Metrics)) {
		v := set.Metrics[name]
		fmt.Fprintf(a.stdout, "  %-26s  %.4f  [%.4f, %.4f]  n %d\n", name, v.Value, v.Lo, v.Hi, set.N)
	}
}
