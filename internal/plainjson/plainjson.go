// Package plainjson encodes JSON for people and models to read: <, > and & stay as they are. It reads
// no JSON.
package plainjson

import (
	"bytes"
	"encoding/json"
	"sync"
)

// An encoder writes to its own buffer.
type encoder struct {
	out  bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.json = json.NewEncoder(&e.out)
	e.json.SetEscapeHTML(false)
	return e
}}

// largest is the size in bytes of a buffer that is kept for the next call.
const largest = 64 << 10

// Encode returns a value as JSON, without a line end.
func Encode(v any) (json.RawMessage, error) {
	e := encoders.Get().(*encoder)
	e.out.Reset()
	if err := e.json.Encode(v); err != nil {
		return nil, err // and the encoder goes, with what it wrote
	}
	data := bytes.Clone(bytes.TrimSuffix(e.out.Bytes(), []byte("\n")))
	if e.out.Cap() <= largest {
		encoders.Put(e)
	}
	return data, nil
}
