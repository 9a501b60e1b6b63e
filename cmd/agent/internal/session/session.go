package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/cmd/agent/internal/talk"
	"example.com/assay/graph"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// A session answers one question after the other.
type session struct {
	*cli.App
	config.Settings
	flags       *config.Flags
	exchange    *open.Exchange
	engine      *ask.Asker
	interactive bool

	tracing string        // file that receives the trace of each question; empty for none
	trace   bytes.Buffer  // of the last question
	thread  string        // that questions are saved in; empty for none
	last    *state.Answer // nil before the first
	earlier []state.Exchange
	failed  bool // a question or command failed
	noted   bool // the note that the sample answers was printed
}

// Run runs a session until its input ends or /quit.
func Run(a *cli.App, cmd *cobra.Command, flags *config.Flags) (err error) {
	ctx := cmd.Context()
	settings, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	settings.InSession = true
	s := &session{App: a, Settings: settings, flags: flags, interactive: interactive(a)}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	if s.exchange, err = open.NewExchange(a, files, &settings); err != nil {
		return err
	}
	defer func() { err = cli.Also(err, s.exchange.Close()) }()
	if err := s.open(ctx, settings); err != nil {
		return err
	}
	defer func() { err = cli.Also(err, s.engine.Close()) }()
	lines := newLineReader(a, filepath.Join(settings.Home, "history"), func(line string) []string { return s.complete(ctx, line) })
	defer func() { err = cli.Also(err, lines.close()) }()
	if s.interactive {
		fmt.Fprintf(a.Stdout, "corpus %s, model %s; /help lists commands, Ctrl-D quits\n", s.engine.Corpus.Name(), s.ModelLabel())
	}
	if err := s.loop(ctx, lines); err != nil {
		return err
	}
	if s.failed && !s.interactive {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// open replaces the engine by one with other settings. On an error the old one stays.
func (s *session) open(ctx context.Context, settings config.Settings) error {
	e, err := ask.New(ctx, s.App, settings, config.Cassette{}, s.exchange)
	if err != nil {
		return err
	}
	old := s.engine
	s.engine, s.Settings = e, settings
	if e.IsSample() && !s.noted {
		s.noted = true
		s.Warn(open.SampleNote)
	}
	if old != nil {
		return old.Close()
	}
	return nil
}

func (s *session) loop(ctx context.Context, lines lineReader) error {
	failed, err := eachLine(ctx, s.App, lines, s.line)
	s.failed = s.failed || failed
	return err
}

// line handles one line: a command, small talk or a question.
func (s *session) line(ctx context.Context, line string) (quit bool, err error) {
	if name, ok := strings.CutPrefix(line, "/"); ok && !strings.Contains(line, "\n") {
		return s.command(ctx, strings.Fields(name))
	}
	if words, ok := talk.Reply(line, s.engine.Corpus); ok {
		if !s.interactive {
			fmt.Fprintf(s.Stdout, "> %s\n\n", render.Visible(line))
		}
		fmt.Fprintln(s.Stdout, render.Markdown(words, render.Options{Width: s.Stdout.Width, Colour: s.Stdout.Colour}))
		return false, nil
	}
	if cause, effect, ok := causal.AskedIn(line); ok {
		return false, s.verifyEdge(ctx, cause, effect)
	}
	return false, s.question(ctx, line)
}

// question answers one question.
func (s *session) question(ctx context.Context, text string) error {
	if err := cli.CheckQuestion(text, ask.AskExample); err != nil {
		return err
	}
	if !s.interactive {
		fmt.Fprintf(s.Stdout, "> %s\n\n", render.Visible(text))
	}
	return s.answer(ctx, ask.Question{Text: text, Thread: s.thread, Earlier: s.earlier})
}

// answer runs a question and prints its answer.
func (s *session) answer(ctx context.Context, q ask.Question) error {
	s.trace.Reset()
	follow := render.NewProgress(s.App, false)
	q.Trace, q.Copy, q.Timeout = s.tracing, &s.trace, s.flags.Timeout
	q.Observe = func(ev graph.Event[json.RawMessage]) {
		render.Observe(follow, ev)
		if ofLoop(ev) {
			follow.Clear()
			s.printLoop(ev.Name, ev.Data)
		}
	}
	answer, err := s.engine.Ask(ctx, q)
	follow.Close()
	s.last = &answer
	if e, ok := research.ExchangeOf(answer); ok && s.thread == "" { // a thread has its own
		s.earlier = append(s.earlier, e)
	}
	render.Proof(s.App, research.Proof(answer), true)
	fmt.Fprintln(s.Stdout)
	render.Warnings(s.App, answer)
	err = ask.Outcome(answer, err)
	if cli.IsSilent(err) {
		s.failed = s.failed || cli.ExitCode(err) == cli.ExitFailed
		return nil // the answer says it
	}
	return err
}
