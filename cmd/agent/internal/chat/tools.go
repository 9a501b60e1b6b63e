package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// The values of --tools.
const (
	toolCorpus  = "corpus"
	toolVerify  = "verify"
	toolExtract = "extract"
	toolMemory  = "memory"
	toolServers = config.KeyServers
)

var toolNames = []string{toolCorpus, toolVerify, toolExtract, toolMemory, toolServers}

// chosen reads --tools.
func chosen(list, schema string) ([]string, error) {
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(toolNames, name) {
			return nil, cli.Usagef("--tools names %q%s; there are: %s", name, text.DidYouMean(name, toolNames), strings.Join(toolNames, ", "))
		}
	}
	if slices.Contains(names, toolExtract) != (schema != "") {
		return nil, cli.Usagef("--tools extract and --schema FILE go together: the schema says which fields there are")
	}
	return names, nil
}

// tools makes the chosen tools. The tool memory keeps its notes in notes.
func tools(ctx context.Context, d *open.Desk, names []string, schema string, notes store.Store) ([]react.Tool, error) {
	var out []react.Tool
	for _, name := range names {
		list, err := make([]react.Tool, 1), error(nil)
		switch name {
		case toolCorpus:
			list[0], err = react.Search("search_documents", "Searches the person's documents and returns passages word for word.", d.Corpus)
		case toolVerify:
			list[0].Callable, err = verifyTool(d)
		case toolExtract:
			list[0].Callable, err = extractTool(d, schema)
		case toolMemory:
			list, err = react.Memory(notes, open.NotesOf, nil)
			for i := range list {
				if writes[list[i].Tool().Name] {
					list[i].Approve = react.Always
				}
			}
		case toolServers:
			list, err = serverTools(ctx, d)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// serverTools returns the tools of the configured MCP servers. A person approves each call of a
// tool under ask. Results have no limit: they stand between marks, which a cut would break.
func serverTools(ctx context.Context, d *open.Desk) ([]react.Tool, error) {
	if len(d.Servers) == 0 {
		return nil, cli.Usagef("--tools names %s, and the configuration has no servers: add a section %s, see agent doctor --init", toolServers, config.KeyServers)
	}
	sessions, err := d.Exchange.Sessions(ctx, d.Settings)
	if err != nil {
		return nil, err
	}
	var out []react.Tool
	for _, session := range sessions {
		server := d.Servers[session.Server()]
		for i, name := range slices.Concat(server.Tools, server.Ask) {
			tool, err := session.Tool(name)
			if err != nil {
				return nil, err
			}
			t := react.Tool{Callable: tool, Limit: -1}
			if i >= len(server.Tools) {
				t.Approve = react.Always
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// judged is a statement as the tool verify returns it.
type judged struct {
	Statement string   `json:"statement"`
	Status    string   `json:"status"`
	Why       string   `json:"why,omitempty"`
	Quotes    []string `json:"quotes,omitempty"`
}

func verifyTool(d *open.Desk) (llm.Callable, error) {
	p, err := d.Verify()
	if err != nil {
		return nil, err
	}
	return llm.NewTool("verify_text", "Says of each statement of a text whether the person's documents support it.", func(ctx context.Context, in struct {
		Text string `json:"text" jsonschema:"the text to check"`
	}) ([]judged, error) {
		if strings.TrimSpace(in.Text) == "" {
			return nil, errors.New("the text is empty")
		}
		final, err := p.Run(ctx, verify.Input{Response: in.Text}, nil)
		if err != nil {
			return nil, err
		}
		var out []judged
		for _, c := range verify.Check(final).Claims {
			j := judged{Statement: c.Claim, Status: string(c.Status), Quotes: quoted(c.Evidence)}
			if c.Status != state.Supported {
				j.Why = c.Reasoning
			}
			out = append(out, j)
		}
		return out, nil
	})
}

func quoted(quotes []state.Quote) []string {
	var out []string
	for _, q := range quotes {
		out = append(out, q.Text)
	}
	return out
}

func extractTool(d *open.Desk, path string) (llm.Callable, error) {
	schema, _, err := open.Schema(path)
	if err != nil {
		return nil, err
	}
	p, err := d.Extract(schema, nil)
	if err != nil {
		return nil, err
	}
	return llm.NewTool("extract_fields", "Reads the fields of the person's schema from a text.", func(ctx context.Context, in struct {
		Text string `json:"text" jsonschema:"the text that holds the fields"`
	}) (json.RawMessage, error) {
		final, err := p.Run(ctx, extract.FieldDocument{Text: in.Text}, nil)
		if err != nil {
			return nil, err
		}
		best, found := final.Best()
		if !found {
			return nil, errors.New("no field was found")
		}
		return plainjson.Encode(best.Values)
	})
}

// writes are the tools of memory whose calls a person approves: they change what a later
// conversation finds.
var writes = map[string]bool{"remember": true, "forget": true}

// next takes a line that the person typed: a decision about a call, or a message to the model.
func (c *chat) next(ctx context.Context, line string) error {
	if len(c.asked) == 0 {
		return c.turn(ctx, line)
	}
	answer, err := decision(line)
	if err != nil {
		return err
	}
	c.answers = append(c.answers, graph.ReplyTo(c.asked[0].ID, answer))
	if c.asked = c.asked[1:]; len(c.asked) > 0 {
		return c.ask()
	}
	opts := c.options()
	opts.Resume, c.answers = c.answers, nil
	return c.follow(ctx, func(ctx context.Context) events { return events(c.app.StreamResume(ctx, nil, opts)) })
}

// ask shows the next call that waits for the person's decision.
func (c *chat) ask() error {
	var q react.Question
	if err := json.Unmarshal(c.asked[0].Payload, &q); err != nil {
		return fmt.Errorf("reading what the model asks for: %w", err)
	}
	if q.Problem != "" {
		c.Warn("%s", q.Problem)
	}
	fmt.Fprint(c.Stdout, cli.Visible(proposal(q)))
	fmt.Fprintln(c.Stdout, "y: yes · a: yes, and do not ask again here · n REASON: no · e JSON: yes, with these arguments")
	return nil
}

// proposal describes a call, with one argument on each line.
func proposal(q react.Question) string {
	out := "The model wants to call " + q.Tool
	if what := strings.Join(strings.Fields(q.Description), " "); what != "" {
		out += ": " + llm.Cut(what, 300)
	}
	var arguments map[string]json.RawMessage
	if json.Unmarshal(q.Arguments, &arguments) != nil {
		return fmt.Sprintf("%s\n  %s\n", out, q.Arguments)
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value := string(arguments[name])
		var text string
		if json.Unmarshal(arguments[name], &text) == nil {
			value = strings.ReplaceAll(text, "\n", "\n    ")
		}
		out += fmt.Sprintf("\n  %s: %s", name, value)
	}
	if q.Why != "" {
		out += "\n  why you are asked: " + q.Why
	}
	return out + "\n"
}

// decision reads a person's answer.
func decision(line string) (react.Approval, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "y", "yes":
		return react.Approval{Decision: react.Approve}, nil
	case "a", "always":
		return react.Approval{Decision: react.Approve, Always: true}, nil
	case "n", "no":
		return react.Approval{Decision: react.Reject, Text: rest}, nil
	case "e", "edit":
		if !json.Valid([]byte(rest)) {
			return react.Approval{}, fmt.Errorf("%q is not JSON: write e and the arguments, such as e {\"text\": \"…\"}", rest)
		}
		return react.Approval{Decision: react.Edit, Arguments: json.RawMessage(rest)}, nil
	}
	return react.Approval{}, fmt.Errorf("the model waits for an answer: y, a, n or e, and not %q", word)
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
