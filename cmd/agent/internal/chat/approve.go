package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/react"
	"example.com/assay/state"
)

// writes are the tools that a person approves: they change what a later conversation
// finds.
var writes = map[string]bool{"remember": true, "forget": true}

// next takes a line of the person: the answer to a question about a call, or what they
// say to the model.
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

// ask shows the next call that a person decides about.
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

// proposal says what a call does and with what, an argument a line.
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

// waits is the end of a command whose model asks.
func (c *chat) waits() error {
	if c.thread == "" {
		c.Warn("the call was not made; with --thread NAME the conversation is kept, and the next agent chat --thread NAME can answer")
	} else {
		c.Warn("answer with: agent chat --thread %s", c.thread)
	}
	return cli.Silent(state.StatusInterrupted.ExitCode())
}
