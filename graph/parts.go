package graph

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A part is a part of a value that JSON writes separately, and its path from
// there, such as .Field, [2] or ["key"].
type part struct {
	reflect.Value
	name string
}

// parts returns the parts of a value in a fixed order. Map keys are among them.
// A value that codes itself has none.
func parts(v reflect.Value) (out []part) {
	if !v.IsValid() || codesItself(v.Type()) {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			out = []part{{v.Elem(), ""}}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = append(out, part{v.Index(i), fmt.Sprintf("[%d]", i)})
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			name := fmt.Sprintf("[%q]", fmt.Sprint(k))
			out = append(out, part{k, name}, part{v.MapIndex(k), name})
		}
		slices.SortStableFunc(out, func(a, b part) int { return strings.Compare(a.name, b.name) })
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" {
				out = append(out, part{v.Field(i), "." + f.Name})
			}
		}
	}
	return out
}

// firstBad returns the path to the first bad part of a value whose own parts are
// not bad. The path of the value itself is empty.
func firstBad(v reflect.Value, bad func(reflect.Value) bool, depth int) (path string, found bool) {
	if depth > 32 || !v.IsValid() {
		return "", false
	}
	for _, p := range parts(v) {
		if path, found := firstBad(p.Value, bad, depth+1); found {
			return p.name + path, true
		}
	}
	return "", v.CanInterface() && bad(v)
}

// differs returns the path to where two values of one type differ. A type that
// codes itself is trusted.
func differs(a, b reflect.Value, path string) (where string, differ bool) {
	if a.Type() != b.Type() {
		return path, true // what two interfaces hold
	}
	if codesItself(a.Type()) {
		return "", false
	}
	of, others := parts(a), parts(b)
	if len(of) != len(others) {
		return path, true
	}
	for i, p := range of {
		if where, differ := differs(p.Value, others[i].Value, path+p.name); differ {
			return where, true
		}
	}
	if len(of) > 0 || a.Kind() == reflect.Struct { // the parts are all there is
		return "", false
	}
	return path, !reflect.DeepEqual(a.Interface(), b.Interface())
}
