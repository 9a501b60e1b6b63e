package langchain

import (
	"context"
	"errors"
	"strings"

	"example.com/assay/llm"
)

// Tool turns a tool of the library into a Callable. It has one argument, the text "input", and
// returns a text. In its name, "_" replaces each character that models do not accept, such as a
// space.
//
// T is any tools.Tool. The interface is spelt out here because the library's package has
// dependencies that nothing here needs.
func Tool(t interface {
	Name() string
	Description() string
	Call(ctx context.Context, input string) (string, error)
}) (llm.Callable, error) {
	if t == nil {
		return nil, errors.New("making a tool: the tool is nil")
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, t.Name())
	return llm.NewTool(name, t.Description(), func(ctx context.Context, in struct {
		Input string `json:"input" jsonschema:"what the tool is given"`
	}) (string, error) {
		return t.Call(ctx, in.Input)
	})
}
