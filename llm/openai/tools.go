package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// messages converts a message. A message of tools becomes one message for each result. An empty
// message becomes none, since the API refuses it.
func messages(msg llm.Message) []openai.ChatCompletionMessage {
	if msg.Role == llm.ToolRole {
		var out []openai.ChatCompletionMessage
		for _, result := range msg.Results {
			out = append(out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: callID(result.CallID), Content: wire.ResultText(result)})
		}
		return out
	}
	if msg.Text == "" && len(msg.Calls) == 0 && len(msg.Images) == 0 {
		return nil
	}
	if len(msg.Images) > 0 {
		return []openai.ChatCompletionMessage{{Role: string(msg.Role), MultiContent: pictured(msg)}}
	}
	out := openai.ChatCompletionMessage{Role: string(msg.Role), Content: msg.Text, ReasoningContent: msg.Reasoning}
	for _, call := range msg.Calls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: callID(call.ID), Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.Name, Arguments: wire.ArgumentText(call.Arguments)},
		})
	}
	return []openai.ChatCompletionMessage{out}
}

// pictured returns the parts of a message with images; image data becomes a data URL.
func pictured(msg llm.Message) []openai.ChatMessagePart {
	var parts []openai.ChatMessagePart
	if msg.Text != "" {
		parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: msg.Text})
	}
	for _, img := range msg.Images {
		address := img.URL
		if address == "" {
			address = "data:" + img.MediaType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
		}
		parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: address}})
	}
	return parts
}

// maxID is OpenAI's limit for the length of a call's ID.
const maxID = 40

// callID returns the ID of a call, shortened if an earlier provider's model in the conversation
// wrote a longer one.
func callID(id string) string {
	if len(id) <= maxID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

// toolCalls extracts the calls from an answer.
func toolCalls(calls []openai.ToolCall) []llm.ToolCall {
	var out []llm.ToolCall
	for _, c := range calls {
		out = append(out, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: wire.Arguments(c.Function.Arguments)})
	}
	wire.NameCalls(out)
	return out
}
