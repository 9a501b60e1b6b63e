package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/answer"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// A Question is one question and what observes its run.
type Question struct {
	Text    string
	Trace   string           // file that receives the trace; empty for none
	Copy    io.Writer        // also receives the trace; nil for none
	AsOf    string           // day on which documents must hold; empty for any
	more    bool             // show further quotes
	open    string           // source of the answer to open; empty for none
	Thread  string           // thread in which the run is saved; empty for none
	Resume  bool             // continue the thread; Text is its question
	Earlier []state.Exchange // the conversation before the question
	Timeout time.Duration
	Observe func(graph.Event[json.RawMessage])
}

// An Asker answers questions from one corpus with one set of settings.
type Asker struct {
	*open.Desk
	Pipeline *research.Pipeline
}

// New opens a corpus with its settings and compiles the pipeline.
func New(ctx context.Context, a *cli.App, s config.Settings, c config.Cassette, x *open.Exchange) (*Asker, error) {
	if c.Replay == "" {
		if err := open.CheckSearchTool(a, s); err != nil { // before anything is written
			return nil, err
		}
	}
	go answer.Ready()
	d, err := open.New(ctx, a, s, c, open.Want{Skills: research.Skills(), Corpus: open.Corpus, Threads: s.Saves, Spans: true, Workers: s.Saves, Exchange: x})
	if err != nil {
		return nil, err
	}
	p, err := d.Research(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Asker{Desk: d, Pipeline: p}, nil
}

// Ask runs the pipeline on one question. The answer is complete even when Ask returns an
// error: it says then that the run was stopped or failed.
func (e *Asker) Ask(ctx context.Context, q Question) (state.Answer, error) {
	ctx, cancel := cli.Within(ctx, q.Timeout)
	defer cancel()
	opts := &research.AskOptions{Earlier: q.Earlier, AsOf: q.AsOf, Resume: q.Resume}
	if err := e.onThread(ctx, q, opts); err != nil {
		return failedAnswer(q.Text, err), err
	}
	r := open.Run{Pipeline: open.MustPipeline(open.Usual), Made: e.Pipeline.Instance(), Title: q.Text, File: q.Trace, Copy: q.Copy, Observe: q.Observe, Options: opts.Run}
	if !q.Resume {
		var err error
		if r.Input, err = open.Encoded(opts.Input(q.Text)); err != nil {
			return failedAnswer(q.Text, err), err
		}
	}
	e.Exchange.Controls.Budget().Reset()
	got, runErr := e.Answer(ctx, r)
	if got == nil {
		return failedAnswer(q.Text, runErr), runErr
	}
	answer := *got.Common()
	answer.Question = cmp.Or(answer.Question, q.Text) // it is missing when no input was committed
	if !e.Verification.ShowClaims {
		answer.Verification.ClaimCheck = withoutClaims(answer.Verification.ClaimCheck)
		answer.Verification.Choice = withoutClaims(answer.Verification.Choice)
	}
	return answer, runErr
}

// onThread sets the options for a question's thread, and takes over the conversation that the
// thread holds.
func (e *Asker) onThread(ctx context.Context, q Question, opts *research.AskOptions) error {
	if q.Thread == "" {
		return nil
	}
	info, err := open.InfoOf(ctx, e.Threads, q.Thread)
	if errors.Is(err, graph.ErrNoCheckpoint) && q.Resume && e.Workers != nil {
		info, err = e.Workers.Info(ctx, q.Thread)
	}
	switch {
	case err != nil && !errors.Is(err, graph.ErrNoCheckpoint):
		return err
	case err == nil && info.Graph != e.Pipeline.Graph().Name():
		return cli.Usagef("thread %q is a run of the pipeline %s, not a question: run its own command again, or name another thread", q.Thread, info.Graph)
	case q.Resume && err != nil:
		return open.UnknownThread(ctx, e.Threads, q.Thread)
	case !q.Resume && err == nil:
		if err := e.converse(ctx, q.Thread, info, opts); err != nil {
			return err
		}
	case q.Resume && info.Fingerprint != e.Corpus.Fingerprint():
		e.Warn("corpus %s has changed since thread %q began: its earlier passages are checked against the corpus as it is now", e.Corpus.Name(), q.Thread)
	}
	opts.Run.Thread = q.Thread
	return nil
}

// converse puts the answered questions of a thread before the next one, as its conversation.
func (e *Asker) converse(ctx context.Context, thread string, info open.ThreadInfo, opts *research.AskOptions) error {
	last, err := e.Pipeline.Graph().State(ctx, graph.Key{Thread: thread})
	if err != nil {
		return fmt.Errorf("reading thread %q: %w", thread, err)
	}
	if len(last.Next) > 0 {
		return cli.Usagef("thread %q has a question that is not answered yet (%s); continue it: agent resume %s; or remove it: agent threads remove %s", thread, llm.Cut(info.Question, 60), thread, thread)
	}
	opts.Again, opts.Earlier = true, last.State.Earlier
	if e, ok := research.ExchangeOf(research.Result(last.State, nil, e.Corpus)); ok {
		opts.Earlier = append(opts.Earlier, e)
	}
	return nil
}

// failedAnswer is the answer of a run that did not begin.
func failedAnswer(question string, err error) state.Answer {
	return state.FailedAnswer("research", question, state.Outcome{Err: err}.End())
}

// Outcome returns the error whose exit code is that of an answer; nil for an answered question.
func Outcome(answer state.Answer, runErr error) error {
	switch {
	case runErr != nil:
		return runErr
	case answer.Status == state.StatusAnswered:
		return nil
	case answer.Status == state.StatusUnavailable, answer.Status == state.StatusFailed:
		return fmt.Errorf("researching the question: %s", answer.Error)
	}
	return cli.Silent(answer.Status.ExitCode()) // the answer says why
}

// withoutClaims returns the check without its claims and corrections.
func withoutClaims(check *state.ClaimCheck) *state.ClaimCheck {
	if check == nil {
		return nil
	}
	short := *check
	short.Claims, short.Corrections = nil, nil
	return &short
}

func run(a *cli.App, cmd *cobra.Command, flags *config.Flags, q Question, asJSON bool) error {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("thread") {
		if err := open.CheckThread("--thread", q.Thread); err != nil {
			return err
		}
		saved := open.NewStore(s)
		corpus, err := saved.CorpusOf(cmd.Context(), q.Thread)
		saved.Close()
		if err != nil {
			return err
		}
		if corpus != "" && !cmd.Flags().Changed("corpus") {
			s.Corpus = corpus
		}
	}
	if cmd.Flags().Changed("open") && (asJSON || q.open == "") {
		return cli.Usagef("--open needs the number of a source, and cannot be combined with --json, which holds the paths")
	}
	if err := cli.Day(cmd, "as-of"); err != nil {
		return err
	}
	if q.more || q.AsOf != "" {
		if q.more && s.Temporal.Address != "" {
			return cli.Usagef("--more cannot be combined with --temporal: a worker shows what it shows")
		}
		s.Memory = false // remembered answers belong to the question without these flags
	}
	if q.more {
		a.Models = open.WithMore(a.Models)
	}
	q.Timeout = flags.Timeout
	return answerOne(a, cmd, flags, s, q, asJSON)
}

// answerOne answers one question and prints the result.
func answerOne(a *cli.App, cmd *cobra.Command, flags *config.Flags, s config.Settings, q Question, asJSON bool) (err error) {
	ctx := cmd.Context()
	if err := cli.Named(cmd, "trace"); err != nil {
		return err
	}
	c, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	s.Saves = q.Thread != "" || s.Temporal.Address != ""
	e, err := New(ctx, a, s, c, nil)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, e.Close()) }()
	follow := render.NewProgress(a, asJSON)
	q.Observe = func(ev graph.Event[json.RawMessage]) { render.Observe(follow, ev) }
	answer, runErr := e.Ask(ctx, q)
	follow.Close()
	if asJSON {
		a.PrintJSON(answer)
	} else {
		render.Proof(a, research.Proof(answer), true)
		for _, line := range render.NodeUsage(answer.Metrics.NodeUsage) {
			if a.Verbose && answer.Model != offline.Name {
				fmt.Fprintln(a.Stdout, "  "+render.Visible(line))
			}
		}
	}
	render.Warnings(a, answer)
	if e.IsSample() {
		a.Warn(open.SampleNote)
	}
	howToGoOn(ctx, a, e, q.Thread, runErr)
	if q.open != "" && runErr == nil {
		source, err := SourceNumbered(answer.Sources, q.open)
		if err == nil {
			err = OpenSource(ctx, a, source)
		}
		if err != nil {
			return err
		}
	}
	return Outcome(answer, runErr)
}

func resume(a *cli.App, cmd *cobra.Command, flags *config.Flags, thread, traceFile string, asJSON bool) (err error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	saved := open.NewStore(s)
	defer saved.Close()
	saver, err := saved.Threads(cmd.Context())
	if err != nil {
		return err
	}
	info, err := open.InfoOf(cmd.Context(), saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) && s.Temporal.Address != "" {
		info, err = waiting(cmd.Context(), a, s, saved, thread)
	}
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = open.UnknownThread(cmd.Context(), saver, thread)
	}
	if err = errors.Join(err, saver.Close()); err != nil {
		return err
	}
	if info.Corpus != "" && !cmd.Flags().Changed("corpus") {
		s.Corpus = info.Corpus
	}
	return answerOne(a, cmd, flags, s, Question{Text: info.Question, Thread: thread, Resume: true, Trace: traceFile, Timeout: flags.Timeout}, asJSON)
}

// waiting describes a thread whose run no worker has begun.
func waiting(ctx context.Context, a *cli.App, s config.Settings, saved *open.Store, thread string) (open.ThreadInfo, error) {
	w, err := open.NewWorkers(ctx, a, s, saved)
	if err != nil {
		return open.ThreadInfo{}, err
	}
	info, err := w.Info(ctx, thread)
	return info, cli.Also(err, w.Close())
}

// howToGoOn tells how to continue a run that ended early, if a part of it was saved.
func howToGoOn(ctx context.Context, a *cli.App, e *Asker, thread string, err error) {
	if thread == "" || err == nil || errors.As(err, new(cli.UsageError)) {
		return
	}
	if _, missing := open.InfoOf(context.WithoutCancel(ctx), e.Threads, thread); errors.Is(missing, graph.ErrNoCheckpoint) {
		return
	}
	a.Warn("the run is saved; continue with: agent resume %s", thread)
}
