package langchain

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// unsupported names the part of a request that the library cannot carry; "" if there is none. The
// library treats a seed of 0 as unset.
func (m *model) unsupported(req llm.Request) string {
	switch s := req.Sampling; {
	case s.Seed != nil && m.anthropic:
		return "a seed"
	case s.Seed != nil && *s.Seed == 0:
		return "a seed of 0"
	}
	for _, msg := range req.Messages {
		if m.anthropic && slices.ContainsFunc(msg.Images, func(img llm.Image) bool { return img.URL != "" }) {
			return "an image by its URL"
		}
	}
	return ""
}

// telling passes on streamed text until the call has ended.
type telling struct {
	mu     sync.Mutex
	onText func(llm.Chunk)
	any    bool
	ended  bool
}

func (t *telling) chunk(_ context.Context, chunk []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(chunk) > 0 && !t.ended {
		t.any = true
		t.onText(llm.Chunk{Text: string(chunk)})
	}
	return nil
}

func (t *telling) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

// options returns the library's options for a request.
func (m *model) options(req llm.Request, told *telling) []llms.CallOption {
	s := req.Sampling
	options := []llms.CallOption{llms.WithTemperature(0)}
	if s.Temperature != nil {
		options = append(options, llms.WithTemperature(*s.Temperature))
	}
	if len(s.Stop) > 0 {
		options = append(options, llms.WithStopWords(s.Stop))
	}
	if s.Seed != nil {
		options = append(options, llms.WithSeed(*s.Seed))
	}
	if len(req.Schema) > 0 && len(req.Tools) == 0 {
		options = append(options, llms.WithJSONMode())
	}
	if req.OnText != nil && (m.anthropic || len(req.Tools) == 0) {
		options = append(options, llms.WithStreamingFunc(told.chunk))
	}
	if limit := cmp.Or(s.MaxTokens, m.maxTokens); limit > 0 {
		options = append(options, llms.WithMaxTokens(limit))
	}
	var tools []llms.Tool
	for _, tool := range req.Tools {
		tools = append(tools, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters}})
	}
	if tools != nil {
		options = append(options, llms.WithTools(tools))
	}
	return options
}

// messages converts the prompt. All system messages and the schema become one message at the front,
// since several providers take only one.
func (m *model) messages(req llm.Request) []llms.MessageContent {
	var system []string
	var out []llms.MessageContent
	for _, msg := range req.Messages {
		switch {
		case msg.Role == llm.System && msg.Text != "":
			system = append(system, msg.Text)
		case msg.Role == llm.User && (msg.Text != "" || len(msg.Images) > 0):
			out = append(out, llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: spoken(msg)})
		case msg.Role == llm.Assistant:
			out = append(out, m.assistant(msg)...)
		}
		for _, r := range msg.Results { // one message each, which all of the library's clients read
			out = append(out, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
				llms.ToolCallResponse{ToolCallID: r.CallID, Name: r.Name, Content: wire.ResultText(r)},
			}})
		}
	}
	if len(req.Schema) > 0 {
		order := "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n"
		if len(req.Tools) > 0 {
			order = "When you answer and call no function, answer with one JSON object that fits this JSON Schema, and with nothing else:\n"
		}
		system = append(system, order+string(req.Schema))
	}
	if len(system) == 0 {
		return out
	}
	return append([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, strings.Join(system, "\n\n"))}, out...)
}

// spoken returns the user's text and images.
func spoken(msg llm.Message) []llms.ContentPart {
	var parts []llms.ContentPart
	if msg.Text != "" {
		parts = append(parts, llms.TextPart(msg.Text))
	}
	for _, img := range msg.Images {
		if img.URL != "" {
			parts = append(parts, llms.ImageURLPart(img.URL))
		} else {
			parts = append(parts, llms.BinaryPart(img.MediaType, img.Data))
		}
	}
	return parts
}

// assistant returns the model's text and calls. A client that sends only first parts gets one
// message for each part, which Anthropic's server joins again.
func (m *model) assistant(msg llm.Message) []llms.MessageContent {
	var parts []llms.ContentPart
	if msg.Text != "" {
		parts = append(parts, llms.TextPart(msg.Text))
	}
	for _, c := range msg.Calls {
		arguments := wire.ArgumentText(c.Arguments)
		if m.anthropic { // Anthropic refuses arguments that are not an object
			arguments = asObject(arguments)
		}
		parts = append(parts, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: arguments}})
	}
	if len(parts) == 0 {
		return nil
	}
	if !m.anthropic {
		return []llms.MessageContent{{Role: llms.ChatMessageTypeAI, Parts: parts}}
	}
	var out []llms.MessageContent
	for _, part := range parts {
		out = append(out, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{part}})
	}
	return out
}

// asObject returns a JSON object as it is, and wraps any other text in an object.
func asObject(text string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) == nil && fields != nil {
		return text
	}
	out, _ := json.Marshal(map[string]string{"arguments": text}) // a text can always be encoded
	return string(out)
}
