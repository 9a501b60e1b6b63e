package wire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"example.com/assay/llm"
)

// Arguments returns a model's text of a call's arguments as a JSON value. Empty text is the empty
// object. Text that is not JSON becomes a JSON string: no tool accepts it, but it can be stored and
// sent back.
func Arguments(text string) json.RawMessage {
	switch {
	case len(bytes.TrimSpace([]byte(text))) == 0:
		return json.RawMessage("{}")
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return quoted
}

// ArgumentText is the inverse of Arguments.
func ArgumentText(arguments json.RawMessage) string {
	var text string
	if len(arguments) == 0 {
		return "{}"
	}
	if json.Unmarshal(arguments, &text) == nil {
		return text
	}
	return string(arguments)
}

// NameCalls gives each call without a unique ID a new one: some servers leave the ID out or repeat
// it.
func NameCalls(calls []llm.ToolCall) {
	seen := map[string]bool{"": true}
	for _, c := range calls {
		seen[c.ID] = true
	}
	used := map[string]bool{"": true}
	for i := range calls {
		if used[calls[i].ID] {
			for n := i + 1; ; n++ {
				if id := "call_" + strconv.Itoa(n); !seen[id] {
					calls[i].ID = id
					seen[id] = true
					break
				}
			}
		}
		used[calls[i].ID] = true
	}
}

// ResultText returns a result for providers without failed results: the text, marked if it is an
// error, and never empty, since several providers refuse that.
func ResultText(r llm.ToolResult) string {
	switch {
	case r.Failed:
		return "error: " + r.Text
	case r.Text == "":
		return "null"
	}
	return r.Text
}
