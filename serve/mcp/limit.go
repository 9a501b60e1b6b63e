package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limited is embedded in the arguments of a tool that may return a long output.
type Limited struct {
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"how long the output may be, in tokens of 3 bytes; 8000 without it. What does not fit is named by links to resources"`
}

const maxTokens = "max_tokens"

func (l Limited) limit() int { return l.MaxTokens }

// tokenBytes is the number of JSON bytes that count as a token.
const tokenBytes = 3

// usualTokens is the default limit, and leastTokens the smallest one: a smaller limit has no room
// for an answer.
const (
	usualTokens = 8000
	leastTokens = 200
)

func limitOf(in any) int {
	n := usualTokens
	if l, ok := in.(interface{ limit() int }); ok && l.limit() > 0 {
		n = l.limit()
	}
	return max(n, leastTokens)
}

// A Cutter is an output that can be shortened.
type Cutter interface {
	// Cut removes the least important part and returns a link to it. It returns false when nothing
	// more can be removed.
	Cut() (Link, bool)
}

// A Link names a resource.
type Link struct {
	URI, Name, Description, MIMEType string
}

// fit cuts an output to at most this many tokens. It returns nil for an output that fits: the SDK
// then encodes it.
func fit(out any, tokens int) (*sdk.CallToolResult, error) {
	var links []Link
	for {
		data, err := json.Marshal(out)
		if err != nil {
			return nil, fmt.Errorf("encoding the output: %w", err)
		}
		if len(data) <= tokens*tokenBytes {
			return linked(string(data), links), nil
		}
		var link Link
		c, ok := out.(Cutter)
		if ok {
			link, ok = c.Cut()
		}
		if !ok {
			return nil, fmt.Errorf("the output has %d tokens of %d bytes, and may have %d: ask for less, or raise max_tokens", len(data)/tokenBytes+1, tokenBytes, tokens)
		}
		if !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
}

// linked returns a result with links after its text; nil without links.
func linked(text string, links []Link) *sdk.CallToolResult {
	if len(links) == 0 {
		return nil
	}
	res := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	for _, l := range links {
		res.Content = append(res.Content, &sdk.ResourceLink{URI: l.URI, Name: l.Name, Description: l.Description, MIMEType: l.MIMEType})
	}
	return res
}
