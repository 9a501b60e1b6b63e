package gemini

import (
	"bytes"
	"encoding/json"

	"google.golang.org/genai"
)

// types are Gemini's names for JSON Schema's types.
var types = map[string]genai.Type{
	"object": genai.TypeObject, "array": genai.TypeArray, "string": genai.TypeString,
	"integer": genai.TypeInteger, "number": genai.TypeNumber, "boolean": genai.TypeBoolean,
}

// jsonSchema is the part of JSON Schema that has a counterpart in Gemini's.
type jsonSchema struct {
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Title       string            `json:"title"`
	Format      string            `json:"format"`
	Pattern     string            `json:"pattern"`
	Enum        []string          `json:"enum"`
	Items       json.RawMessage   `json:"items"`
	Properties  json.RawMessage   `json:"properties"`
	Required    []string          `json:"required"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinItems    *int64            `json:"minItems"`
	MaxItems    *int64            `json:"maxItems"`
	MinLength   *int64            `json:"minLength"`
	MaxLength   *int64            `json:"maxLength"`
	// Gemini's objects are closed: they have only the listed properties.
	AdditionalProperties *bool `json:"additionalProperties"`
}

// native turns a JSON Schema into Gemini's own schema, if every keyword and every type has a
// counterpart. Any other schema goes to the API as JSON Schema, which newer models read.
func native(schema json.RawMessage) (*genai.Schema, bool) {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.DisallowUnknownFields()
	var s jsonSchema
	if err := decoder.Decode(&s); err != nil || s.AdditionalProperties != nil && *s.AdditionalProperties {
		return nil, false
	}
	out := &genai.Schema{
		Description: s.Description, Title: s.Title, Format: s.Format, Pattern: s.Pattern, Enum: s.Enum, Required: s.Required,
		Minimum: s.Minimum, Maximum: s.Maximum, MinItems: s.MinItems, MaxItems: s.MaxItems, MinLength: s.MinLength, MaxLength: s.MaxLength,
	}
	var ok bool
	if out.Type, ok = types[s.Type]; !ok && (s.Type != "" || len(s.AnyOf) == 0) {
		return nil, false
	}
	if len(s.Items) > 0 {
		if out.Items, ok = native(s.Items); !ok {
			return nil, false
		}
	}
	for _, branch := range s.AnyOf {
		converted, ok := native(branch)
		if !ok {
			return nil, false
		}
		out.AnyOf = append(out.AnyOf, converted)
	}
	if len(s.Properties) == 0 {
		return out, true
	}
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(s.Properties, &properties); err != nil || properties == nil {
		return nil, false
	}
	out.Properties = map[string]*genai.Schema{}
	for _, name := range keys(s.Properties) {
		if out.Properties[name], ok = native(properties[name]); !ok {
			return nil, false
		}
		out.PropertyOrdering = append(out.PropertyOrdering, name)
	}
	return out, true
}

// keys returns the keys of a JSON object in their order, each once.
func keys(object json.RawMessage) []string {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return out
		}
		if !seen[name] {
			out = append(out, name)
		}
		seen[name] = true
		var skipped json.RawMessage
		if decoder.Decode(&skipped) != nil {
			return out
		}
	}
	return out
}
