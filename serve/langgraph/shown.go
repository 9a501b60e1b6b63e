package langgraph

import (
	"bytes"
	"encoding/json"

	"example.com/assay/graph"
)

// shown returns a state for clients: an empty list is [], not null.
func shown(app graph.App, state json.RawMessage) json.RawMessage {
	if !bytes.Contains(state, []byte("null")) {
		return state
	}
	for _, ch := range app.Channels() {
		if ch.Kind != graph.KindAppend && ch.Kind != graph.KindKeyed {
			continue
		}
		name, _ := json.Marshal(ch.Name) // a string can always be encoded
		at, ok := fieldAt(state, name)
		if ok {
			state = bytes.Join([][]byte{state[:at], state[at+len("null"):]}, []byte("[]"))
		}
	}
	return state
}

// fieldAt returns the position of a null field at the top level of an object.
func fieldAt(object, name []byte) (int, bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 0, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return 0, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return 0, false
		}
		own, _ := json.Marshal(key)
		if bytes.Equal(own, name) && string(value) == "null" {
			return int(d.InputOffset()) - len("null"), true
		}
	}
	return 0, false
}
