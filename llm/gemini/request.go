package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"example.com/assay/llm"
)

// convert puts a request into the library's form. Messages of the system
// become the system's instruction; messages without text are left out, as the
// API refuses them.
func convert(req llm.Request) ([]*genai.Content, *genai.GenerateContentConfig, error) {
	var system []string
	var contents []*genai.Content
	for _, msg := range req.Messages {
		role := genai.Role(genai.RoleUser)
		switch {
		case msg.Text == "":
			continue
		case msg.Role == llm.System:
			system = append(system, msg.Text)
			continue
		case msg.Role == llm.Assistant:
			role = genai.RoleModel
		}
		contents = append(contents, genai.NewContentFromText(msg.Text, role))
	}
	config := &genai.GenerateContentConfig{Temperature: new(float32(0)), AutomaticContinuation: new(false)}
	if len(system) > 0 {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: strings.Join(system, "\n\n")}}}
	}
	if len(req.Schema) == 0 {
		return contents, config, nil
	}
	config.ResponseMIMEType = "application/json"
	if schema, ok := native(req.Schema); ok {
		config.ResponseSchema = schema
		return contents, config, nil
	}
	var raw map[string]any // the library takes any JSON value here
	if err := json.Unmarshal(req.Schema, &raw); err != nil {
		return nil, nil, fmt.Errorf("reading the schema of the answer: %w", errors.New("it is not a JSON object"))
	}
	config.ResponseJsonSchema = raw
	return contents, config, nil
}
