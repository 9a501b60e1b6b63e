package langchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// Wrap returns an llm.Model as a model of the library, for programs built on it. It carries over
// messages of text and images, tool calls and results, tools, the JSON mode, temperature, token
// limit, seed, stop words and streaming; zero numbers count as unset. The answer has one choice,
// whose GenerationInfo has the tokens under PromptTokens, CompletionTokens and TotalTokens.
//
// Tools other than functions, and a choice of one tool, are errors. The model is m whatever the
// options say; other settings, such as TopP, are ignored. If m ignores stop words, Wrap cuts the
// answer at them, but not the streamed text. The text of a repeated call is streamed after the
// earlier text. An error wraps m's error in a *llms.Error.
func Wrap(m llm.Model) llms.Model { return wrapped{m} }

type wrapped struct{ model llm.Model }

// Call sends one text and returns the answer's text.
func (w wrapped) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, w, prompt, options...)
}

// GenerateContent asks the model.
func (w wrapped) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	req, err := ours(messages, o)
	if err != nil {
		return nil, llms.NewError(llms.ErrCodeInvalidRequest, "assay", err.Error()).WithCause(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if o.StreamingFunc != nil {
		req.OnText = func(c llm.Chunk) {
			if ctx.Err() != nil {
				return // the program stopped the stream
			}
			if err := o.StreamingFunc(ctx, []byte(c.Text)); err != nil {
				cancel(fmt.Errorf("streaming to the program: %w", err))
			}
		}
	}
	resp, err := w.model.Generate(ctx, req)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, theirs(err)
	}
	choice := &llms.ContentChoice{Content: resp.Text, StopReason: "stop", GenerationInfo: map[string]any{
		"PromptTokens": resp.Usage.InputTokens, "CompletionTokens": resp.Usage.OutputTokens,
		"TotalTokens": resp.Usage.InputTokens + resp.Usage.OutputTokens, "Model": resp.Model,
	}}
	for _, stop := range o.StopWords {
		if stop != "" {
			choice.Content, _, _ = strings.Cut(choice.Content, stop)
		}
	}
	for _, c := range resp.Calls {
		call := llms.FunctionCall{Name: c.Name, Arguments: wire.ArgumentText(c.Arguments)}
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &call})
	}
	if len(choice.ToolCalls) > 0 {
		choice.StopReason, choice.FuncCall = "tool_calls", choice.ToolCalls[0].FunctionCall
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// ours converts the library's request.
func ours(messages []llms.MessageContent, o llms.CallOptions) (llm.Request, error) {
	req := llm.Request{Sampling: ourSampling(o)}
	for i, m := range messages {
		msg, err := ourMessage(m)
		if err != nil {
			return llm.Request{}, fmt.Errorf("reading message %d: %w", i+1, err)
		}
		if n := len(req.Messages); n > 0 && msg.Role == llm.ToolRole && req.Messages[n-1].Role == llm.ToolRole {
			req.Messages[n-1].Results = append(req.Messages[n-1].Results, msg.Results...)
			continue
		}
		req.Messages = append(req.Messages, msg)
	}
	if o.JSONMode {
		req.Schema = json.RawMessage(`{"type":"object"}`)
	}
	if len(o.Functions) > 0 {
		return llm.Request{}, errors.New("reading the options: functions are given as tools")
	}
	switch o.ToolChoice {
	case nil, "", "auto":
	case "none":
		return req, nil
	default:
		return llm.Request{}, errors.New("reading the options: which tool is called cannot be chosen")
	}
	for i, t := range o.Tools {
		if t.Type != "function" || t.Function == nil {
			return llm.Request{}, fmt.Errorf("reading tool %d: it is not a function", i+1)
		}
		parameters, err := json.Marshal(t.Function.Parameters)
		if err != nil {
			return llm.Request{}, fmt.Errorf("reading the parameters of tool %q: %w", t.Function.Name, err)
		}
		if t.Function.Parameters == nil {
			parameters = []byte(`{"type":"object","properties":{}}`)
		}
		req.Tools = append(req.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: parameters})
	}
	return req, nil
}

func ourSampling(o llms.CallOptions) llm.Sampling {
	s := llm.Sampling{MaxTokens: max(0, o.MaxTokens), Stop: slices.DeleteFunc(slices.Clone(o.StopWords), func(stop string) bool { return stop == "" })}
	if o.Temperature > 0 {
		s.Temperature = &o.Temperature
	}
	if o.Seed != 0 {
		s.Seed = &o.Seed
	}
	return s
}

func ourMessage(m llms.MessageContent) (llm.Message, error) {
	var out llm.Message
	switch m.Role {
	case llms.ChatMessageTypeSystem:
		out.Role = llm.System
	case llms.ChatMessageTypeHuman, llms.ChatMessageTypeGeneric:
		out.Role = llm.User
	case llms.ChatMessageTypeAI:
		out.Role = llm.Assistant
	case llms.ChatMessageTypeTool, llms.ChatMessageTypeFunction:
		out.Role = llm.ToolRole
	default:
		return out, fmt.Errorf("the role %q is unknown", llm.Cut(string(m.Role), 50))
	}
	for _, part := range m.Parts {
		switch p := part.(type) {
		case llms.TextContent:
			out.Text += p.Text
		case llms.BinaryContent:
			out.Images = append(out.Images, llm.Image{MediaType: p.MIMEType, Data: p.Data})
		case llms.ImageURLContent:
			out.Images = append(out.Images, llm.Image{URL: p.URL})
		case llms.ToolCall:
			if p.FunctionCall == nil {
				return out, errors.New("a call names no function")
			}
			out.Calls = append(out.Calls, llm.ToolCall{ID: p.ID, Name: p.FunctionCall.Name, Arguments: wire.Arguments(p.FunctionCall.Arguments)})
		case llms.ToolCallResponse:
			out.Results = append(out.Results, llm.ToolResult{CallID: p.ToolCallID, Name: p.Name, Text: p.Content})
		default:
			return out, fmt.Errorf("a part of the type %T is not supported", part)
		}
	}
	return out, nil
}
