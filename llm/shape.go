package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// A shape is what most tools' schemas say: objects of known properties, lists, texts, numbers and
// booleans. It accepts arguments without decoding them. What it does not accept, the schema judges.
type shape struct {
	kind     string   // the type's name in JSON Schema
	names    []string // an object's properties
	parts    []shape  // of the properties, or of a list's items
	required uint64   // bits of names
}

// shapeOf returns the shape of a schema, or nil when the schema says more than a shape can.
func shapeOf(schema []byte) *shape {
	var s struct {
		Type        string                     `json:"type"`
		Properties  map[string]json.RawMessage `json:"properties"`
		Required    []string                   `json:"required"`
		Items       json.RawMessage            `json:"items"`
		Additional  *bool                      `json:"additionalProperties"` // unknown properties are the schema's affair
		Title       string                     `json:"title"`
		Description string                     `json:"description"`
	}
	d := json.NewDecoder(bytes.NewReader(schema))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || len(s.Properties) > 64 {
		return nil
	}
	out := &shape{kind: s.Type}
	add := func(schema []byte) bool {
		part := shapeOf(schema)
		if part != nil {
			out.parts = append(out.parts, *part)
		}
		return part != nil
	}
	switch {
	case s.Type == "object" && s.Items == nil:
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if !add(s.Properties[name]) {
				return nil
			}
			out.names = append(out.names, name)
		}
		for _, name := range s.Required {
			at := slices.Index(out.names, name)
			if at < 0 {
				return nil
			}
			out.required |= 1 << at
		}
		return out
	case s.Properties != nil || s.Required != nil || s.Additional != nil:
		return nil
	case s.Type == "array" && s.Items != nil && add(s.Items):
		return out
	case s.Items == nil && slices.Contains([]string{"string", "integer", "number", "boolean"}, s.Type):
		return out
	}
	return nil
}

// accepts reports whether arguments certainly fit.
func (s *shape) accepts(arguments []byte) bool {
	if s == nil || !json.Valid(arguments) {
		return false
	}
	_, ok := s.read(arguments)
	return ok
}

// read reads one value of valid JSON, and returns what follows it.
func (s *shape) read(data []byte) (rest []byte, ok bool) {
	data = bytes.TrimLeft(data, " \t\r\n")
	switch c := data[0]; {
	case c == '{' && s.kind == "object":
		var seen uint64
		data, ok = s.list(data, '}', func(entry []byte) ([]byte, bool) {
			name, rest := quoted(entry)
			at := slices.IndexFunc(s.names, func(n string) bool { return n == string(name) })
			if at < 0 { // or a name with escapes
				return nil, false
			}
			seen |= 1 << at
			return s.parts[at].read(bytes.TrimLeft(rest, ": \t\r\n"))
		})
		return data, ok && seen&s.required == s.required
	case c == '[' && s.kind == "array":
		return s.list(data, ']', s.parts[0].read)
	case c == '"' && s.kind == "string":
		_, rest := quoted(data)
		return rest, true
	case (c == 't' || c == 'f') && s.kind == "boolean":
		return data[bytes.IndexByte(data, 'e')+1:], true
	case c == '-' || c >= '0' && c <= '9':
		end := 1
		for end < len(data) && bytes.IndexByte([]byte("0123456789+-.eE"), data[end]) >= 0 {
			end++
		}
		whole := !bytes.ContainsAny(data[:end], ".eE")
		return data[end:], s.kind == "number" || s.kind == "integer" && whole
	}
	return nil, false
}

// list reads the entries of an object or a list.
func (s *shape) list(data []byte, end byte, entry func([]byte) ([]byte, bool)) (rest []byte, ok bool) {
	for {
		data = bytes.TrimLeft(data[1:], " \t\r\n") // after the bracket or a comma
		if data[0] == end {
			return data[1:], true
		}
		if data, ok = entry(data); !ok {
			return nil, false
		}
		if data = bytes.TrimLeft(data, " \t\r\n"); data[0] == end {
			return data[1:], true
		}
	}
}

// quoted returns the text between the quotes at the beginning of data, and what follows them.
func quoted(data []byte) (text, rest []byte) {
	end := 1
	for data[end] != '"' {
		if data[end] == '\\' {
			end++
		}
		end++
	}
	return data[1:end], data[end+1:]
}
