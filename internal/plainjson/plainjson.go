// Package plainjson encodes JSON for people and models to read: <, > and & stay as they are. It reads
// no JSON.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Encode returns a value as JSON, without a line end.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
