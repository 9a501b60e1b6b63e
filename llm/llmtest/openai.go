package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/llm"
)

type openAIFormat struct{}

type openAIFunction struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Arguments   string          `json:"arguments"`
}

type openAICall struct {
	Index    *int           `json:"index,omitempty"`
	ID       string         `json:"id,omitempty"`
	Type     string         `json:"type,omitempty"`
	Function openAIFunction `json:"function"`
}

// openAIContent is a text, or a list of texts and images.
type openAIContent struct {
	text   string
	images []llm.Image
}

func (c *openAIContent) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, &c.text)
	}
	var parts []struct {
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		c.text += p.Text
		if p.ImageURL.URL == "" {
			continue
		}
		img := llm.Image{URL: p.ImageURL.URL}
		if kind, encoded, ok := strings.Cut(strings.TrimPrefix(img.URL, "data:"), ";base64,"); ok {
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return err
			}
			img = llm.Image{MediaType: kind, Data: decoded}
		}
		c.images = append(c.images, img)
	}
	return nil
}

func (openAIFormat) embed(path string, body []byte) ([]byte, bool, error) {
	if !strings.HasSuffix(path, "/embeddings") {
		return nil, false, nil
	}
	var in struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, true, err
	}
	data := make([]object, len(in.Input))
	for i, text := range in.Input { // in reverse: clients must use the index
		data[len(data)-1-i] = object{"object": "embedding", "index": i, "embedding": Vector("", text, in.Dimensions)}
	}
	words := 0
	for _, text := range in.Input {
		words += len(strings.Fields(text))
	}
	out, err := json.Marshal(object{"object": "list", "model": in.Model, "data": data, "usage": openAIUsage(llm.Usage{InputTokens: words})})
	return out, true, err
}

func (openAIFormat) read(path string, body []byte) (asked, error) {
	var in struct {
		Model         string `json:"model"`
		Stream        bool   `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct {
			Role       llm.Role      `json:"role"`
			Content    openAIContent `json:"content"`
			ToolCalls  []openAICall  `json:"tool_calls"`
			ToolCallID string        `json:"tool_call_id"`
		} `json:"messages"`
		Temperature         *float64 `json:"temperature"`
		MaxTokens           int      `json:"max_tokens"`
		MaxCompletionTokens int      `json:"max_completion_tokens"`
		Stop                []string `json:"stop"`
		Seed                *int     `json:"seed"`
		Tools               []struct {
			Function openAIFunction `json:"function"`
		} `json:"tools"`
		ResponseFormat struct {
			JSONSchema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if !strings.HasSuffix(path, "/chat/completions") {
		return asked{}, fmt.Errorf("no such path: %s", path)
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return asked{}, err
	}
	out := asked{model: in.Model, stream: in.Stream, usage: in.StreamOptions.IncludeUsage, req: llm.Request{
		Schema:   in.ResponseFormat.JSONSchema.Schema,
		Sampling: llm.Sampling{Temperature: in.Temperature, MaxTokens: max(in.MaxTokens, in.MaxCompletionTokens), Stop: in.Stop, Seed: in.Seed},
	}}
	for _, m := range in.Messages {
		msg := llm.Message{Role: m.Role, Text: m.Content.text, Images: m.Content.images}
		if m.Role == llm.ToolRole {
			msg = llm.Message{Role: m.Role, Results: []llm.ToolResult{result(m.ToolCallID, m.Content.text)}}
		}
		for _, c := range m.ToolCalls {
			msg.Calls = append(msg.Calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
		out.req.Messages = joined(out.req.Messages, msg)
	}
	for _, t := range in.Tools {
		out.req.Tools = append(out.req.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	return out, nil
}

func openAIFinish(resp llm.Response) string {
	if len(resp.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func openAIUsage(u llm.Usage) object {
	return object{"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens}
}

func (openAIFormat) whole(a asked, resp llm.Response) ([]byte, error) {
	message := object{"role": "assistant", "content": resp.Text}
	var calls []openAICall
	for _, c := range resp.Calls {
		calls = append(calls, openAICall{ID: c.ID, Type: "function", Function: openAIFunction{Name: c.Name, Arguments: string(c.Arguments)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return json.Marshal(object{"object": "chat.completion", "model": a.model, "usage": openAIUsage(resp.Usage),
		"choices": []object{{"index": 0, "message": message, "finish_reason": openAIFinish(resp)}}})
}

func (openAIFormat) events(a asked, resp llm.Response) ([][]byte, error) {
	var values []any
	add := func(delta object, finish any) {
		values = append(values, object{"object": "chat.completion.chunk", "model": a.model, "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	add(object{"role": "assistant", "content": ""}, nil)
	for _, piece := range split(resp.Text) {
		add(object{"content": piece}, nil)
	}
	for i, c := range resp.Calls {
		add(object{"tool_calls": []openAICall{{Index: &i, ID: c.ID, Type: "function", Function: openAIFunction{Name: c.Name}}}}, nil)
		for _, piece := range split(string(c.Arguments)) {
			add(object{"tool_calls": []openAICall{{Index: &i, Function: openAIFunction{Arguments: piece}}}}, nil)
		}
	}
	add(object{}, openAIFinish(resp))
	if a.usage {
		values = append(values, object{"object": "chat.completion.chunk", "model": a.model, "choices": []object{}, "usage": openAIUsage(resp.Usage)})
	}
	events, err := list(values...)
	return append(events, []byte("[DONE]")), err
}
