package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/internal/plainjson"
	"example.com/assay/memory/retrieval"
)

// A Definition is a tool from a server's list, after the checks.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"` // at most 2,000 bytes
	Input       json.RawMessage `json:"input,omitempty"`       // JSON Schema of the arguments
	Output      json.RawMessage `json:"output,omitempty"`      // JSON Schema of structured results; nil without one
	// Withheld are the kinds of prompt injection that were removed from its descriptions.
	Withheld []string `json:"withheld,omitempty"`
}

const (
	maxTools  = 1000
	maxPages  = 100
	maxSchema = 64 << 10
)

// defined returns the tools of a server's list. Only tools that may be called have schemas.
func defined(listed []*sdk.Tool, allowed []string) ([]Definition, error) {
	out := make([]Definition, 0, len(listed))
	for _, t := range listed {
		d := Definition{Name: t.Name, Description: Printable(t.Description)}
		if slices.Contains(allowed, t.Name) {
			var err error
			if d.Input, err = encoded(t.InputSchema); err == nil {
				d.Output, err = encoded(t.OutputSchema)
			}
			if err != nil {
				return nil, fmt.Errorf("encoding the schemas of the tool %q: %w", t.Name, err)
			}
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func encoded(schema any) (json.RawMessage, error) {
	if schema == nil {
		return nil, nil
	}
	return plainjson.Encode(schema)
}

// usable checks a tool that may be called, and removes prompt injection from its descriptions. Its
// errors are for a person.
func (d Definition) usable(inspect retrieval.Inspect) (Definition, error) {
	if kinds := inspect.Kinds(d.Description); len(kinds) > 0 {
		d.Description, d.Withheld = "", kinds
	}
	if len(d.Input) == 0 {
		return d, errors.New("it has no schema of its arguments")
	}
	for _, part := range []struct {
		name   string
		schema *json.RawMessage
	}{{"arguments", &d.Input}, {"results", &d.Output}} {
		if len(*part.schema) == 0 {
			continue
		}
		clean, kinds, err := checkSchema(*part.schema, inspect)
		if err != nil {
			return d, fmt.Errorf("the schema of its %s: %w", part.name, err)
		}
		*part.schema = clean
		for _, kind := range kinds {
			if !slices.Contains(d.Withheld, kind) {
				d.Withheld = append(d.Withheld, kind)
			}
		}
	}
	var object struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(d.Input, &object); err != nil || object.Type != "object" {
		return d, errors.New(`the schema of its arguments is not one of an object ("type": "object")`)
	}
	return d, nil
}
