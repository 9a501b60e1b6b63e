package evals

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/eval/answers"
	"example.com/assay/eval/claims"
	search "example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// evalClaimsCommand is agent eval claims, which can call the judge of the settings.
func evalClaimsCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var cmd *cobra.Command
	cmd = taskCommand(a, claims.Task(func(context.Context) (*claims.Configured, error) { return configuredJudge(a, cmd, &flags) }))
	cmd.Flags().StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML) that names the judge configured")
	flags.RegisterCassette(cmd)
	return cmd
}

func configuredJudge(a *cli.App, cmd *cobra.Command, flags *config.Flags) (*claims.Configured, error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return nil, err
	}
	judge := s.Verification.Judge
	if judge.URL == "" {
		return nil, cli.Usagef("--judge is configured, but %s names no server: set it to an address", config.KeyJudge)
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return nil, err
	}
	x, err := open.NewExchange(a, files, &s)
	if err != nil {
		return nil, err
	}
	model, served, err := x.JudgeAlone(s)
	return &claims.Configured{Model: model, Calibration: judge.Calibration, Served: served, Setting: config.KeyJudgeCalibration, Close: x.Close}, err
}

// evalAnswersCommand is agent eval answers, which answers with the settings.
func evalAnswersCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var cmd *cobra.Command
	cmd = taskCommand(a, answers.Task(func(context.Context) (*answers.Desk, error) { return answersDesk(a, cmd, &flags) }))
	cmd.Flags().String("corpus", config.DefaultCorpus, "`CORPUS` to ask; without it, each question's own")
	flags.RegisterPipeline(cmd)
	flags.RegisterTimeout(cmd)
	return cmd
}

func answersDesk(a *cli.App, cmd *cobra.Command, flags *config.Flags) (*answers.Desk, error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return nil, err
	}
	s.Memory = false
	asker := &corpusAsker{App: a, settings: s, exchange: open.PlainExchange(a, s), timeout: flags.Timeout, engines: map[string]*ask.Asker{}}
	return &answers.Desk{Asker: asker, Model: s.ModelLabel(), Corpus: s.Corpus, Open: asker.open, Close: asker.close}, nil
}

// A corpusAsker answers each question from the corpus that it names. It opens each corpus once.
type corpusAsker struct {
	*cli.App
	settings config.Settings
	exchange *open.Exchange
	timeout  time.Duration
	engines  map[string]*ask.Asker
}

func (c *corpusAsker) open(ctx context.Context, corpus string) (err error) {
	if c.engines[corpus] != nil {
		return nil
	}
	s := c.settings
	s.Corpus = corpus
	e, err := ask.New(ctx, c.App, s, config.Cassette{}, c.exchange)
	if err == nil {
		c.engines[corpus] = e
	}
	return err
}

func (c *corpusAsker) Ask(ctx context.Context, q answers.Question) (state.Answer, error) {
	return c.engines[q.Corpus].Ask(ctx, ask.Question{Text: q.Question, Timeout: c.timeout})
}

func (c *corpusAsker) Search(ctx context.Context, q answers.Question, k int) ([]state.Passage, error) {
	found, err := c.engines[q.Corpus].Corpus.Search(ctx, search.Query{Primary: q.Question, K: k})
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
	return errors.Join(append(errs, c.exchange.Close())...)
}
