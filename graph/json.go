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

// encode writes *v as readable JSON: <, > and & are not escaped. A panic in a
// method of the value is an error.
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

// appendJSON appends the result of encode, with fast paths for common types.
// Its error names the place in the value.
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

// appendWhole is appendJSON for saved values. It refuses text that JSON would
// change; see sameTypes for types.
func appendWhole(dst []byte, v any) ([]byte, error) {
	from := len(dst)
	dst, err := appendJSON(dst, v)
	if err == nil {
		err = intact(dst[from:], v)
	}
	return dst, err
}

// replaced is what encoding/json writes for a byte that is not UTF-8. That byte
// is lost. A U+FFFD of the string itself is written unescaped.
var replaced = []byte(`\ufffd`)

// intact checks that an encoding holds all text of *v.
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
	own := s                // only an escaped string goes to the heap
	data, _ := encode(&own) // a string can always be encoded
	return append(dst, data...)
}

// plain reports whether JSON needs no escapes for a string.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decodeWhole is decodeInto for values encoded from the same type. An unknown
// field was renamed or removed since, and its value would be lost: that is an
// error.
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

// decodeInto decodes exactly one JSON value. A panic in a method of the value
// is an error.
func decodeInto(data []byte, v any) (err error) {
	defer recoverAs(&err)
	return json.Unmarshal(data, v)
}
