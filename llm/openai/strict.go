package openai

import (
	"encoding/json"
	"slices"
)

// strictKeywords are the JSON Schema keywords that strict mode accepts, from OpenAI's guide to
// structured outputs.
var strictKeywords = []string{
	"type", "description", "title", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
	"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

// strict reports whether strict mode accepts a schema: it knows every keyword, and every object
// requires all of its properties and allows no others. Other schemas are sent as a hint; llm.Ask
// checks the answer in both cases.
func strict(schema json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil {
		return false
	}
	for keyword := range fields {
		if !slices.Contains(strictKeywords, keyword) {
			return false
		}
	}
	var s struct {
		Type                 json.RawMessage            `json:"type"`
		Properties           map[string]json.RawMessage `json:"properties"`
		Required             []string                   `json:"required"`
		AdditionalProperties json.RawMessage            `json:"additionalProperties"`
		Items                json.RawMessage            `json:"items"`
		AnyOf                []json.RawMessage          `json:"anyOf"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return false
	}
	if string(s.Type) == `"object"` || s.Properties != nil {
		if string(s.AdditionalProperties) != "false" {
			return false
		}
		for name, property := range s.Properties {
			if !slices.Contains(s.Required, name) || !strict(property) {
				return false
			}
		}
	}
	if len(s.Items) > 0 && !strict(s.Items) {
		return false
	}
	return !slices.ContainsFunc(s.AnyOf, func(branch json.RawMessage) bool { return !strict(branch) })
}
