package wire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"example.com/assay/llm"
)

// Arguments is what a model wrote as a call's arguments, as a JSON value:
// nothing is the empty object, and what is not JSON is a JSON string, which no
// tool takes but which can be kept and sent back.
func Arguments(text string) json.RawMessage {
	switch {
	case len(bytes.TrimSpace([]byte(text))) == 0:
		return json.RawMessage("{}")
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string always is JSON
	return quoted
}

// ArgumentText is the inverse of Arguments: what the model wrote.
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

// NameCalls gives the calls that have no id of their own one each: some
// servers leave the id out, or repeat it.
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

// ResultText is a result for providers that know no failed ones: the text,
// marked when it is an error, and never empty, which several refuse.
func ResultText(r llm.ToolResult) string {
	switch {
	case r.Failed:
		return "error: " + r.Text
	case r.Text == "":
		return "null"
	}
	return r.Text
}
