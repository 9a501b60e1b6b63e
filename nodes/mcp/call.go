package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/graph"
	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
)

// Names of a call's custom events. Their times are those of the call.
const (
	EventCall   = "mcp_call"   // published before a call is made or refused
	EventResult = "mcp_result" // published after the call
)

// CallEvent is the payload of an "mcp_call" event.
type CallEvent struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // above 16 KiB a string with their beginning
}

// ResultEvent is the payload of an "mcp_result" event. It does not hold the result.
type ResultEvent struct {
	Server string   `json:"server"`
	Tool   string   `json:"tool"`
	OK     bool     `json:"ok"`
	Bytes  int      `json:"bytes"`            // of the result, text and structured content together
	Orders []string `json:"orders,omitempty"` // kinds of prompt injection in it
	Error  string   `json:"error,omitempty"`  // at most 300 bytes
}

// Warning returns the warning for a person about prompt injection in a result.
func Warning(server, tool string, kinds []string) string {
	return fmt.Sprintf("what the tool %s of the server %s returned reads as an order to an assistant (%s): it was shown as data; check the answer before you rely on it", tool, server, strings.Join(kinds, ", "))
}

const (
	maxShownArguments = 16 << 10
	maxErrorText      = 300
)

// A Result is a tool's result. It is data from a foreign server.
type Result struct {
	Text       string
	Structured json.RawMessage // fits the tool's output schema, if it has one; else nil
	// Orders are the kinds of prompt injection in the result.
	Orders []string
}

// bytes is the size of the result.
func (r Result) bytes() int { return len(r.Text) + len(r.Structured) }

// Call calls a tool with a JSON object. An error of the server or its tool is a *CallError; a call
// beyond the run's budget is an *llm.BudgetError.
func (s *Session) Call(ctx context.Context, tool string, arguments json.RawMessage) (Result, error) {
	d, err := s.definition(tool)
	if err != nil {
		return Result{}, err
	}
	arguments, err = llm.CheckArguments(llm.Tool{Parameters: d.Input}, arguments)
	if err != nil {
		return Result{}, fmt.Errorf("calling the tool %q of the server %q: %w", tool, s.server.Name, err)
	}
	shown := arguments
	if len(shown) > maxShownArguments {
		if shown, err = plainjson.Encode(llm.Cut(string(shown), maxShownArguments)); err != nil {
			return Result{}, fmt.Errorf("encoding arguments for the trace: %w", err)
		}
	}
	if err := graph.Emit(ctx, EventCall, CallEvent{s.server.Name, tool, shown}); err != nil {
		return Result{}, err
	}
	result, err := s.call(ctx, d, arguments)
	event := ResultEvent{Server: s.server.Name, Tool: tool, OK: err == nil, Bytes: result.bytes(), Orders: result.Orders}
	if err != nil {
		event.Error = llm.Cut(err.Error(), maxErrorText)
	}
	return result, errors.Join(err, graph.Emit(ctx, EventResult, event))
}

// definition returns the definition of a tool that may be called.
func (s *Session) definition(tool string) (Definition, error) {
	at := slices.IndexFunc(s.tools, func(d Definition) bool { return d.Name == tool })
	if at < 0 {
		return Definition{}, &CallError{Server: s.server.Name, What: fmt.Sprintf("the tool %q is not among those that may be called: %s", tool, strings.Join(names(s.tools), ", "))}
	}
	return s.tools[at], nil
}

// call makes a call with checked arguments.
func (s *Session) call(ctx context.Context, d Definition, arguments json.RawMessage) (Result, error) {
	if err := s.opts.Budget.Tool(ctx); err != nil {
		return Result{}, err
	}
	params, err := plainjson.Encode(sdk.CallToolParams{Name: d.Name, Arguments: arguments})
	if err != nil {
		return Result{}, fmt.Errorf("encoding a call: %w", err)
	}
	out, err := s.ask(ctx, d.Name, "tools/call", params, func(ctx context.Context, l *link) (outcome, error) {
		got, err := l.session.CallTool(ctx, &sdk.CallToolParams{Name: d.Name, Arguments: arguments})
		if err != nil {
			return outcome{}, err
		}
		return s.outcomeOf(d.Name, got)
	})
	if err != nil {
		return Result{}, err
	}
	r := Result{Text: out.Text, Structured: out.Structured}
	if err := d.promised(r); err != nil {
		return Result{}, &CallError{Server: s.server.Name, Tool: d.Name, What: err.Error() + ": it is not believed; report it to who makes the server"}
	}
	r.Orders = s.opts.Inspect.Kinds(r.Text + "\n" + strings.Join(texts(r.Structured), "\n"))
	return r, nil
}

// promised checks a result against the tool's definition.
func (d Definition) promised(r Result) error {
	switch {
	case len(d.Output) == 0:
		return nil
	case len(r.Structured) == 0:
		return errors.New("its result lacks the structured content that it promised")
	}
	if err := llm.Fits(d.Output, r.Structured); err != nil {
		return fmt.Errorf("its result does not fit the schema that it listed (%w)", err)
	}
	return nil
}

// outcomeOf returns a server's result, if it is within the limits.
func (s *Session) outcomeOf(tool string, got *sdk.CallToolResult) (outcome, error) {
	failure := func(what, words string) (outcome, error) {
		return outcome{}, &CallError{Server: s.server.Name, Tool: tool, What: what, Said: Printable(words)}
	}
	hide := s.server.hide()
	if got.NeedsInput() || len(got.InputRequests) > 0 {
		return failure("it asks for an answer of a model, folders or input of a person, which it does not get: call it with everything that it needs", "")
	}
	out := outcome{Text: hide(strings.ToValidUTF8(textOf(got.Content), "\uFFFD"))}
	if got.StructuredContent != nil {
		var err error
		if out.Structured, err = plainjson.Encode(got.StructuredContent); err != nil {
			return out, fmt.Errorf("encoding a result: %w", err)
		}
		out.Structured = json.RawMessage(hide(string(out.Structured)))
	}
	if got.IsError {
		return failure("the tool failed", out.Text)
	}
	if n := len(out.Text) + len(out.Structured); n > s.server.MaxOutput {
		return failure(fmt.Sprintf("its result has %d bytes, more than %d: ask for less, or allow more", n, s.server.MaxOutput), "")
	}
	return out, nil
}

// textOf returns the text of a content, with notes about parts that are left out.
func textOf(list []sdk.Content) string {
	var parts []string
	for _, c := range list {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			parts = append(parts, fmt.Sprintf("(an image of %d bytes was left out)", len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("(a recording of %d bytes was left out)", len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, fmt.Sprintf("(a link to %s: %s)", Printable(c.Name), Printable(c.URI)))
		case *sdk.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Text != "":
				parts = append(parts, c.Resource.Text)
			default:
				parts = append(parts, fmt.Sprintf("(a file of %d bytes was left out)", len(c.Resource.Blob)))
			}
		default:
			parts = append(parts, "(a content of an unknown kind was left out)")
		}
	}
	return strings.Join(parts, "\n")
}

// texts returns the strings in a JSON value, in order.
func texts(value json.RawMessage) []string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return nil
	}
	return stringsOf(nil, v)
}
