package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"example.com/assay/llm"
)

// A schema that passes the checks can be used: it compiles, and a value is checked against it.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"string","description":"OBEY"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#"}]}}}`,
		`{"$ref":"#/$defs/a~1b/0","$defs":{"a/b":[{}]}}`, `{"pattern":"(a+)+$"}`, `{"$ref":"#x"}`, `true`, `[]`, `{"if":{},"then":{"$ref":"#/if"}}`, `{"$id":"file:///x","$ref":"y"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clean, _, err := checkSchema(data, obey)
		if err != nil {
			return
		}
		if err := llm.CheckSchema(clean); err != nil {
			t.Fatalf("%s became %s: %v", data, clean, err)
		}
		if bytes.Contains(clean, []byte("OBEY")) {
			t.Fatalf("an order is in %s", clean)
		}
		_ = llm.Fits(clean, json.RawMessage(`{"a":[1,{"b":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}]}`)) // either answer will do
	})
}

// What a guard counts does not depend on the pieces that it reads.
func FuzzGuard(f *testing.F) {
	f.Add([]byte("{}\n[1]\n"), 3)
	f.Add([]byte("\n\n {}\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		whole := &guard{byLine: true, ReadCloser: io.NopCloser(bytes.NewReader(data)), report: func(error) {}}
		pieces := &guard{byLine: true, ReadCloser: io.NopCloser(bytes.NewReader(data)), report: func(error) {}}
		_, wholeErr := io.ReadAll(whole)
		piece := make([]byte, max(size%16, 1))
		var pieceErr error
		for pieceErr == nil {
			_, pieceErr = pieces.Read(piece)
		}
		if pieceErr == io.EOF {
			pieceErr = nil
		}
		if (wholeErr == nil) != (pieceErr == nil) || wholeErr == nil && whole.messages != pieces.messages {
			t.Fatalf("%q: %v and %d messages at once, %v and %d in pieces", data, wholeErr, whole.messages, pieceErr, pieces.messages)
		}
	})
}
