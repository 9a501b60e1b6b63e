// Package session is agent without a verb: an interactive session in which each line is a question
// or a command such as /corpus. From a pipe it reads the same lines.
//
//	if err := session.EachLine(ctx, a, home, answer); err != nil {
//		return err
//	}
//
// It answers by package ask, and keeps only the history of typed lines.
package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/general"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/cmd/agent/internal/talk"
	"example.com/assay/graph"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// A session answers one question after another.
type session struct {
	*cli.App
	config.Settings
	flags       *config.Flags
	exchange    *open.Exchange
	engine      *ask.Asker
	interactive bool

	tracing string        // file that receives the trace of each question; empty for none
	trace   bytes.Buffer  // the trace of the last question
	thread  string        // the thread in which questions are saved; empty for none
	last    *state.Answer // nil before the first answer
	earlier []state.Exchange
	failed  bool // a question or command failed
	noted   bool // the note about the sample was printed
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
	failed, err := eachLine(ctx, a, lines, s.line)
	if err != nil {
		return err
	}
	if (failed || s.failed) && !s.interactive {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// open replaces the engine with one for other settings. After an error the old engine stays.
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
		return nil // the answer says why
	}
	return err
}

// slashPipelines are the pipelines with a command in a session. They need only a short message, and
// no other command has their name.
func slashPipelines() []open.Pipeline {
	return slices.DeleteFunc(open.Pipelines(), func(p open.Pipeline) bool {
		taken := slices.ContainsFunc(slashCommands, func(c slashCommand) bool { return c.name == p.Name })
		chosen := slices.ContainsFunc(p.Settings, func(f pipeline.Field) bool { return f.Needed })
		return p.Name == open.Usual || p.Message.File || taken || chosen
	})
}

// allCommands are the commands of a session; the commands of pipelines come last.
func allCommands() []slashCommand {
	all := slices.Clone(slashCommands)
	for _, p := range slashPipelines() {
		all = append(all, slashCommand{p.Name, strings.ToUpper(p.Message.Name), p.Does})
	}
	return all
}

// pipelineSlash asks a pipeline once, on the session's corpus.
func (s *session) pipelineSlash(ctx context.Context, p open.Pipeline, text string) error {
	if strings.TrimSpace(text) == "" {
		return cli.Usagef("/%s needs %s: %s", p.Name, strings.ToUpper(p.Message.Name), p.Message.Help)
	}
	line := render.NewProgress(s.App, false)
	answer, err := general.Answer(ctx, s.engine.Desk, p, conversation.Turn{Text: text}, nil, s.tracing, func(ev graph.Event[json.RawMessage]) { render.Observe(line, ev) })
	line.Close()
	if answer == nil || err != nil {
		return err
	}
	if err := general.Print(s.App, p, answer); err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout)
	render.Warnings(s.App, *answer.Common())
	return nil
}

func (s *session) edgeSlash(ctx context.Context, text string) error {
	cause, effect, ok := strings.Cut(text, "=>")
	cause, effect = strings.TrimSpace(cause), strings.TrimSpace(effect)
	if !ok || cause == "" || effect == "" {
		return cli.Usagef("/edge needs: CAUSE => EFFECT")
	}
	return s.verifyEdge(ctx, cause, effect)
}

// verifyEdge verifies one edge, and prints queries, verdicts and quotes as they are published.
func (s *session) verifyEdge(ctx context.Context, cause, effect string) error {
	if !s.interactive {
		fmt.Fprintf(s.Stdout, "> %s => %s\n\n", render.OneLine(cause), render.OneLine(effect))
	}
	p, err := s.engine.Edges()
	if err != nil {
		return err
	}
	in := causal.Input(causal.Asked(causal.VerifyArguments{Cause: cause, Effect: effect}))
	final, _, err := follow.Run(ctx, p.Graph(), in, &follow.Options[causal.State]{Observe: func(ev graph.Event[causal.State]) {
		if ofLoop(ev) {
			s.printLoop(ev.Name, ev.Data)
		}
	}})
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	if end := causal.End(final, nil); end.Status == state.StatusUnavailable {
		return cli.EndError{End: end}
	}
	e := final.Edges[0]
	verdict := fmt.Sprintf("grounded, confidence %.2f: the corpus shows that %s causes %s.", e.Confidence, e.FromVar, e.ToVar)
	if e.Status != causal.EdgeGrounded {
		verdict = fmt.Sprintf("not grounded, confidence %.2f (%s): %s", e.Confidence, e.Rejection.Reason, e.Rejection.Detail)
	}
	fmt.Fprintf(s.Stdout, "%s\n\n", render.Visible(render.OneLine(verdict)))
	return nil
}

// ofLoop reports whether the verification of an edge published an event, in whatever graph it runs.
func ofLoop[S any](ev graph.Event[S]) bool {
	return ev.Kind == graph.NodeCustom && slices.Contains([]string{causal.NodeRetrieve, causal.NodeRoute, causal.NodeDevil}, ev.Node)
}

// printLoop prints an event of the verification of an edge.
func (s *session) printLoop(name string, data json.RawMessage) {
	switch name {
	case event.Retrieval:
		var r event.EdgeSearch
		if err := json.Unmarshal(data, &r); err != nil {
			s.Warn("reading what was searched: %v", err)
			return
		}
		fmt.Fprintf(s.Stdout, "%d %s: %s: %s\n", r.Iteration, r.Side, render.Visible(render.OneLine(strings.Join(r.Queries, " | "))), cli.Count(len(r.Hits), "passage"))
	case event.Verdict:
		var a state.AuditEntry
		if err := json.Unmarshal(data, &a); err != nil {
			s.Warn("reading a verdict: %v", err)
			return
		}
		line := fmt.Sprintf("%d %s: %s, confidence %.2f → %s", a.Iteration, a.Node, a.Verdict.SupportType, a.Verdict.Confidence, a.Decision)
		if a.Note != "" {
			line += " (" + a.Note + ")"
		}
		fmt.Fprintln(s.Stdout, render.Visible(render.OneLine(line)))
		if q := a.Verdict.SupportingQuote; q != "" && a.Counts && a.Objection == nil {
			fmt.Fprintf(s.Stdout, "    “%s”\n", render.Visible(render.OneLine(q)))
		}
		if a.Objection != nil {
			for _, other := range a.Objection.AlternativeExplanations {
				fmt.Fprintf(s.Stdout, "    or: %s\n", render.Visible(render.OneLine(other)))
			}
		}
	}
}
