package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func parseJSONL(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	raw = bytes.TrimPrefix(raw, []byte(bom))
	out := recordText{d: d, watch: &watch{ended: ctx.Err}, lineOf: map[string]int{}}
	for line := 1; len(raw) > 0; line++ {
		out.watch.step()
		row, rest, _ := bytes.Cut(raw, []byte("\n"))
		raw = rest
		row = bytes.TrimSpace(row)
		if len(row) == 0 {
			continue
		}
		if err := out.object(row, line, o); err != nil {
			return err
		}
	}
	switch {
	case out.fault != nil && !out.known:
		return out.fault
	case !out.known:
		return &InputError{Path: d.Path, Msg: "it has no records", Hint: "write one JSON object per line"}
	}
	return out.finish()
}

func jsonObject(row []byte, path string, line, limit int) (map[string]json.RawMessage, error) {
	if len(row) > limit {
		return nil, &InputError{Path: path, Line: line, Msg: fmt.Sprintf("the record is %d bytes long, the limit is %d", len(row), limit), Hint: "split it"}
	}
	if i := invalidUTF8(row); i >= 0 {
		return nil, &InputError{Path: path, Line: line, Msg: fmt.Sprintf("byte 0x%02X is not UTF-8", row[i]), Hint: "convert the file to UTF-8"}
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(row, &obj); err != nil {
		return nil, &InputError{Path: path, Line: line, Msg: "it is not a JSON object: " + jsonFault(err), Hint: "write one object per line"}
	}
	if obj == nil {
		return nil, &InputError{Path: path, Line: line, Msg: "it is null, not a JSON object", Hint: "write one object per line"}
	}
	return obj, nil
}

// jsonFault returns the decoder's error without its prefix.
func jsonFault(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%s (byte %d of the line)", syntax.Error(), syntax.Offset)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "it is a JSON " + kind.Value
	}
	return err.Error()
}

// keys returns the keys of a JSON object in the order in which they are written.
func keys(row []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(row))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []string
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if name, ok := token.(string); ok {
			out = append(out, name)
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return out, nil
}

func jsonRecord(obj map[string]json.RawMessage, f fields, path string, line int) (record, error) {
	rec := record{line: line}
	for _, want := range []struct {
		value *string
		name  string
		read  func(json.RawMessage) (string, string)
	}{
		{&rec.text, f.text, jsonText}, {&rec.title, f.title, jsonText}, {&rec.id, f.id, jsonScalar}, {&rec.doc, f.doc, jsonScalar},
	} {
		value, ok := obj[want.name]
		if want.name == "" || !ok && want.name != f.text {
			continue
		}
		if !ok {
			return rec, &InputError{Path: path, Line: line, Field: want.name, Msg: "the record lacks it", Hint: `give it a string, "" when there is no text`}
		}
		got, fault := want.read(value)
		if fault != "" {
			return rec, &InputError{Path: path, Line: line, Field: want.name, Msg: "it is " + jsonKind(value), Hint: "want " + fault}
		}
		*want.value = got
	}
	rec.meta = metadata{}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if !f.uses(name) {
			rec.meta.set(name, jsonValues(obj[name])...)
		}
	}
	return rec, nil
}

// jsonValues reads a scalar as one value and a list of scalars as several. It returns nil for
// objects and for lists with other elements.
func jsonValues(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var out []string
	for _, element := range list {
		value, fault := jsonScalar(element)
		var yes bool
		switch {
		case fault == "":
			out = append(out, value)
		case json.Unmarshal(element, &yes) == nil:
			out = append(out, strconv.FormatBool(yes))
		default:
			return nil
		}
	}
	return out
}

// jsonText reads a string, null as empty, or a list of strings as its lines. For anything else,
// fault says what was expected.
func jsonText(raw json.RawMessage) (value, fault string) {
	if json.Unmarshal(raw, &value) == nil {
		return value, ""
	}
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, "\n"), ""
	}
	return "", "a string or a list of strings"
}

// jsonScalar reads a string, or a number as written.
func jsonScalar(raw json.RawMessage) (value, fault string) {
	if json.Unmarshal(raw, &value) == nil {
		return value, ""
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String(), ""
	}
	return "", "a string or a number"
}

// jsonKind names the type of an unexpected JSON value.
func jsonKind(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case 'n':
		return "null"
	}
	return "a number"
}
