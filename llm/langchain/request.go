package langchain

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// habits are in what a client of the library differs from the others.
type habits struct {
	firstPart  bool // it sends the first part of an assistant's message and drops the rest
	noTools    bool // it drops tools
	noSeed     bool // its provider knows no seed
	dataOnly   bool // it takes images by their data and not by their URL
	linesOnly  bool // it reads only so much of a line, so that a long answer must be streamed
	textStream bool // with tools, too, it streams text and nothing else
	wired      bool // wire.Transport is below it
	maxTokens  int  // of an answer; 0 leaves it to the library
}

func habitsOf(client llms.Model) habits {
	switch client.(type) {
	case *anthropic.LLM:
		return habits{firstPart: true, noSeed: true, dataOnly: true, textStream: true}
	case *ollama.LLM:
		return habits{noTools: true, dataOnly: true, linesOnly: true, textStream: true}
	}
	return habits{}
}

// unsupported is what of a request the library cannot carry; empty for nothing. The
// library takes a seed of 0 for none.
func (h habits) unsupported(req llm.Request) string {
	switch s := req.Sampling; {
	case s.Seed != nil && h.noSeed:
		return "a seed"
	case s.Seed != nil && *s.Seed == 0:
		return "a seed of 0"
	}
	for _, msg := range req.Messages {
		if h.dataOnly && slices.ContainsFunc(msg.Images, func(img llm.Image) bool { return img.URL != "" }) {
			return "an image by its URL"
		}
	}
	return ""
}

// telling passes on what is streamed, until the call has ended.
type telling struct {
	mu     sync.Mutex
	onText func(llm.Chunk)
	any    bool
	ended  bool
}

func (t *telling) chunk(_ context.Context, chunk []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(chunk) > 0 && !t.ended && t.onText != nil {
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

// options says how the library is to ask.
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
	if m.habits.linesOnly || req.OnText != nil && (m.habits.textStream || len(req.Tools) == 0) {
		options = append(options, llms.WithStreamingFunc(told.chunk))
	}
	if limit := cmp.Or(s.MaxTokens, m.habits.maxTokens); limit > 0 {
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

// messages puts the prompt into the library's form, all of the system's
// messages and the schema in one at the front: several providers take one.
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
		for _, r := range msg.Results { // each in a message of its own, which all of its clients read
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

// spoken is what the user said and showed.
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

// assistant is what the model said and called. A client that sends first
// parts only gets a message for each, which Anthropic's server joins again.
func (m *model) assistant(msg llm.Message) []llms.MessageContent {
	var parts []llms.ContentPart
	if msg.Text != "" {
		parts = append(parts, llms.TextPart(msg.Text))
	}
	for _, c := range msg.Calls {
		arguments := wire.ArgumentText(c.Arguments)
		if m.habits.firstPart { // which refuses what is no object, though nothing was called with it
			arguments = asObject(arguments)
		}
		parts = append(parts, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: arguments}})
	}
	if len(parts) == 0 {
		return nil
	}
	if !m.habits.firstPart {
		return []llms.MessageContent{{Role: llms.ChatMessageTypeAI, Parts: parts}}
	}
	var out []llms.MessageContent
	for _, part := range parts {
		out = append(out, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{part}})
	}
	return out
}

// asObject is a JSON object as it is, and anything else inside of one.
func asObject(text string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) == nil && fields != nil {
		return text
	}
	out, _ := json.Marshal(map[string]string{"arguments": text}) // of a text
	return string(out)
}
