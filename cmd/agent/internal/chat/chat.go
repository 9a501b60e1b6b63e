package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/assistant"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/converse"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/cmd/agent/internal/session"
	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/store"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/mcp"
	"example.com/assay/nodes/react"
	"example.com/assay/state"
)

// A chat is one run of agent chat: a conversation on one thread.
type chat struct {
	*cli.App
	desk     *open.Desk
	app      *graph.Compiled[react.State]
	thread   string
	timeout  time.Duration
	question string                   // of this turn, as the list of threads shows it
	code     int                      // the exit code of the last answer: not 0 if something in it is not proved
	asked    []graph.PendingInterrupt // calls that wait for a person's decisions
	decided  []react.Decision         // about the first calls of asked[0]
	answers  []graph.Answer           // to earlier interrupts
	warnings []string                 // of this turn
}

// events are the events of a run.
type events iter.Seq2[graph.Event[react.State], error]

func run(a *cli.App, cmd *cobra.Command, flags *config.Flags, names []string, schema, thread, question string) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	if s.Model == offline.Name && files.Replay == "" && !slices.Contains(names, toolPipelines) {
		return cli.Usagef("the model %s calls no tools but %s: add it to --tools, or choose another model with --model", offline.Name, toolPipelines)
	}
	if cmd.Flags().Changed("thread") {
		if err := open.CheckThread("--thread", thread); err != nil {
			return err
		}
	}
	d, err := open.New(ctx, a, s, files, open.Want{Corpus: open.Corpus, Threads: thread != "", Spans: true})
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, d.Close()) }()
	var notes open.Notes
	if slices.Contains(names, toolMemory) {
		if notes, err = d.Exchange.Store.Notes(ctx); err != nil {
			return err
		}
		defer func() { err = cli.Also(err, notes.Close()) }()
	}
	c := &chat{App: a, desk: d, thread: thread, timeout: flags.Timeout}
	if c.app, err = compile(ctx, d, names, schema, notes); err != nil {
		return err
	}
	if thread != "" { // what an earlier command left open
		at, err := c.app.State(ctx, graph.Key{Thread: thread})
		if err == nil {
			c.asked, c.question = at.Interrupts, at.Metadata[open.ThreadQuestion]
		} else if !errors.Is(err, graph.ErrNoCheckpoint) {
			return err
		}
	}
	if question != "" {
		if err := cli.CheckQuestion(question, example); err != nil {
			return err
		}
		if len(c.asked) > 0 {
			return cli.Usagef("the conversation %q waits for an answer about a call: begin agent chat --thread %s without a question", thread, thread)
		}
		if err := c.turn(ctx, question); err != nil {
			return err
		}
		switch {
		case len(c.asked) > 0:
			return c.waits()
		case c.code != 0:
			return cli.Silent(c.code)
		}
		return nil
	}
	if len(c.asked) > 0 {
		if err := c.ask(); err != nil {
			return err
		}
	}
	if err := session.EachLine(ctx, a, s.Home, c.next); err != nil {
		return err
	}
	if len(c.asked) > 0 {
		return c.waits()
	}
	return nil
}

// compile makes the agent's graph.
func compile(ctx context.Context, d *open.Desk, names []string, schema string, notes store.Store) (*graph.Compiled[react.State], error) {
	list, err := tools(ctx, d, names, schema, notes)
	if err != nil {
		return nil, err
	}
	g, err := assistant.Graph(ctx, converse.Desk{Desk: d}, list, slices.Contains(names, toolPipelines))
	if err != nil {
		return nil, err
	}
	opts := &graph.CompileOptions{Name: assistant.Name, Checkpointer: memory.New(), Version: assistant.Version, Migrate: react.Migrate} // lost when the program ends
	if d.Threads != nil {
		opts.Checkpointer = d.Threads
	}
	return g.Compile(opts)
}

// turn answers one question.
func (c *chat) turn(ctx context.Context, text string) error {
	c.question = llm.Cut(open.Printable(text), open.MaxThreadQuestion)
	opts := c.options()
	return c.follow(ctx, func(ctx context.Context) events { return events(c.app.Stream(ctx, react.Say(text), opts)) })
}

func (c *chat) options() *graph.RunOptions {
	opts := &graph.RunOptions{Thread: cmp.Or(c.thread, "chat"), Modes: graph.Debug | graph.Values, Metadata: map[string]string{open.ThreadQuestion: c.question}}
	if corpus := c.desk.Corpus; corpus != nil {
		opts.Metadata[open.ThreadCorpus], opts.Metadata[open.ThreadFingerprint] = corpus.Name(), corpus.Fingerprint()
	}
	return opts
}

// follow shows a run until it has an answer, or asks the person about a call.
func (c *chat) follow(ctx context.Context, begin func(context.Context) events) error {
	ctx, cancel := cli.Within(ctx, c.timeout)
	defer cancel()
	progress := render.NewProgress(c.App, false)
	c.desk.Exchange.Controls.Budget().Reset()
	c.warnings = nil
	var final react.State
	for ev, err := range begin(ctx) {
		if asked, is := errors.AsType[*graph.InterruptedError](err); is {
			progress.Close()
			c.asked = asked.Pending
			return c.ask()
		}
		if err != nil {
			progress.Close()
			return err
		}
		render.Observe(progress, ev)
		c.note(ev)
		if ev.Kind == graph.RunEnd && ev.Namespace == "" {
			final = ev.State
		}
	}
	progress.Close()
	for _, w := range c.warnings {
		c.Warn("%s", w)
	}
	return c.show(final)
}

// note keeps a warning when a result of an MCP server reads like prompt injection.
func (c *chat) note(ev graph.Event[react.State]) {
	if ev.Kind != graph.NodeCustom || ev.Name != mcp.EventResult {
		return
	}
	var r mcp.ResultEvent
	if err := json.Unmarshal(ev.Data, &r); err == nil && len(r.Orders) > 0 { // the event is this program's
		c.warnings = append(c.warnings, mcp.Warning(r.Server, r.Tool, r.Orders))
	}
}

// show prints an answer, and how many of its statements are supported.
func (c *chat) show(final react.State) error {
	answer := react.Answer(final)
	if answer == "" {
		return fmt.Errorf("%w: %s", react.ErrNoAnswer, final.Ended)
	}
	fmt.Fprint(c.Stdout, render.Markdown(answer, render.Options{Width: c.Stdout.Width, Colour: c.Stdout.Colour}))
	said := final.Messages[len(final.Messages)-1]
	check := said.Check
	if check == nil {
		var by assistant.Proved
		if err := json.Unmarshal(said.Metadata, &by); err != nil || by.Pipeline == "" {
			return errors.New("the answer was not judged")
		}
		c.code = by.Status.ExitCode()
		return nil
	}
	if c.code = 0; check.ClaimsSupported+check.ClaimsPartial < check.ClaimsChecked {
		c.code = state.StatusUngrounded.ExitCode()
	}
	switch {
	case check.ClaimsChecked == 0:
		fmt.Fprintln(c.Stdout, "nothing was checked: the answer states no fact")
	default:
		fmt.Fprintf(c.Stdout, "%d of %s supported by what the tools returned", check.ClaimsSupported, cli.Count(check.ClaimsChecked, "statement"))
		if check.ClaimsPartial > 0 {
			fmt.Fprintf(c.Stdout, ", %d partially", check.ClaimsPartial)
		}
		fmt.Fprintln(c.Stdout)
	}
	return nil
}

// next takes a line that the person typed: a decision about a call, or a message to the model.
func (c *chat) next(ctx context.Context, line string) error {
	if len(c.asked) == 0 {
		return c.turn(ctx, line)
	}
	answer, err := decision(line)
	if err != nil {
		return err
	}
	q, err := c.request()
	if err != nil {
		return err
	}
	if c.decided = append(c.decided, answer); len(c.decided) < len(q.Actions) {
		return c.ask()
	}
	c.answers = append(c.answers, graph.ReplyTo(c.asked[0].ID, react.Decide(c.decided...)))
	c.decided = nil
	if c.asked = c.asked[1:]; len(c.asked) > 0 {
		return c.ask()
	}
	opts := c.options()
	opts.Resume, c.answers = c.answers, nil
	return c.follow(ctx, func(ctx context.Context) events { return events(c.app.StreamResume(ctx, nil, opts)) })
}

// request returns what the model asks for.
func (c *chat) request() (q react.HITLRequest, err error) {
	if err := json.Unmarshal(c.asked[0].Payload, &q); err != nil {
		return q, fmt.Errorf("reading what the model asks for: %w", err)
	}
	if len(q.Actions) <= len(c.decided) {
		return q, fmt.Errorf("the conversation waits for an answer that is not about calls: %s", llm.Cut(string(c.asked[0].Payload), 200))
	}
	return q, nil
}

// ask shows the next call that waits for the person's decision.
func (c *chat) ask() error {
	q, err := c.request()
	if err != nil {
		return err
	}
	call := q.Actions[len(c.decided)]
	if call.Problem != "" {
		c.Warn("%s", call.Problem)
	}
	fmt.Fprint(c.Stdout, cli.Visible(proposal(call)))
	fmt.Fprintln(c.Stdout, "y: yes · a: yes, and do not ask again here · n REASON: no · e JSON: yes, with these arguments")
	return nil
}

// proposal describes a call, with one argument on each line.
func proposal(q react.ActionRequest) string {
	out := "The model wants to call " + q.Name
	if what := strings.Join(strings.Fields(q.Description), " "); what != "" {
		out += ": " + llm.Cut(what, 500)
	}
	var arguments map[string]json.RawMessage
	if json.Unmarshal(q.Args, &arguments) != nil {
		return fmt.Sprintf("%s\n  %s\n", out, q.Args)
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value := string(arguments[name])
		var text string
		if json.Unmarshal(arguments[name], &text) == nil {
			value = strings.ReplaceAll(text, "\n", "\n    ")
		}
		out += fmt.Sprintf("\n  %s: %s", name, value)
	}
	return out + "\n"
}

// decision reads a person's answer.
func decision(line string) (react.Decision, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "y", "yes":
		return react.Decision{Type: react.Approve}, nil
	case "a", "always":
		return react.Decision{Type: react.Approve, Always: true}, nil
	case "n", "no":
		return react.Decision{Type: react.Reject, Message: rest}, nil
	case "e", "edit":
		if !json.Valid([]byte(rest)) {
			return react.Decision{}, fmt.Errorf("%q is not JSON: write e and the arguments, such as e {\"text\": \"…\"}", rest)
		}
		return react.Decision{Type: react.Edit, Edited: &react.EditedAction{Args: json.RawMessage(rest)}}, nil
	}
	return react.Decision{}, fmt.Errorf("the model waits for an answer: y, a, n or e, and not %q", word)
}

// waits ends the command while a call waits for a decision.
func (c *chat) waits() error {
	if c.thread == "" {
		c.Warn("the call was not made; with --thread NAME the conversation is kept, and the next agent chat --thread NAME can answer")
	} else {
		c.Warn("answer with: agent chat --thread %s", c.thread)
	}
	return cli.Silent(state.StatusInterrupted.ExitCode())
}
