package llm

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mostParts is how many parts a schema may have after each reference is replaced by its target. A
// validator may visit all of them for one value.
const mostParts = 200_000

// CheckSchemaSize refuses a decoded JSON Schema whose references make it too large for validation.
// A short text can do so: thirty definitions that each refer twice to the next one have a thousand
// million parts.
func CheckSchemaSize(doc any) error {
	if deeper(doc, mostDepth) {
		return fmt.Errorf("it is nested deeper than %d levels", mostDepth)
	}
	p := parts{root: doc, named: map[string]any{}, known: map[string]float64{}}
	p.names(doc)
	if n := p.count(doc); n > mostParts {
		return fmt.Errorf("its references make it too large: more than %d parts; refer less often, or split it", mostParts)
	}
	return nil
}

// mostDepth bounds the nesting of a schema: validators take much longer with each level.
const mostDepth = 200

func deeper(v any, than int) bool {
	if than < 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			if deeper(below, than-1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(below any) bool { return deeper(below, than-1) })
	}
	return false
}

// parts counts the parts of a schema.
type parts struct {
	root  any
	named map[string]any     // by $id, $anchor and $dynamicAnchor
	known map[string]float64 // by reference; 0 while it is counted, so a cycle ends
}

// names collects the targets of references.
func (p *parts) names(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"$id", "$anchor", "$dynamicAnchor"} {
			if name, ok := v[key].(string); ok {
				p.named[name] = v
			}
		}
		for _, below := range v {
			p.names(below)
		}
	case []any:
		for _, below := range v {
			p.names(below)
		}
	}
}

func (p *parts) count(v any) float64 {
	n := 1.0
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			switch key {
			case "$defs", "definitions": // counted where they are referred to
			case "$ref", "$dynamicRef", "$recursiveRef":
				if name, ok := below.(string); ok {
					n += p.referred(name)
				}
			default:
				n += p.count(below)
			}
		}
	case []any:
		for _, below := range v {
			n += p.count(below)
		}
	}
	return math.Min(n, 2*mostParts)
}

func (p *parts) referred(name string) float64 {
	n, ok := p.known[name]
	if !ok {
		p.known[name] = 0
		n = p.count(p.find(name))
		p.known[name] = n
	}
	return n
}

// find returns the target of a reference within the schema, or nil.
func (p *parts) find(name string) any {
	if found, ok := p.named[strings.TrimPrefix(name, "#")]; ok {
		return found
	}
	base, pointer, _ := strings.Cut(name, "#")
	at := p.root
	if base != "" {
		at = p.named[base]
	}
	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}
	for _, token := range slices.DeleteFunc(strings.Split(pointer, "/"), func(t string) bool { return t == "" }) {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}
