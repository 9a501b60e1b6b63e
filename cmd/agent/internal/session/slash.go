package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/corpus"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/cmd/agent/internal/traceview"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/memory"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/research"
	"example.com/assay/serve/view"
)

// A slashCommand is a command of a session.
type slashCommand struct {
	name, args, help string
}

var slashCommands = []slashCommand{
	{"help", "", "list the commands"},
	{"corpus", "[NAME]", "show the corpora, or answer from another one"},
	{"model", "[NAME]", "show the models, or use another one"},
	{"thread", "[NAME | off]", "save the conversation under NAME and go on with it, or stop saving"},
	{"resume", "", "continue the thread's question that was stopped"},
	{"verify", "[on | off | claims | brief]", "check the claims of answers, or not; show each claim with its quotes, or not"},
	{"edge", "CAUSE => EFFECT", "check whether the corpus shows that the one causes the other; so does: does the evidence really show that X causes Y?"},
	{"trace", "[on FILE | off | show]", "write the trace of each question to FILE, stop that, or show the last trace"},
	{"graph", "", "draw the pipeline"},
	{"sources", "", "print the sources of the last answer with their texts"},
	{"open", "N", "open source N of the last answer at its place"},
	{"json", "", "print the last answer as JSON"},
	{"quit", "", "end the session, as Ctrl-D does"},
}

const keys = "Keys: Tab completes, Alt-Enter begins a new line, Ctrl-R searches the history,\nCtrl-C stops a question, twice it ends the session."

// command runs a slash command. Words are the command without its slash, and its arguments.
func (s *session) command(ctx context.Context, words []string) (quit bool, err error) {
	name, args := "", []string(nil)
	if len(words) > 0 {
		name, args = words[0], words[1:]
	}
	switch name {
	case "help":
		for _, c := range allCommands() {
			fmt.Fprintf(s.Stdout, "  %s\n      %s\n", strings.TrimSpace("/"+c.name+" "+c.args), c.help)
		}
		fmt.Fprintln(s.Stdout, "Anything else is a question; it may refer to the one before it.")
		fmt.Fprintln(s.Stdout, keys)
	case "corpus":
		return false, s.corpusSlash(ctx, args)
	case "model":
		return false, s.modelSlash(ctx, args)
	case "thread":
		return false, s.threadSlash(ctx, args)
	case "resume":
		return false, s.resumeSlash(ctx)
	case "verify":
		return false, s.verifySlash(ctx, args)
	case "edge":
		return false, s.edgeSlash(ctx, strings.Join(args, " "))
	case "trace":
		return false, s.traceSlash(args)
	case "graph":
		fmt.Fprint(s.Stdout, s.engine.Pipeline.Graph().Drawing().Expanded().Text())
	case "sources":
		return false, s.sourcesSlash()
	case "open":
		return false, s.openSlash(ctx, args)
	case "json":
		if s.last == nil {
			return false, cli.Usagef("nothing was asked yet")
		}
		s.PrintJSON(*s.last)
	case "quit":
		return true, nil
	default:
		for _, p := range slashPipelines() {
			if p.Name == name {
				return false, s.pipelineSlash(ctx, p, strings.Join(args, " "))
			}
		}
		var names []string
		for _, c := range allCommands() {
			names = append(names, c.name)
		}
		return false, cli.Usagef("unknown command /%s%s; /help lists the commands", name, text.DidYouMean(name, names))
	}
	return false, nil
}

func (s *session) corpusSlash(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return cli.Usagef("/corpus takes one name")
	}
	if len(args) == 0 {
		list, err := memory.List(s.Home)
		if err != nil {
			return err
		}
		corpus.Print(s.App, list)
		fmt.Fprintf(s.Stdout, "answering from %s\n", s.engine.Corpus.Name())
		return nil
	}
	next := s.Settings
	if err := config.CheckCorpus("/corpus", args[0]); err != nil {
		return err
	}
	next.Corpus = args[0]
	if err := s.open(ctx, next); err != nil {
		return err
	}
	s.earlier = nil
	fmt.Fprintf(s.Stdout, "answering from %s\n", s.engine.Corpus.Name())
	return nil
}

func (s *session) threadSlash(ctx context.Context, args []string) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("/thread takes one name")
	case len(args) == 0 && s.thread == "":
		fmt.Fprintln(s.Stdout, "the conversation is not saved; /thread NAME saves it")
		return nil
	case len(args) == 0:
		fmt.Fprintf(s.Stdout, "the conversation is saved under %s\n", s.thread)
		return nil
	case args[0] == "off":
		s.thread, s.earlier = "", nil
		fmt.Fprintln(s.Stdout, "a new conversation begins, and is not saved")
		return nil
	}
	if err := open.CheckThread("/thread", args[0]); err != nil {
		return err
	}
	next := s.Settings
	next.Saves = true
	saved := open.NewStore(next)
	of, err := saved.CorpusOf(ctx, args[0])
	saved.Close()
	if err != nil {
		return err
	}
	next.Corpus = cmp.Or(of, next.Corpus)
	if err := s.open(ctx, next); err != nil {
		return err
	}
	s.thread, s.earlier = args[0], nil
	info, err := open.InfoOf(ctx, s.engine.Threads, s.thread)
	switch {
	case errors.Is(err, graph.ErrNoCheckpoint):
		fmt.Fprintf(s.Stdout, "a new conversation is saved under %s\n", s.thread)
	case err != nil:
		return err
	default:
		fmt.Fprintf(s.Stdout, "going on after: %s\nanswering from %s\n", render.Visible(render.OneLine(info.Question)), s.engine.Corpus.Name())
	}
	return nil
}

func (s *session) resumeSlash(ctx context.Context) error {
	if s.thread == "" {
		return cli.Usagef("/resume continues a question of a thread: choose it with /thread NAME")
	}
	info, err := open.InfoOf(ctx, s.engine.Threads, s.thread)
	if err != nil {
		return err
	}
	return s.answer(ctx, ask.Question{Text: info.Question, Thread: s.thread, Resume: true})
}

func (s *session) modelSlash(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return cli.Usagef("/model takes one name")
	}
	if len(args) == 1 && s.exchange.File != "" {
		return cli.Usagef("/model cannot change the model while %s is recorded or replayed: a cassette belongs to one choice of models", s.exchange.File)
	}
	if len(args) == 1 {
		next := s.Settings
		if err := config.CheckModelName(s.App, "/model", args[0]); err != nil {
			return err
		}
		next.Model, next.SkillModels = args[0], nil
		if err := s.open(ctx, next); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.Stdout, "using %s; known: %s\n", s.ModelLabel(), strings.Join(config.ModelNames(s.App), ", "))
	return nil
}

func (s *session) verifySlash(ctx context.Context, args []string) error {
	next := s.Settings
	switch strings.Join(args, " ") {
	case "":
	case "on":
		next.Verification.Enabled = true
	case "off":
		next.Verification.Enabled = false
	case "claims":
		next.Verification.Enabled, next.Verification.ShowClaims = true, true
	case "brief":
		next.Verification.ShowClaims = false
	default:
		return cli.Usagef("/verify needs: on, off, claims, or brief")
	}
	if was := s.Verification; next.Verification.Enabled != was.Enabled || next.Verification.ShowClaims != was.ShowClaims {
		if err := s.open(ctx, next); err != nil {
			return err
		}
	}
	switch {
	case !s.Verification.Enabled:
		fmt.Fprintln(s.Stdout, "the claims of answers are not checked")
	case s.Verification.ShowClaims:
		fmt.Fprintln(s.Stdout, "the claims of answers are checked, and shown with their quotes")
	default:
		fmt.Fprintln(s.Stdout, "the claims of answers are checked; /verify claims shows them")
	}
	return nil
}

func (s *session) traceSlash(args []string) error {
	switch {
	case len(args) == 0 && s.tracing == "":
		fmt.Fprintln(s.Stdout, "no trace is written; /trace on FILE writes one, /trace show prints the last run")
	case len(args) == 0:
		fmt.Fprintf(s.Stdout, "the trace of each question is written to %s\n", s.tracing)
	case len(args) == 2 && args[0] == "on":
		s.tracing = args[1]
		fmt.Fprintf(s.Stdout, "the trace of each question replaces %s\n", s.tracing)
	case len(args) == 1 && args[0] == "off":
		s.tracing = ""
		fmt.Fprintln(s.Stdout, "no further traces are written")
	case len(args) == 1 && args[0] == "show":
		return s.showTrace()
	default:
		return cli.Usagef("/trace needs: on FILE, off, or show")
	}
	return nil
}

func (s *session) showTrace() error {
	if s.trace.Len() == 0 {
		return cli.Usagef("nothing was asked yet")
	}
	records, err := trace.Read(bytes.NewReader(s.trace.Bytes()))
	if err != nil {
		return err
	}
	run, err := view.New(records)
	if err != nil {
		return err
	}
	fmt.Fprint(s.Stdout, traceview.Text(run, traceview.TextOptions{Colour: s.Stdout.Colour}))
	return nil
}

func (s *session) openSlash(ctx context.Context, args []string) error {
	if len(args) != 1 || s.last == nil {
		return cli.Usagef("/open takes the number of a source of the last answer")
	}
	source, err := ask.SourceNumbered(s.last.Sources, args[0])
	if err != nil {
		return err
	}
	return ask.OpenSource(ctx, s.App, source)
}

func (s *session) sourcesSlash() error {
	if s.last == nil || len(s.last.Sources) == 0 {
		return cli.Usagef("the last answer has no sources, or nothing was asked yet")
	}
	shown := research.Proof(*s.last)
	for i, source := range s.last.Sources {
		if i > 0 {
			fmt.Fprintln(s.Stdout)
		}
		fmt.Fprint(s.Stdout, render.Source(shown, i, s.Stdout.Colour))
		quoted := slices.Collect(strings.Lines(render.Visible(source.Text)))
		fmt.Fprintf(s.Stdout, "    %s\n", strings.Join(quoted, "    "))
	}
	return nil
}
