package graph

import (
	"bytes"
	"encoding/json"
)

// encode writes a value as JSON for people: <, > and & stay as they are. A
// value whose own method panics is an error.
func encode[T any](v T) (data json.RawMessage, err error) {
	defer recoverAs(&err)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
