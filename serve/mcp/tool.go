package mcp

import (
	"context"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An About describes a tool to the model that calls it, and to people.
type About struct {
	Name        string // of letters, digits, "_", "-" and "."
	Title       string // for people
	Description string // for the model: what it does, and when to call it
	// Writes says that the tool changes something. Default: it only reads.
	Writes bool
	// Page is the URI of the page that shows the tool's outputs. Default: none does.
	Page string
}

// A Tool is a function that clients call by its name.
type Tool struct {
	about About
	add   func(*tenant)
}

// NewTool makes a tool of a function. The schemas of its arguments and its output are those
// of the types; arguments are checked before the function is called. An error of the
// function is told to the model, as the output of a tool that failed: it says what to do.
func NewTool[In, Out any](about About, do func(ctx context.Context, c *Call, in In) (Out, error)) Tool {
	return Tool{about, func(t *tenant) {
		sdk.AddTool(t.server, about.tool(), func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
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
			res, err := fit(&out, t.limit(in))
			return res, out, err
		})
	}}
}

func (a About) tool() *sdk.Tool {
	no := false
	out := &sdk.Tool{
		Name: a.Name, Title: a.Title, Description: a.Description,
		Annotations: &sdk.ToolAnnotations{Title: a.Title, ReadOnlyHint: !a.Writes, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}
	if a.Page != "" {
		out.Meta = sdk.Meta{"ui": map[string]any{"resourceUri": a.Page}}
	}
	return out
}
