package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/genai"

	"example.com/assay/llm"
)

// convert turns a request into the library's form. System messages become the system instruction.
// Empty messages are left out, since the API refuses them.
//
// If the request has tools, the schema goes into the instruction: models before Gemini 3 take tools
// or a response type, not both.
func convert(req llm.Request) ([]*genai.Content, *genai.GenerateContentConfig, error) {
	var system []string
	var contents []*genai.Content
	for _, msg := range req.Messages {
		switch {
		case msg.Role == llm.System && msg.Text != "":
			system = append(system, msg.Text)
		case msg.Role != llm.System:
			content, err := convertMessage(msg)
			if err != nil {
				return nil, nil, err
			}
			if len(content.Parts) > 0 {
				contents = append(contents, content)
			}
		}
	}
	s := req.Sampling
	config := &genai.GenerateContentConfig{Temperature: new(float32(0)), StopSequences: s.Stop, AutomaticContinuation: new(false)}
	if s.Temperature != nil {
		*config.Temperature = float32(*s.Temperature)
	}
	config.MaxOutputTokens = int32(min(s.MaxTokens, math.MaxInt32)) // the limit exceeds every model's
	if s.Seed != nil {
		config.Seed = new(int32(*s.Seed))
	}
	if err := addTools(config, req.Tools); err != nil {
		return nil, nil, err
	}
	if len(req.Schema) > 0 && len(req.Tools) > 0 {
		system = append(system, "When you answer and call no function, answer with one JSON object that fits this JSON Schema, and with nothing else:\n"+string(req.Schema))
	}
	if len(system) > 0 {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: strings.Join(system, "\n\n")}}}
	}
	if len(req.Schema) == 0 || len(req.Tools) > 0 {
		return contents, config, nil
	}
	config.ResponseMIMEType = "application/json"
	if schema, ok := native(req.Schema); ok {
		config.ResponseSchema = schema
		return contents, config, nil
	}
	raw, err := object(req.Schema)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the schema of the answer: %w", err)
	}
	config.ResponseJsonSchema = raw
	return contents, config, nil
}

// unsupported names the part of a request that the API cannot carry; "" if there is none.
func unsupported(req llm.Request) string {
	if s := req.Sampling.Seed; s != nil && int(int32(*s)) != *s {
		return "a seed of more than 32 bits"
	}
	for _, msg := range req.Messages {
		for _, img := range msg.Images {
			if img.MediaType == "" {
				return "an image without its media type"
			}
		}
	}
	return ""
}

// object reads a JSON object; the library takes any value.
func object(data json.RawMessage) (map[string]any, error) {
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil || out == nil {
		return nil, errors.New("it is not a JSON object")
	}
	return out, nil
}
