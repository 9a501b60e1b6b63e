package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	googleschema "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/internal/plainjson"
)

// A Callable is a function that a model may call; see NewTool. Implementations are safe for
// concurrent use.
type Callable interface {
	// Tool describes the function to the model. It always returns the same description.
	Tool() Tool
	// Call calls the function with arguments that fit the tool's Parameters, and returns its result
	// as JSON. Its errors are shown to the model.
	Call(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
}

// EventToolCall is the name of the custom event for each call of a tool.
const EventToolCall = "tool_call"

// ToolEvent is the payload of a "tool_call" event. It contains neither arguments nor result.
type ToolEvent struct {
	Skill         string `json:"skill,omitempty"`
	Tool          string `json:"tool"`
	Round         int    `json:"round"` // 1 for the first
	ArgumentChars int    `json:"argument_chars"`
	ResultChars   int    `json:"result_chars"`
	OK            bool   `json:"ok"`
	Error         string `json:"error,omitempty"` // at most 300 bytes
}

// NewTool makes a tool from fn. In, a struct, gives the schema of its arguments: a json tag names a
// field, a jsonschema tag describes it, and a field is required unless it is omitempty or omitzero.
// Other arguments are refused. No field may be null: an optional one is left out. Out is anything
// that can be encoded as JSON.
//
// An invalid name, an empty description, and a type without a schema (a cycle, a function, a
// channel) are errors.
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) (Callable, error) {
	switch {
	case !ToolName(name):
		return nil, fmt.Errorf("making tool %q: its name must be 1 to 64 letters, digits, \"_\" or \"-\"", name)
	case strings.TrimSpace(description) == "":
		return nil, fmt.Errorf("making tool %q: it needs a description, by which the model chooses it", name)
	case fn == nil:
		return nil, fmt.Errorf("making tool %q: it has no function", name)
	case reflect.TypeFor[In]().Kind() != reflect.Struct:
		return nil, fmt.Errorf("making tool %q: its arguments are a %v; they must be a struct", name, reflect.TypeFor[In]())
	}
	parameters, err := schemaOf[In]()
	if err != nil {
		return nil, fmt.Errorf("making tool %q: %w", name, err)
	}
	if _, err := compiled(parameters); err != nil {
		return nil, fmt.Errorf("making tool %q: %w", name, err)
	}
	return typedTool[In, Out]{Tool{Name: name, Description: description, Parameters: parameters}, fn}, nil
}

// schemaOf returns the JSON Schema of a struct.
func schemaOf[T any]() (json.RawMessage, error) {
	inferred, err := googleschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	withoutNull(inferred)
	return json.Marshal(inferred)
}

// ToolName reports whether a tool's name is valid: 1 to 64 letters, digits, "_" and "-".
func ToolName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// withoutNull removes null from the types of a schema. Each slice and pointer has it, since Go
// encodes their zero values as null. But a model leaves optional fields out, and Gemini's schemas
// have no such types.
func withoutNull(s *googleschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	withoutNull(s.Items)
	withoutNull(s.AdditionalProperties)
	for _, property := range s.Properties {
		withoutNull(property)
	}
}

type typedTool[In, Out any] struct {
	tool Tool
	fn   func(context.Context, In) (Out, error)
}

func (t typedTool[In, Out]) Tool() Tool { return t.tool }

func (t typedTool[In, Out]) Call(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
	out, err := t.made(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return encoded(out)
}

func (t typedTool[In, Out]) made(ctx context.Context, arguments json.RawMessage) (out Out, err error) {
	var in In
	if err := json.Unmarshal(arguments, &in); err != nil {
		return out, fmt.Errorf("decoding the arguments: %w", err)
	}
	return t.fn(ctx, in)
}

func encoded(out any) (json.RawMessage, error) {
	result, err := plainjson.Encode(out)
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return result, nil
}

// callText returns a string without a detour through JSON. A string that JSON would change takes it.
func (t typedTool[In, Out]) callText(ctx context.Context, arguments json.RawMessage) (string, error) {
	out, err := t.made(ctx, arguments)
	if err != nil {
		return "", err
	}
	if text, ok := any(&out).(*string); ok && utf8.ValidString(*text) {
		return *text, nil
	}
	return unquoted(encoded(out))
}

// CallText calls a tool and returns its result as a text for a model: a string without quotes, and
// all else as JSON.
func CallText(ctx context.Context, c Callable, arguments json.RawMessage) (string, error) {
	if t, ok := c.(interface {
		callText(context.Context, json.RawMessage) (string, error)
	}); ok {
		return t.callText(ctx, arguments)
	}
	return unquoted(c.Call(ctx, arguments))
}

func unquoted(result json.RawMessage, err error) (string, error) {
	if len(result) == 0 || result[0] != '"' {
		return string(result), err
	}
	var text string
	if json.Unmarshal(result, &text) != nil {
		return string(result), err
	}
	return text, err
}

// CheckArguments checks a tool call's arguments against the tool's parameters and returns them as a
// JSON object. Missing arguments are an empty object, since some models leave them out. Its errors
// are shown to the model.
func CheckArguments(t Tool, arguments json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	var s schema
	var err error
	if len(t.Parameters) > 0 {
		if s, err = compiled(t.Parameters); err == nil && s.shape.accepts(arguments) {
			return arguments, nil
		}
	}
	v, invalid := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	switch {
	case invalid != nil:
		return nil, fmt.Errorf("the arguments are not one JSON object: %w", invalid)
	case err != nil || s.compiled == nil:
		return arguments, err
	}
	if err := s.compiled.Validate(v); err != nil {
		return nil, fmt.Errorf("the arguments do not fit the parameters: %w", plain(err))
	}
	return arguments, nil
}
