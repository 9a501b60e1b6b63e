package graph

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// replaced is how encoding/json writes a byte that is not UTF-8. What stood there
// is lost. A string that holds U+FFFD itself is written as it is.
var replaced = []byte(`\ufffd`)

// intact checks that the text in what v points to is all in its encoding.
func intact(data []byte, v any) error {
	if !bytes.Contains(data, replaced) {
		return nil
	}
	if path, found := badText(reflect.ValueOf(v).Elem(), 0); found {
		return fmt.Errorf("at %s: a string that is not UTF-8, which JSON cannot hold", strings.TrimPrefix(path, "."))
	}
	return nil
}

// badText is the path to a string within a value that is not UTF-8. Values that
// write themselves are not looked into.
func badText(v reflect.Value, depth int) (path string, found bool) {
	if depth > 32 || !v.IsValid() || codesItself(v.Type()) {
		return "", false
	}
	inner := func(name string, part reflect.Value) bool {
		if path, found = badText(part, depth+1); found {
			path = name + path
		}
		return found
	}
	switch v.Kind() {
	case reflect.String:
		return "", !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return badText(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get("json") != "-" && inner("."+f.Name, v.Field(i)) {
				return path, true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if inner(fmt.Sprintf("[%d]", i), v.Index(i)) {
				return path, true
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			name := fmt.Sprintf("[%q]", k)
			if inner(name, k) || inner(name, v.MapIndex(k)) {
				return path, true
			}
		}
	}
	return "", false
}
