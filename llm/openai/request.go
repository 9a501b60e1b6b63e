package openai

import (
	"encoding/json"
	"strings"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm"
)

// request converts a request.
func (m *Model) request(req llm.Request, format Capability) openai.ChatCompletionRequest {
	s := req.Sampling
	out := openai.ChatCompletionRequest{Model: m.name, MaxCompletionTokens: s.MaxTokens, Stop: s.Stop, Seed: s.Seed}
	if s.Temperature != nil {
		out.Temperature = float32(*s.Temperature)
	}
	for _, msg := range req.Messages {
		if !m.server.reasoning {
			msg.Reasoning = ""
		}
		out.Messages = append(out.Messages, messages(msg)...)
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters,
		}})
	}
	switch format {
	case JSONSchema:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: formatName(req.Skill), Schema: req.Schema, Strict: strict(req.Schema),
			},
		}
	case JSONObject:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
		out.Messages = instruct(out.Messages, req.Schema)
	case PromptOnly:
		out.Messages = instruct(out.Messages, req.Schema)
	}
	return out
}

// instruct adds the schema to the first system message, or adds such a message: some servers take
// only one, and only as the first.
func instruct(messages []openai.ChatCompletionMessage, schema json.RawMessage) []openai.ChatCompletionMessage {
	order := "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n" + string(schema)
	if len(messages) > 0 && messages[0].Role == openai.ChatMessageRoleSystem {
		messages[0].Content += "\n\n" + order
		return messages
	}
	return append([]openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: order}}, messages...)
}

// formatName returns the skill's name in the API's alphabet: up to 64 of a-z, A-Z, 0-9, _ and -.
func formatName(skill string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, skill)
	if name == "" {
		return "answer"
	}
	return name[:min(len(name), 64)]
}
