package openai

import (
	"encoding/json"
	"slices"
)

// strictKeywords are the keywords of JSON Schema that strict mode takes, by
// OpenAI's guide to structured outputs.
var strictKeywords = []string{
	"type", "description", "title", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
	"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

// strict reports whether strict mode takes a schema: it knows every keyword,
// and every object requires all of its properties and allows no others. A
// schema that it does not take is sent all the same, as a wish: llm.Ask
// checks the answer against it in either case.
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
