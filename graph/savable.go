package graph

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// unsaved finds channels whose values cannot be saved and read back, whatever
// they hold.
func (g *StateGraph[S]) unsaved() []Problem {
	var out []Problem
	for _, ch := range g.channels {
		if ch == nil || ch.Kind() == KindUntracked || ch.fault() != "" {
			continue
		}
		if path, why := unsavable(ch.valueType(), "", map[reflect.Type]bool{}); why != "" {
			if path != "" {
				path = " at " + strings.TrimPrefix(path, ".")
			}
			out = append(out, Problem{InvalidOptions, ch.Name(), fmt.Sprintf("its values cannot be saved%s: %s; give the type MarshalJSON and UnmarshalJSON, or use an Untracked channel", path, why)})
		}
	}
	return out
}

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// unsavable says where in a type something is that JSON cannot bring back, and
// what. A type that reads itself is trusted.
func unsavable(t reflect.Type, path string, seen map[reflect.Type]bool) (where, why string) {
	if seen[t] || reflect.PointerTo(t).Implements(jsonReader) || reflect.PointerTo(t).Implements(textReader) {
		return "", ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return path, fmt.Sprintf("JSON has no %s", t)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return path, fmt.Sprintf("JSON does not say which %s it was", t)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return unsavable(t.Elem(), path, seen)
	case reflect.Map:
		return unsavable(t.Elem(), path+"[]", seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Tag.Get("json") == "-" || f.Type.Size() == 0 && !f.IsExported() {
				continue // left out on purpose
			}
			if !f.IsExported() && !f.Anonymous {
				return path + "." + f.Name, "JSON leaves out fields that are not exported"
			}
			if where, why := unsavable(f.Type, path+"."+f.Name, seen); why != "" {
				return where, why
			}
		}
	}
	return "", ""
}
