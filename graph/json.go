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
		return dst, unencodable(reflect.ValueOf(v).Elem(), err)
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

// unencodable says where in a value the part is that JSON refuses: the first
// that cannot be encoded although all of its own parts can.
func unencodable(v reflect.Value, err error) error {
	path := offender(v, 0)
	if path == "" {
		return err
	}
	return fmt.Errorf("at %s: %w", strings.TrimPrefix(path, "."), err)
}

// offender is the path to what JSON refuses within a value, or "". Values that
// write themselves are not looked into.
func offender(v reflect.Value, depth int) string {
	if depth > 32 || !v.IsValid() || !v.CanInterface() {
		return ""
	}
	if _, itself := v.Interface().(json.Marshaler); itself {
		return ""
	}
	inner := func(name string, part reflect.Value) (string, bool) {
		if !part.CanInterface() {
			return "", false
		}
		whole := part.Interface()
		if _, err := encode(&whole); err == nil {
			return "", false
		}
		return name + offender(part, depth+1), true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return offender(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Tag.Get("json") == "-" {
				continue
			}
			if path, found := inner("."+f.Name, v.Field(i)); found {
				return path
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if path, found := inner(fmt.Sprintf("[%d]", i), v.Index(i)); found {
				return path
			}
		}
	case reflect.Map:
		found, first := "", ""
		for _, k := range v.MapKeys() {
			name := fmt.Sprintf("[%v]", k)
			if path, is := inner(name, v.MapIndex(k)); is && (first == "" || name < first) {
				found, first = path, name
			}
		}
		return found
	}
	return ""
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
