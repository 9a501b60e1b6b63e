package graph

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// unsavableChannels finds channels that JSON cannot encode and decode, for any
// value.
func (g *blueprint) unsavableChannels() []Problem {
	var out []Problem
	for _, ch := range g.channels {
		if ch == nil || ch.id().kind == KindUntracked || ch.fault(g.typ.fresh()) != "" {
			continue
		}
		if where, why := ch.unsavable(); why != "" {
			if where != "" {
				where = " at " + strings.TrimPrefix(anyPlace.ReplaceAllString(where, "[]"), ".")
			}
			out = append(out, Problem{InvalidOptions, ch.id().name, fmt.Sprintf("its values cannot be saved%s: %s; give the type MarshalJSON and UnmarshalJSON, or use an Untracked channel", where, why)})
		}
	}
	return out
}

// anyPlace matches an index or a key. A type has none.
var anyPlace = regexp.MustCompile(`\[[^]]*\]`)

// unsavable returns the place in a type that JSON does not bring back, and the
// reason. It checks the type, then encodes and decodes a sample value.
func unsavable(t reflect.Type) (where, why string) {
	if where, why = unfit(t, "", map[reflect.Type]bool{}); why != "" {
		return where, why
	}
	f := filler{busy: map[reflect.Type]bool{}}
	v := reflect.New(t).Elem()
	if f.fill(v); f.opaque {
		return "", ""
	}
	return lost(v, "")
}

var (
	jsonWriter = reflect.TypeFor[json.Marshaler]()
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textWriter = reflect.TypeFor[encoding.TextMarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// codesItself reports whether a type has its own methods for both directions.
// They are trusted.
func codesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	if p.Implements(jsonWriter) || p.Implements(jsonReader) {
		return p.Implements(jsonWriter) && p.Implements(jsonReader)
	}
	return p.Implements(textWriter) && p.Implements(textReader)
}

// unfit finds a part of a type that JSON never brings back.
func unfit(t reflect.Type, path string, seen map[reflect.Type]bool) (where, why string) {
	if seen[t] || codesItself(t) {
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
		return unfit(t.Elem(), path, seen)
	case reflect.Map:
		if of := t.Elem(); reflect.PointerTo(of).Implements(jsonWriter) && !of.Implements(jsonWriter) {
			return path + "[]", fmt.Sprintf("JSON does not call the MarshalJSON of *%s for a value in a map", of)
		}
		return unfit(t.Elem(), path+"[]", seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Tag.Get("json") == "-" || f.Type.Size() == 0 && !f.IsExported() {
				continue // omitted on purpose
			}
			if !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct) {
				return path + "." + f.Name, "JSON leaves out fields that are not exported"
			}
			if where, why := unfit(f.Type, path+"."+f.Name, seen); why != "" {
				return where, why
			}
		}
	}
	return "", ""
}

// fillMost bounds the parts of a sample value.
const fillMost = 10_000

// A filler makes a sample value, with no zero part where possible.
type filler struct {
	n      int
	busy   map[reflect.Type]bool // types being filled; a type inside itself stays zero
	opaque bool                  // a part codes itself but not its zero value, so no sample is possible
}

func (f *filler) fill(v reflect.Value) {
	t := v.Type()
	f.n++
	switch {
	case f.busy[t] || f.n > fillMost:
		return
	case codesItself(t):
		f.opaque = f.opaque || thereAndBack(v, reflect.New(t)) != nil
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n%100 + 1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(f.n%100 + 1))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.n%100) + 0.5)
	case reflect.String:
		v.SetString(fmt.Sprint("s", f.n))
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprint("s", f.n)))
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		f.busy[t] = true
		f.fillParts(v)
		delete(f.busy, t)
	}
}

func (f *filler) fillParts(v reflect.Value) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Pointer:
		if f.busy[t.Elem()] {
			return
		}
		v.Set(reflect.New(t.Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		if f.busy[t.Elem()] {
			return
		}
		v.Set(reflect.MakeSlice(t, 1, 1))
		f.fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		if f.busy[t.Elem()] {
			return
		}
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range t.NumField() {
			if s := t.Field(i); s.Tag.Get("json") != "-" && (s.IsExported() || s.Anonymous) {
				f.fill(v.Field(i))
			}
		}
	}
}

// lost finds the smallest part of a value that JSON does not bring back.
func lost(v reflect.Value, path string) (where, why string) {
	back := reflect.New(v.Type())
	err := thereAndBack(v, back)
	if err == nil {
		if where, differ := differs(v, back.Elem(), path); differ {
			return where, "JSON does not bring it back"
		}
		return "", ""
	}
	for _, p := range parts(v) {
		if !p.CanInterface() {
			continue // an unexported embedded struct; JSON promotes its fields
		}
		if where, why := lost(p.Value, path+p.name); why != "" {
			return where, why
		}
	}
	return path, err.Error()
}

// thereAndBack encodes a value and decodes the result.
func thereAndBack(v, back reflect.Value) (err error) {
	defer recoverAs(&err)
	own := reflect.New(v.Type())
	own.Elem().Set(v)
	data, err := encode(own.Interface())
	if err != nil {
		return err
	}
	return decodeWhole(data, back.Interface())
}

// loose reports whether values of a type may hold interfaces. JSON does not say
// what type of value it brings back there.
func loose(t reflect.Type, within []reflect.Type) bool {
	if slices.Contains(within, t) || codesItself(t) {
		return false
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return loose(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("json") != "-" && loose(f.Type, within) {
				return true
			}
		}
	}
	return false
}

// sameTypes checks that JSON brings back the types of all values that *v holds
// in interfaces.
func sameTypes(v any) error {
	var held any
	path, found := firstBad(reflect.ValueOf(v).Elem(), func(part reflect.Value) bool {
		if part.Kind() != reflect.Interface || part.IsNil() {
			return false
		}
		held = part.Elem().Interface()
		switch x := held.(type) {
		case bool, string, float64:
			return false
		case []any:
			return x == nil
		case map[string]any:
			return x == nil
		}
		return true
	}, 0)
	if !found {
		return nil
	}
	if path != "" {
		path = " at " + strings.TrimPrefix(path, ".")
	}
	return fmt.Errorf("an interface%s holds a value of type %T, which JSON brings back as another type: use a float64 for a number, or else a typed field, or MarshalJSON and UnmarshalJSON", path, held)
}
