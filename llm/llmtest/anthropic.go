package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/llm"
)

type anthropicFormat struct{}

// block is a part of a message in Anthropic's format.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	Source    *anthropicImage `json:"source,omitempty"`
}

type anthropicImage struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
	URL       string `json:"url"`
}

func (anthropicFormat) embed(string, []byte) ([]byte, bool, error) { return nil, false, nil }

func (anthropicFormat) read(path string, body []byte) (asked, error) {
	var in struct {
		Model     string `json:"model"`
		Stream    bool   `json:"stream"`
		MaxTokens int    `json:"max_tokens"`

		Temperature   *float64 `json:"temperature"`
		StopSequences []string `json:"stop_sequences"`

		Messages []struct {
			Role    llm.Role `json:"role"`
			Content []block  `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if !strings.HasSuffix(path, "/messages") {
		return asked{}, fmt.Errorf("no such path: %s", path)
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return asked{}, err
	}
	if in.MaxTokens <= 0 {
		return asked{}, fmt.Errorf("max_tokens: %d", in.MaxTokens)
	}
	out := asked{model: in.Model, stream: in.Stream, req: llm.Request{
		Sampling: llm.Sampling{Temperature: in.Temperature, MaxTokens: in.MaxTokens, Stop: in.StopSequences},
	}}
	for _, m := range in.Messages {
		msg := llm.Message{Role: m.Role}
		for _, b := range m.Content {
			msg.Text += b.Text
			switch b.Type {
			case "image":
				msg.Images = append(msg.Images, llm.Image{MediaType: b.Source.MediaType, Data: b.Source.Data, URL: b.Source.URL})
			case "tool_use":
				msg.Calls = append(msg.Calls, llm.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Input})
			case "tool_result":
				msg.Role = llm.ToolRole
				msg.Results = append(msg.Results, result(b.ToolUseID, b.Content))
			}
		}
		out.req.Messages = joined(out.req.Messages, msg)
	}
	for _, t := range in.Tools {
		out.req.Tools = append(out.req.Tools, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.InputSchema})
	}
	return out, nil
}

func anthropicStop(resp llm.Response) string {
	if len(resp.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (anthropicFormat) whole(a asked, resp llm.Response) ([]byte, error) {
	var content []block
	if resp.Text != "" {
		content = append(content, block{Type: "text", Text: resp.Text})
	}
	for _, c := range resp.Calls {
		content = append(content, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Arguments})
	}
	return json.Marshal(object{"id": "msg_1", "type": "message", "role": "assistant", "model": a.model, "content": content, "stop_reason": anthropicStop(resp),
		"usage": object{"input_tokens": resp.Usage.InputTokens, "output_tokens": resp.Usage.OutputTokens}})
}

func (anthropicFormat) events(a asked, resp llm.Response) ([][]byte, error) {
	values := []any{
		object{"type": "message_start", "message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": a.model, "content": []block{}, "usage": object{"input_tokens": resp.Usage.InputTokens, "output_tokens": 1}}},
		object{"type": "ping"},
	}
	index := 0
	add := func(start block, kind, key string, pieces []string) {
		values = append(values, object{"type": "content_block_start", "index": index, "content_block": start})
		for _, piece := range pieces {
			values = append(values, object{"type": "content_block_delta", "index": index, "delta": object{"type": kind, key: piece}})
		}
		values = append(values, object{"type": "content_block_stop", "index": index})
		index++
	}
	if resp.Text != "" {
		add(block{Type: "text"}, "text_delta", "text", split(resp.Text))
	}
	for _, c := range resp.Calls {
		add(block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: json.RawMessage("{}")}, "input_json_delta", "partial_json", split(string(c.Arguments)))
	}
	values = append(values,
		object{"type": "message_delta", "delta": object{"stop_reason": anthropicStop(resp)}, "usage": object{"output_tokens": resp.Usage.OutputTokens}},
		object{"type": "message_stop"})
	return list(values...)
}
