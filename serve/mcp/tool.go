package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An About describes a tool to models and people.
type About struct {
	Name        string // of letters, digits, "_", "-" and "."
	Title       string // for people
	Description string // for the model: what the tool does, and when to call it
	// Writes says that the tool changes something. Default: it only reads.
	Writes bool
	// Page is the URI of the page that shows the tool's outputs. Default: none.
	Page string
}

// A Tool is a function that clients call by its name.
type Tool struct {
	about About
	add   func(*tenant)
}

// NewTool makes a tool from a function. The schemas of its arguments and its output come from the
// types; arguments are checked before the call. A list in an output must be omitempty, so it is
// never null. The function's error is shown to the model as the output of a failed tool, so it
// should say what to do. A type without a schema panics.
func NewTool[In, Out any](about About, do func(ctx context.Context, c *Call, in In) (Out, error)) Tool {
	return newTool(about, schemaOf[In](), do)
}

// Arguments are a tool's arguments by name.
type Arguments map[string]json.RawMessage

func (a Arguments) limit() int {
	var n int
	_ = json.Unmarshal(a[maxTokens], &n) // the schema ensures a number
	return n
}

// NewToolOf makes a tool whose arguments are described by JSON Schemas of its properties. Needed
// names the required ones. Like a tool with [Limited], it also takes max_tokens. An invalid schema
// panics.
func NewToolOf[Out any](about About, properties map[string]json.RawMessage, needed []string, do func(ctx context.Context, c *Call, in Arguments) (Out, error)) Tool {
	in := &jsonschema.Schema{Type: "object", Properties: schemaOf[Limited]().Properties, Required: needed, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for name, data := range properties {
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			panic(fmt.Errorf("the schema of argument %q of tool %q: %w", name, about.Name, err))
		}
		in.Properties[name] = &s
	}
	return newTool(about, in, do)
}

func newTool[In, Out any](about About, in *jsonschema.Schema, do func(ctx context.Context, c *Call, in In) (Out, error)) Tool {
	tool := about.tool(in, schemaOf[Out]())
	return Tool{about, func(t *tenant) {
		sdk.AddTool(t.server, tool, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
			var none Out
			c, err := t.call(about.Name, req)
			if err != nil {
				return nil, none, err
			}
			out, err := do(ctx, c, in)
			var asks *InputRequired
			if errors.As(err, &asks) {
				res, err := c.ask(asks)
				return res, none, err
			}
			if err != nil {
				return nil, none, err
			}
			res, err := fit(&out, limitOf(in))
			return res, out, err
		})
	}}
}

func (a About) tool(in, out *jsonschema.Schema) *sdk.Tool {
	no := false
	tool := &sdk.Tool{
		Name: a.Name, Title: a.Title, Description: a.Description, InputSchema: in, OutputSchema: out,
		Annotations: &sdk.ToolAnnotations{Title: a.Title, ReadOnlyHint: !a.Writes, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}
	if a.Page != "" {
		tool.Meta = sdk.Meta{"ui": map[string]any{"resourceUri": a.Page}}
	}
	return tool
}

// schemaOf returns the schema of a type. No type in it may also be null, which some clients cannot
// express: an optional field is left out instead.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Errorf("the schema of %v: %w", reflect.TypeFor[T](), err))
	}
	withoutNull(s)
	return s
}

func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	withoutNull(s.Items)
	withoutNull(s.AdditionalProperties)
}
