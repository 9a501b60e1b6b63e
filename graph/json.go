package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encode writes what v points to as JSON for people: <, > and & stay as they are.
// A value whose own method panics is an error.
func encode(v any) (data json.RawMessage, err error) {
	defer recoverAs(&err)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // an address: methods with pointer receivers count
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// appendJSON appends what encode returns, and is quick about what most steps
// write. An error says where in the value it is.
func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case *int:
		return strconv.AppendInt(dst, int64(*v), 10), nil
	case *bool:
		return strconv.AppendBool(dst, *v), nil
	case *string:
		if plain(*v) {
			return append(append(append(dst, '"'), *v...), '"'), nil
		}
	case *[]int:
		if *v == nil {
			return append(dst, "null"...), nil
		}
		dst = append(dst, '[')
		for i, n := range *v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
		return append(dst, ']'), nil
	case *[]string:
		return appendStrings(dst, *v)
	}
	data, err := encode(v)
	if err != nil {
		path, _ := firstBad(reflect.ValueOf(v).Elem(), func(part reflect.Value) bool {
			whole := part.Interface()
			_, err := encode(&whole)
			return err != nil
		}, 0)
		if path != "" {
			err = fmt.Errorf("at %s: %w", strings.TrimPrefix(path, "."), err)
		}
		return dst, err
	}
	return append(dst, data...), nil
}

// appendWhole is appendJSON for what is saved: text that JSON would change is an
// error.
func appendWhole(dst []byte, v any) ([]byte, error) {
	from := len(dst)
	dst, err := appendJSON(dst, v)
	if err == nil {
		err = intact(dst[from:], v)
	}
	return dst, err
}

// replaced is how encoding/json writes a byte that is not UTF-8. What stood there
// is lost. A string that holds U+FFFD itself is written as it is.
var replaced = []byte(`\ufffd`)

// intact checks that the text in what v points to is all in its encoding.
func intact(data []byte, v any) error {
	if !bytes.Contains(data, replaced) {
		return nil
	}
	notUTF8 := func(part reflect.Value) bool {
		return part.Kind() == reflect.String && !codesItself(part.Type()) && !utf8.ValidString(part.String())
	}
	if path, found := firstBad(reflect.ValueOf(v).Elem(), notUTF8, 0); found {
		return fmt.Errorf("at %s: a string that is not UTF-8, which JSON cannot hold", strings.TrimPrefix(path, "."))
	}
	return nil
}

func appendStrings(dst []byte, list []string) ([]byte, error) {
	if list == nil {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']'), nil
}

func appendString(dst []byte, s string) []byte {
	if plain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	own := s                // which then is not always on the heap
	data, _ := encode(&own) // a string can always be encoded
	return append(dst, data...)
}

// plain reports whether a string stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decodeWhole is decodeInto for what was encoded from the same type: a field that
// the type does not have was renamed or removed since, and its value would be
// lost.
func decodeWhole(data []byte, v any) (err error) {
	defer recoverAs(&err)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return fmt.Errorf("more than one value: %.20q", data)
	}
	return nil
}

// decodeInto reads JSON that may be only one value. A value whose own method
// panics is an error.
func decodeInto(data []byte, v any) (err error) {
	defer recoverAs(&err)
	return json.Unmarshal(data, v)
}
