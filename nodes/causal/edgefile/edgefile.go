// Package edgefile parses files of causal edges for the causal pipeline.
//
//	edges, err := edgefile.Read("edges.json", data)
//
// It opens no file and verifies no edge.
package edgefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/document"
	"example.com/assay/nodes/causal"
)

const maxEdges = 10_000 // in one file

// Read parses a file of edges: a JSON list of objects, or an object with such a list under the key
// "edges", as drafting and verifying write it. Name is the file's name in errors.
//
// An edge needs from_var and to_var. A missing id becomes its position, "e1", "e2" …; a missing
// strength is moderate. Results of an earlier verification (edge_status, confidence, evidence,
// rejection) are ignored. An error is a *document.InputError with the line and the field.
func Read(name string, data []byte) ([]causal.Edge, error) {
	r := &edgeReader{name: name, data: data}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("reading edges: %w", err)
	}
	return r.edges, nil
}

type edgeReader struct {
	name  string
	data  []byte
	edges []causal.Edge
}

const shape = `want {"edges": [{"from_var": "…", "to_var": "…"}]} or the list alone`

func (r *edgeReader) read() error {
	if !utf8.Valid(r.data) {
		at := 0
		for at < len(r.data) {
			c, size := utf8.DecodeRune(r.data[at:])
			if c == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return r.fault(at, "", "it is not valid UTF-8", "convert it to UTF-8")
	}
	r.data = bytes.TrimPrefix(r.data, []byte("\ufeff"))
	if len(bytes.TrimSpace(r.data)) == 0 {
		return r.fault(0, "", "it is empty", shape)
	}
	list := span{len(r.data) - len(bytes.TrimLeft(r.data, " \t\r\n")), len(r.data)}
	d, first, err := r.open(list)
	if err != nil {
		return err
	}
	if first == json.Delim('{') {
		found := false
		if err := r.object(d, list, func(key string, value span) error {
			if key == "edges" {
				if found {
					return r.fault(value.from, key, "it is given twice", "")
				}
				list, found = value, true
			}
			return nil
		}); err != nil {
			return err
		}
		if !found {
			return r.fault(0, "edges", "it is missing", shape)
		}
	} else if first != json.Delim('[') {
		return r.fault(0, "", "it is neither a list nor an object", shape)
	}
	return r.list(list)
}

// A span is the byte range of a value.
type span struct{ from, to int }

// open starts to read a value and returns its first token.
func (r *edgeReader) open(s span) (*json.Decoder, json.Token, error) {
	d := json.NewDecoder(bytes.NewReader(r.data[s.from:s.to]))
	d.UseNumber()
	t, err := d.Token()
	if err != nil {
		return nil, nil, r.broken(d, s, err)
	}
	return d, t, nil
}

// object calls each for the keys of an object whose brace was read, and reads to the end of its
// span.
func (r *edgeReader) object(d *json.Decoder, s span, each func(key string, value span) error) error {
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return r.broken(d, s, err)
		}
		key, ok := t.(string)
		if !ok {
			return r.fault(s.from+int(d.InputOffset()), "", "a key is not a string", shape)
		}
		value, err := r.value(d, s)
		if err != nil {
			return err
		}
		if err := each(key, value); err != nil {
			return err
		}
	}
	return r.closed(d, s)
}

// closed reads the end of a list or an object. Nothing may follow it.
func (r *edgeReader) closed(d *json.Decoder, s span) error {
	if _, err := d.Token(); err != nil {
		return r.broken(d, s, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r.fault(s.from+int(d.InputOffset()), "", "something follows the end", shape)
	}
	return nil
}

func (r *edgeReader) value(d *json.Decoder, s span) (span, error) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return span{}, r.broken(d, s, err)
	}
	to := s.from + int(d.InputOffset())
	return span{to - len(raw), to}, nil
}

func (r *edgeReader) list(s span) error {
	d, t, err := r.open(s)
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return r.fault(s.from, "edges", "it is not a list", shape)
	}
	ids := map[string]int{}
	for d.More() {
		value, err := r.value(d, s)
		if err != nil {
			return err
		}
		if len(r.edges) == maxEdges {
			return r.fault(value.from, "edges", fmt.Sprintf("there are more than %d", maxEdges), "verify them in parts")
		}
		e, err := r.edge(value)
		if err != nil {
			return err
		}
		if line, taken := ids[e.ID]; taken {
			return r.fault(value.from, "id", fmt.Sprintf("%q is the id of the edge in line %d, too", e.ID, line), "give every edge its own")
		}
		ids[e.ID] = r.line(value.from)
		r.edges = append(r.edges, e)
	}
	if err := r.closed(d, s); err != nil {
		return err
	}
	if len(r.edges) == 0 {
		return r.fault(s.from, "edges", "it has no edge", shape)
	}
	return nil
}

func (r *edgeReader) edge(s span) (causal.Edge, error) {
	e := causal.Edge{Status: causal.EdgeDraft, Strength: causal.Moderate}
	d, t, err := r.open(s)
	if err != nil {
		return e, err
	}
	if t != json.Delim('{') {
		return e, r.fault(s.from, "edges", "an edge is not an object", shape)
	}
	seen := map[string]bool{}
	err = r.object(d, s, func(key string, value span) error {
		if seen[key] {
			return r.fault(value.from, key, "it is given twice", "")
		}
		seen[key] = true
		switch key {
		case "id":
			return r.text(value, key, causal.MaxVariable, &e.ID)
		case "from_var":
			return r.text(value, key, causal.MaxVariable, &e.FromVar)
		case "to_var":
			return r.text(value, key, causal.MaxVariable, &e.ToVar)
		case "mechanism":
			return r.text(value, key, causal.MaxText, &e.Mechanism)
		case "chain_of_thought":
			return r.text(value, key, causal.MaxText, &e.ChainOfThought)
		case "strength":
			var strength string
			if err := r.text(value, key, causal.MaxVariable, &strength); err != nil {
				return err
			}
			if strength != "" {
				e.Strength = causal.Strength(strength)
			}
			if !slices.Contains(causal.Strengths(), e.Strength) {
				return r.fault(value.from, key, fmt.Sprintf("it is %q", strength), "want strong, moderate or weak")
			}
		case "assumptions":
			return r.texts(value, key, &e.Assumptions)
		case "conditions":
			return r.texts(value, key, &e.Conditions)
		case "edge_status", "confidence", "evidence", "rejection": // results of an earlier verification
		default:
			return r.fault(value.from, key, "an edge has no such field", "known: id, from_var, to_var, mechanism, strength, chain_of_thought, assumptions, conditions")
		}
		return nil
	})
	if err != nil {
		return e, err
	}
	for _, need := range []struct{ field, value string }{{"from_var", e.FromVar}, {"to_var", e.ToVar}} {
		if need.value == "" {
			return e, r.fault(s.from, need.field, "it is missing or blank", "name the variable")
		}
	}
	if e.ID == "" {
		e.ID = fmt.Sprintf("e%d", len(r.edges)+1)
	}
	e.Assumptions, e.Conditions = append([]string{}, e.Assumptions...), append([]string{}, e.Conditions...)
	return e, nil
}

// text reads a string of at most most bytes and trims it. Null counts as missing.
func (r *edgeReader) text(s span, field string, most int, into *string) error {
	var value string
	if err := json.Unmarshal(r.data[s.from:s.to], &value); err != nil {
		return r.fault(s.from, field, "it is not a string", "write it in quotation marks")
	}
	if value = strings.TrimSpace(value); len(value) > most {
		return r.fault(s.from, field, fmt.Sprintf("it is longer than %d bytes", most), "shorten it")
	}
	*into = value
	return nil
}

func (r *edgeReader) texts(s span, field string, into *[]string) error {
	if err := json.Unmarshal(r.data[s.from:s.to], into); err != nil {
		return r.fault(s.from, field, "it is not a list of strings", `want ["…", "…"]`)
	}
	return nil
}

// broken is a fault of the JSON itself.
func (r *edgeReader) broken(d *json.Decoder, s span, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return r.fault(s.from+int(syntax.Offset)-1, "", "it is not JSON: "+syntax.Error(), shape)
	}
	return r.fault(s.from+int(d.InputOffset()), "", "it ends before its JSON does", shape)
}

func (r *edgeReader) fault(at int, field, message, hint string) error {
	return &document.InputError{Path: r.name, Line: r.line(at), Field: field, Msg: message, Hint: hint}
}

func (r *edgeReader) line(at int) int {
	return 1 + bytes.Count(r.data[:min(max(at, 0), len(r.data))], []byte("\n"))
}
