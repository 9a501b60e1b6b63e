package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// EventToolCall is the name of the custom event that each call of a tool
// publishes.
const EventToolCall = "tool_call"

// ToolEvent is the payload of a "tool_call" event. It holds neither arguments
// nor result.
type ToolEvent struct {
	Skill         string `json:"skill,omitempty"`
	Tool          string `json:"tool"`
	Round         int    `json:"round"` // 1 for the first
	ArgumentChars int    `json:"argument_chars"`
	ResultChars   int    `json:"result_chars"`
	OK            bool   `json:"ok"`
	Error         string `json:"error,omitempty"` // at most 300 bytes
}

// DefaultRounds is how often Converse answers a model's calls by default.
const DefaultRounds = 8

// ConverseOptions adjusts Converse. Nil and the zero value mean the defaults.
type ConverseOptions struct {
	// MaxRounds is how many responses with calls are answered. Default
	// DefaultRounds.
	MaxRounds int
}

// A RoundsError says that a model wished to call tools once more after the
// last round.
type RoundsError struct {
	Rounds int
	Tools  []string // what it wished to call, in its order
}

func (e *RoundsError) Error() string {
	return fmt.Sprintf("the model gave no answer in %d rounds of tool calls and wishes to call %s: allow more rounds, or give it tools that answer sooner", e.Rounds, strings.Join(e.Tools, ", "))
}

// A Conversation is what Converse and the model said.
type Conversation struct {
	Response Response         // the answer: a response without calls; empty beside an error
	Messages []Message        // those of the request, then all that followed, the answer included
	Usage    state.ModelUsage // of all calls of the model
	Rounds   int              // responses whose calls were answered
}

// maxToolError bounds what a model is told of an error.
const maxToolError = 1000

// Converse asks m, calls the tools that it wishes to have called, and asks
// again with their results, until it answers without a call. The request's
// Tools are replaced by those of tools.
//
// The calls of one response run side by side, and are answered in their order;
// results of a Settler are settled in it, too.
// What goes wrong with one is its result, for the model to see and to mend: an
// unknown tool, arguments that do not fit the parameters, an error, a panic.
// Three things end the conversation instead: a model's error, the end of ctx,
// and an interrupt of the graph, which the node must return; the tools are
// called again when it is resumed. Converse waits for every tool that it
// called: one that ignores its context holds it up.
//
// Each call of the model is a "model_call" event and each call of a tool a
// "tool_call" event. An answer is not checked against the request's schema. The
// conversation so far is returned beside an error, too.
func Converse(ctx context.Context, m Model, req Request, tools []Callable, opts *ConverseOptions) (Conversation, error) {
	listener := relay{to: req.OnText}
	conv, err := converse(ctx, m, req, tools, opts, &listener, nil)
	if err == nil {
		listener.settle(conv.Response.Text)
	}
	return conv, err
}

// converse is Converse. An answer that accept refuses gets one repair, with the
// prompt that goes with the refusal; a second one is a misfit, beside which the
// response is kept. A nil accept refuses nothing; with one, and without tools, a
// response is an answer whatever it wishes to call.
func converse(ctx context.Context, m Model, req Request, tools []Callable, opts *ConverseOptions, listener *relay, accept func(text string) (repair string, refusal error)) (Conversation, error) {
	conv := Conversation{Messages: slices.Clone(req.Messages)}
	rounds := DefaultRounds
	if opts != nil && opts.MaxRounds > 0 {
		rounds = opts.MaxRounds
	}
	described, byName, err := describe(tools)
	if err != nil {
		return conv, fmt.Errorf("conversing: %w", err)
	}
	req.Tools = described
	prompt, refused, repair := "", false, false
	answers := func(resp Response) bool { return len(resp.Calls) == 0 || accept != nil && len(tools) == 0 }
	fits := func(resp Response) (refusal error) {
		if accept != nil && answers(resp) {
			prompt, refusal = accept(resp.Text)
		}
		return refusal
	}
	for {
		req.Messages, req.OnText = slices.Clone(conv.Messages), listener.next()
		resp, usage, refusal, err := call(ctx, m, req, fits, repair)
		conv.Usage = conv.Usage.Plus(usage)
		if err != nil {
			return conv, err
		}
		said := Message{Role: Assistant, Text: resp.Text}
		if len(tools) > 0 || accept == nil {
			said.Calls = resp.Calls
		}
		conv.Messages = append(conv.Messages, said)
		switch repair = false; {
		case refusal != nil && refused:
			conv.Response = resp
			return conv, misfit{refusal}
		case refusal != nil:
			refused, repair = true, true
			conv.Messages = append(conv.Messages, Message{Role: User, Text: prompt})
			continue
		case answers(resp):
			conv.Response = resp
			return conv, nil
		case conv.Rounds == rounds:
			names := make([]string, len(resp.Calls))
			for i, c := range resp.Calls {
				names[i] = c.Name
			}
			return conv, &RoundsError{rounds, names}
		}
		conv.Rounds++
		results, err := answerCalls(ctx, byName, resp.Calls)
		err = errors.Join(err, publishCalls(ctx, req.Skill, conv.Rounds, resp.Calls, results))
		if err != nil {
			return conv, err
		}
		conv.Messages = append(conv.Messages, Message{Role: ToolRole, Results: results})
	}
}

// answerCalls runs the calls of one response. Its error is why the
// conversation must end.
func answerCalls(ctx context.Context, tools map[string]Callable, calls []ToolCall) ([]ToolResult, error) {
	results, ends := make([]ToolResult, len(calls)), make([]error, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() {
			text, err := answerCall(ctx, tools, c)
			results[i], ends[i] = resultOf(c, text, err)
		})
	}
	wg.Wait()
	for i, c := range calls {
		settler, ok := tools[c.Name].(Settler)
		if !ok || results[i].Failed || ctx.Err() != nil {
			continue
		}
		text, err := settle(ctx, settler, json.RawMessage(results[i].Text))
		results[i], ends[i] = resultOf(c, text, err)
	}
	if ctx.Err() != nil {
		return results, fmt.Errorf("calling tools: %w", context.Cause(ctx))
	}
	return results, errors.Join(ends...)
}

// resultOf is what the model gets of a call, and why the conversation must end.
func resultOf(c ToolCall, text json.RawMessage, err error) (ToolResult, error) {
	result := ToolResult{CallID: c.ID, Name: c.Name, Text: string(text)}
	if err == nil {
		return result, nil
	}
	result.Text, result.Failed = Cut(err.Error(), maxToolError), true
	if graph.IsInterrupt(err) {
		return result, fmt.Errorf("calling tool %q: %w", c.Name, err)
	}
	return result, nil
}

// settle is Settle, whose panic is an error.
func settle(ctx context.Context, s Settler, result json.RawMessage) (_ json.RawMessage, err error) {
	defer recovered(&err)
	return s.Settle(ctx, result)
}

// recovered turns a tool's panic into its error.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("the tool panicked: %v", v)
	}
}

func answerCall(ctx context.Context, tools map[string]Callable, c ToolCall) (_ json.RawMessage, err error) {
	tool := tools[c.Name]
	if tool == nil {
		return nil, fmt.Errorf("there is no tool %q", Cut(c.Name, 100))
	}
	arguments, err := fitting(tool.Tool().Parameters, c.Arguments)
	if err != nil {
		return nil, err
	}
	defer recovered(&err)
	return tool.Call(ctx, arguments)
}

// publishCalls publishes the calls of a round in their order, which that of
// their ends is not.
func publishCalls(ctx context.Context, skill string, round int, calls []ToolCall, results []ToolResult) error {
	for i, r := range results {
		event := ToolEvent{
			Skill: skill, Tool: r.Name, Round: round, OK: !r.Failed,
			ArgumentChars: utf8.RuneCount(calls[i].Arguments), ResultChars: utf8.RuneCountInString(r.Text),
		}
		if r.Failed {
			event.Error = Cut(r.Text, maxErrorText)
		}
		if err := graph.Emit(ctx, EventToolCall, event); err != nil {
			return fmt.Errorf("publishing a call of tool %q: %w", r.Name, err)
		}
	}
	return nil
}
