package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	googleschema "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/internal/plainjson"
)

// A Callable is a function that a model may call. NewTool makes one of a Go
// function. Implementations are safe for concurrent use.
type Callable interface {
	// Tool describes the function to the model, always the same.
	Tool() Tool
	// Call calls it with arguments that fit the tool's Parameters, and returns
	// its result as JSON. Its errors are for the model to read.
	Call(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
}

// EventToolCall is the name of the custom event that each call of a tool
// publishes.
const EventToolCall = "tool_call"

// ToolEvent is the payload of a "tool_call" event. It holds neither arguments
// nor result.
type ToolEvent struct {
	Skill         string `json:"skill,omitempty"`
	Tool          string `json:"tool"`
	Round         int    `json:"round"` // 1 for the first
	ArgumentChars int    `json:"argument_chars"`
	ResultChars   int    `json:"result_chars"`
	OK            bool   `json:"ok"`
	Error         string `json:"error,omitempty"` // at most 300 bytes
}

// NewTool makes a tool of fn. The schema of its arguments is that of In, a
// struct: a field is named by its json tag, described by its jsonschema tag,
// and required unless it is omitempty or omitzero; other fields are refused.
// No field may be null: what is optional is left out. Out is anything that can
// be encoded as JSON.
//
// A name that a model cannot be given, an empty description, and a type that
// has no schema (a cycle, a function, a channel) are errors.
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

// schemaOf is the JSON Schema of a struct.
func schemaOf[T any]() (json.RawMessage, error) {
	inferred, err := googleschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	withoutNull(inferred)
	return json.Marshal(inferred)
}

// ToolName reports whether a tool may have a name: 1 to 64 letters, digits, "_" and "-".
func ToolName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// withoutNull takes null out of the types of a schema. It is there for each
// slice and pointer, because Go writes their zero values so, but what a model
// leaves out it need not write; and Gemini's own schemas have no such types.
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
	var in In
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, fmt.Errorf("decoding the arguments: %w", err)
	}
	out, err := t.fn(ctx, in)
	if err != nil {
		return nil, err
	}
	result, err := plainjson.Encode(out)
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return result, nil
}

// CheckArguments returns the arguments of a call of a tool if they fit its
// parameters, as a JSON object. No arguments at all are an empty object: some models
// write them so. Its errors are for the model to read.
func CheckArguments(t Tool, arguments json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return nil, fmt.Errorf("the arguments are not one JSON object: %w", err)
	}
	if len(t.Parameters) == 0 {
		return arguments, nil
	}
	s, err := compiled(t.Parameters)
	if err != nil {
		return nil, err
	}
	if err := s.compiled.Validate(v); err != nil {
		return nil, fmt.Errorf("the arguments do not fit the parameters: %w", plain(err))
	}
	return arguments, nil
}
