package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
)

// maxVisits bounds how many schemas apply to one value, including referenced ones. Small schemas
// that refer to each other can be as slow as very large ones.
const maxVisits = 500

// checkSchema checks a server's schema: its size, its form, that it refers only to itself, and that
// it validates quickly. It returns the schema with prompt injection removed from its descriptions,
// and the kinds removed. Prompt injection elsewhere, such as in the name of a property, makes it
// refuse the schema.
func checkSchema(schema json.RawMessage, inspect retrieval.Inspect) (clean json.RawMessage, kinds []string, err error) {
	if len(schema) > maxSchema {
		return nil, nil, fmt.Errorf("it has %d bytes; at most %d are read", len(schema), maxSchema)
	}
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, nil, fmt.Errorf("it is not JSON: %w", err)
	}
	w := words{inspect: inspect}
	w.clean(root)
	if w.refused != "" {
		return nil, nil, fmt.Errorf("%q in it reads as an order to an assistant", Printable(w.refused))
	}
	if clean, err = plainjson.Encode(root); err != nil {
		return nil, nil, fmt.Errorf("encoding it: %w", err)
	}
	r := reach{root: root}
	if err := r.each(root); err != nil {
		return nil, nil, err
	}
	return clean, w.kinds, llm.CheckSchema(clean)
}

// words removes prompt injection from the descriptions in a schema.
type words struct {
	inspect retrieval.Inspect
	kinds   []string
	refused string
}

// spoken are the keywords whose texts describe and do not affect validation.
var spoken = []string{"description", "title", "$comment", "examples", "default"}

func (w *words) clean(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if found := w.in(key); found != nil {
				w.refused = key
			}
			text, isText := v[key].(string)
			if !isText && (key == "examples" || key == "default") {
				if data, err := json.Marshal(v[key]); err == nil { // a decoded value can be encoded
					text, isText = string(data), true
				}
			}
			if found := w.in(text); isText && found != nil && slices.Contains(spoken, key) {
				delete(v, key)
				for _, kind := range found {
					if !slices.Contains(w.kinds, kind) {
						w.kinds = append(w.kinds, kind)
					}
				}
				continue
			}
			w.clean(v[key])
		}
	case []any:
		for _, each := range v {
			w.clean(each)
		}
	case string:
		if w.in(v) != nil {
			w.refused = v
		}
	}
}

func (w *words) in(text string) []string { return w.inspect.Kinds(text) }

// reach counts the schemas that apply to one value.
type reach struct {
	root   any
	visits int
}

// sameValue are the keywords whose schemas apply to the same value as their parent schema.
var sameValue = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}

// each checks every schema of a document.
func (r *reach) each(v any) error {
	switch v := v.(type) {
	case map[string]any:
		r.visits = 0
		if err := r.same(v, 0); err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := r.each(v[key]); err != nil {
				return err
			}
		}
	case []any:
		for _, each := range v {
			if err := r.each(each); err != nil {
				return err
			}
		}
	}
	return nil
}

// same visits the schemas that apply to the same value.
func (r *reach) same(v any, depth int) error {
	if r.visits++; r.visits > maxVisits || depth > maxVisits {
		return fmt.Errorf("more than %d schemas apply to one value of it", maxVisits)
	}
	s, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for _, key := range []string{"$dynamicRef", "$recursiveRef"} {
		if _, used := s[key].(string); used {
			return fmt.Errorf("it uses %s, which is not followed", key)
		}
	}
	if ref, used := s["$ref"].(string); used {
		to, err := r.at(ref)
		if err != nil {
			return err
		}
		if err := r.same(to, depth+1); err != nil {
			return err
		}
	}
	for _, key := range sameValue {
		var parts []any
		switch part := s[key].(type) {
		case []any:
			parts = part
		case map[string]any:
			parts = []any{part}
			if key == "dependentSchemas" {
				parts = slices.Collect(maps.Values(part))
			}
		}
		for _, part := range parts {
			if err := r.same(part, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// at returns the target of a reference within the document.
func (r *reach) at(ref string) (any, error) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("it refers to %q: only places such as #/$defs/name are followed", Printable(ref))
	}
	v := r.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch at := v.(type) {
		case map[string]any:
			v, ok = at[step]
		case []any:
			n, err := strconv.Atoi(step)
			if ok = err == nil && n >= 0 && n < len(at); ok {
				v = at[n]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, errors.New("it refers to a place that is not there")
		}
	}
	return v, nil
}
