package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// decode fills the struct at into from a YAML document, by its yaml tags. Errors name the
// file, the line and the key.
func decode(file string, data []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil // empty, or comments only
	} else if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := decoder.Decode(&more); err == nil {
		return fmt.Errorf("%s:%d: a second document begins here; a case has only one", file, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", file, err)
	}
	datesAsTexts(&doc)
	f := fieldReader{file}
	return f.fill("", doc.Content[0], reflect.ValueOf(into).Elem())
}

// datesAsTexts keeps dates as written, which YAML would parse as times.
func datesAsTexts(n *yaml.Node) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, inner := range n.Content {
		datesAsTexts(inner)
	}
}

type fieldReader struct{ file string }

// fill reads the lines of a mapping. in is the parent key followed by a dot, or empty.
func (f fieldReader) fill(in string, n *yaml.Node, into reflect.Value) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	known, fields := keysOf(into)
	if n.Kind != yaml.MappingNode {
		what := "a case"
		if in != "" {
			what = strings.TrimSuffix(in, ".")
		}
		return fmt.Errorf("%s:%d: %s needs lines of \"key: value\"; known keys: %s", f.file, n.Line, what, strings.Join(known, ", "))
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field, ok := fields[key.Value]
		if !ok {
			return fmt.Errorf("%s:%d: unknown key %q; known keys: %s", f.file, key.Line, in+key.Value, prefixed(in, known))
		}
		if line, twice := seen[key.Value]; twice {
			return fmt.Errorf("%s:%d: key %q is already set in line %d", f.file, key.Line, in+key.Value, line)
		}
		seen[key.Value] = key.Line
		if err := f.set(in+key.Value, value, field); err != nil {
			return err
		}
	}
	return nil
}

// set reads one value.
func (f fieldReader) set(key string, n *yaml.Node, field reflect.Value) error {
	if _, isTime := field.Interface().(time.Duration); isTime {
		d, err := time.ParseDuration(n.Value)
		if err != nil || d <= 0 {
			return fmt.Errorf("%s:%d: %s is %q: it must be a time such as 2s or 500ms", f.file, n.Line, key, n.Value)
		}
		field.SetInt(int64(d))
		return nil
	}
	if raw, anything := field.Addr().Interface().(*json.RawMessage); anything {
		return f.raw(key, n, raw)
	}
	if field.Kind() == reflect.Struct {
		return f.fill(key+".", n, field)
	}
	if err := n.Decode(field.Addr().Interface()); err != nil {
		return fmt.Errorf("%s:%d: %s must be %s", f.file, n.Line, key, wanted(field.Type()))
	}
	return nil
}

// raw reads any value as JSON. Null counts as absent.
func (f fieldReader) raw(key string, n *yaml.Node, into *json.RawMessage) error {
	var value any
	err := n.Decode(&value)
	if err == nil && value != nil {
		*into, err = json.Marshal(value)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %s cannot be written as JSON: %w", f.file, n.Line, key, err)
	}
	return nil
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list of texts"
	case reflect.Map:
		return "lines of \"name: " + strings.TrimPrefix(wanted(t.Elem()), "a ") + "\""
	}
	return "a text"
}

// keysOf returns the keys of a struct, in order, and its fields by key.
func keysOf(v reflect.Value) (keys []string, fields map[string]reflect.Value) {
	fields = map[string]reflect.Value{}
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get("yaml"); key != "" && key != "-" {
			keys = append(keys, key)
			fields[key] = v.Field(i)
		}
	}
	return keys, fields
}

func prefixed(in string, keys []string) string {
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i] = in + keys[i]
	}
	return strings.Join(keys, ", ")
}
