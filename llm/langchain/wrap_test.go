package langchain_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/openai"
)

// A model of ours, wrapped for the library and back, still passes the suite.
func TestRoundTrip(t *testing.T) {
	llmtest.TestProvider(t, llmtest.OpenAI, func(t *testing.T, url string) llm.Model {
		server, err := openai.NewServer(&openai.Options{BaseURL: url})
		if err != nil {
			t.Fatal(err)
		}
		inner, err := server.Model("m")
		if err != nil {
			t.Fatal(err)
		}
		m, err := langchain.New(langchain.Wrap(inner), nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

// answerer is a model of ours.
type answerer func(ctx context.Context, req llm.Request) (llm.Response, error)

func (a answerer) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	return a(ctx, req)
}

func TestWrap(t *testing.T) {
	var asked llm.Request
	m := langchain.Wrap(answerer(func(_ context.Context, req llm.Request) (llm.Response, error) {
		asked = req
		return llm.Response{Text: "Yes. Observation: no", Model: "m", Usage: llm.Usage{InputTokens: 3, OutputTokens: 2},
			Calls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: json.RawMessage(`{"x":1}`)}}}, nil
	}))
	call := llms.ToolCall{ID: "z", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: "{bad"}}
	out, err := m.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "Be brief."), llms.TextParts(llms.ChatMessageTypeHuman, "Go ", "on."),
		{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryPart("image/png", []byte("png")), llms.TextPart("this"), llms.ImageURLPart("https://host/a")}},
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextPart("Hm."), call}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "z", Name: "f", Content: "1"}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "y", Name: "f", Content: "2"}}},
	}, llms.WithJSONMode(), llms.WithStopWords([]string{"Observation:", ""}), llms.WithTemperature(0.7), llms.WithMaxTokens(9), llms.WithSeed(3),
		llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "f"}}, {Type: "function", Function: &llms.FunctionDefinition{Name: "g", Parameters: map[string]any{"type": "object"}}}}))
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Request{
		Schema:   json.RawMessage(`{"type":"object"}`),
		Sampling: llm.Sampling{Temperature: new(0.7), MaxTokens: 9, Stop: []string{"Observation:"}, Seed: new(3)},
		Tools:    []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}, {Name: "g", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "Go on."},
			{Role: llm.User, Text: "this", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}, {URL: "https://host/a"}}},
			{Role: llm.Assistant, Text: "Hm.", Calls: []llm.ToolCall{{ID: "z", Name: "f", Arguments: json.RawMessage(`"{bad"`)}}},
			{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: "z", Name: "f", Text: "1"}, {CallID: "y", Name: "f", Text: "2"}}},
		},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	function := llms.FunctionCall{Name: "f", Arguments: `{"x":1}`}
	choice := &llms.ContentChoice{Content: "Yes. ", StopReason: "tool_calls", FuncCall: &function, ToolCalls: []llms.ToolCall{{ID: "a", Type: "function", FunctionCall: &function}},
		GenerationInfo: map[string]any{"PromptTokens": 3, "CompletionTokens": 2, "TotalTokens": 5, "Model": "m"}}
	if diff := cmp.Diff(&llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, out); diff != "" {
		t.Errorf("answered (-want +got):\n%s", diff)
	}
	if text, err := llms.GenerateFromSinglePrompt(t.Context(), m, "Go."); err != nil || text != "Yes. Observation: no" {
		t.Errorf("a single prompt: %q, %v", text, err)
	}
}

func TestWrapRefuses(t *testing.T) {
	m := langchain.Wrap(answerer(func(context.Context, llm.Request) (llm.Response, error) {
		t.Error("asked")
		return llm.Response{}, nil
	}))
	hello := llms.TextParts(llms.ChatMessageTypeHuman, "Hello.")
	for name, tc := range map[string]struct {
		message llms.MessageContent
		option  llms.CallOption
	}{
		"other part":   {llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.CachedContent{ContentPart: llms.TextPart("x")}}}, llms.WithN(1)},
		"unknown role": {llms.TextParts("narrator", "x"), llms.WithN(1)},
		"empty call":   {llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{}}}, llms.WithN(1)},
		"other tool":   {hello, llms.WithTools([]llms.Tool{{Type: "search"}})},
		"chosen tool":  {hello, llms.WithToolChoice(llms.ToolChoice{Type: "function"})},
		"functions":    {hello, llms.WithFunctions([]llms.FunctionDefinition{{Name: "f"}})},
	} {
		if _, err := m.GenerateContent(t.Context(), []llms.MessageContent{tc.message}, tc.option); !llms.IsInvalidRequestError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrapErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want llms.ErrorCode
	}{
		"rate":        {&llm.StatusError{Status: 429}, llms.ErrCodeRateLimit},
		"quota":       {&llm.StatusError{Status: 429, Code: "insufficient_quota"}, llms.ErrCodeQuotaExceeded},
		"key":         {&llm.StatusError{Status: 401}, llms.ErrCodeAuthentication},
		"unavailable": {&llm.StatusError{Status: 503}, llms.ErrCodeProviderUnavailable},
		"teapot":      {&llm.StatusError{Status: 418}, llms.ErrCodeUnknown},
		"blocked":     {&llm.BlockedError{}, llms.ErrCodeContentFilter},
		"truncated":   {&llm.TruncatedError{}, llms.ErrCodeTokenLimit},
		"unsupported": {&llm.UnsupportedError{}, llms.ErrCodeNotImplemented},
		"lost":        {&llm.ConnectionError{Err: errors.New("x")}, llms.ErrCodeProviderUnavailable},
		"cancelled":   {context.Canceled, llms.ErrCodeCanceled},
		"late":        {context.DeadlineExceeded, llms.ErrCodeTimeout},
	} {
		m := langchain.Wrap(answerer(func(context.Context, llm.Request) (llm.Response, error) { return llm.Response{}, tc.err }))
		_, err := m.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hello.")})
		e, ok := errors.AsType[*llms.Error](err)
		if !ok || e.Code != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v; want code %s", name, err, tc.want)
		}
	}
}

// A streaming function that fails ends the call.
func TestWrapStreams(t *testing.T) {
	m := langchain.Wrap(answerer(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		for _, text := range []string{"a", "b", "c"} {
			req.OnText(llm.Chunk{Text: text})
		}
		return llm.Response{Text: "abc"}, nil // though the context has ended
	}))
	full := errors.New("full")
	var told strings.Builder
	_, err := m.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hello.")},
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			told.Write(chunk)
			if told.Len() == 2 {
				return full
			}
			return nil
		}))
	if !errors.Is(err, full) || told.String() != "ab" {
		t.Errorf("told %q, %v", told.String(), err)
	}
}

// With tools, clients of the library may stream what is no text: the caller is
// told of the answer once, and of nothing after the call.
func TestStreamOfAnyClient(t *testing.T) {
	for _, tools := range []bool{false, true} {
		var late func(context.Context, []byte) error
		m := model(t, func(_ []llms.MessageContent, o llms.CallOptions) (*llms.ContentResponse, error) {
			if late = o.StreamingFunc; late != nil {
				if err := errors.Join(late(t.Context(), []byte("He")), late(t.Context(), nil), late(t.Context(), []byte("y."))); err != nil {
					return nil, err
				}
			}
			if (len(o.Tools) == 1) != tools {
				t.Errorf("tools %v", o.Tools)
			}
			return choice(llms.ContentChoice{Content: "Hey."}), nil
		})
		req := request("")
		if tools {
			req.Tools = []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{}`)}}
		}
		var told []string
		req.OnText = func(c llm.Chunk) { told = append(told, c.Text) }
		if _, err := m.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if late != nil && late(t.Context(), []byte("late")) != nil {
			t.Error("a late chunk failed")
		}
		if want := map[bool]string{false: "He|y.", true: "Hey."}[tools]; strings.Join(told, "|") != want {
			t.Errorf("tools %v: told %q; want %q", tools, told, want)
		}
	}
}
