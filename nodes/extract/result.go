package extract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/internal/plainjson"
	"example.com/assay/memory/text/values"
)

// Result returns values as JSON in the form of the schema, with its order of keys. It leaves out
// fields without a value, and values that the document does not contain. A value of the wrong type
// becomes a string, which the schema then refuses.
func (s *Schema) Result(found []FieldValue) json.RawMessage {
	return s.write(InDocument(found))
}

// write is Result of all values.
func (s *Schema) write(found []FieldValue) json.RawMessage {
	b := builder{walker: walker{schema: s, root: s.root}, values: map[string]string{}, lists: map[string]int{}, objects: map[string]bool{}}
	for _, v := range found {
		b.values[v.Field] = v.Value
		for at, c := range v.Field {
			switch c {
			case '.':
				b.objects[v.Field[:at]] = true
			case '[':
				index, _, _ := strings.Cut(v.Field[at+1:], "]")
				if n, err := strconv.Atoi(index); err == nil && n < mostItems {
					b.lists[v.Field[:at]] = max(b.lists[v.Field[:at]], n+1)
				}
				for i := range v.Field[:at] { // the enclosing objects of a list
					if v.Field[i] == '.' {
						b.objects[v.Field[:i]] = true
					}
				}
			}
		}
	}
	raw, _ := b.write(s.root, "")
	return raw
}

type builder struct {
	walker
	values  map[string]string
	lists   map[string]int // elements by path
	objects map[string]bool
}

// write returns the JSON of a node, and false if it is empty.
func (b *builder) write(n *node, path string) (json.RawMessage, bool) {
	n, err := b.resolve(n, "")
	if err != nil { // ParseSchema has refused such a schema
		return nil, false
	}
	switch n.kind() {
	case "object":
		if path != "" && !b.objects[path] {
			return nil, false
		}
		var out bytes.Buffer
		out.WriteByte('{')
		for _, p := range n.Properties {
			below := p.name
			if path != "" {
				below = path + "." + p.name
			}
			if raw, ok := b.write(p.node, below); ok {
				if out.Len() > 1 {
					out.WriteByte(',')
				}
				out.Write(quoted(p.name))
				out.WriteByte(':')
				out.Write(raw)
			}
		}
		out.WriteByte('}')
		return out.Bytes(), true
	case "array":
		if b.lists[path] == 0 {
			return nil, false
		}
		items := []json.RawMessage{}
		for i := range b.lists[path] {
			if raw, ok := b.write(n.Items, fmt.Sprintf("%s[%d]", path, i)); ok {
				items = append(items, raw)
			}
		}
		return slices.Concat([]byte("["), bytes.Join(rawBytes(items), []byte(",")), []byte("]")), true
	}
	value, ok := b.values[path]
	if !ok {
		return nil, false
	}
	return typed(n.kind(), value), true
}

func rawBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

// typed returns a value as JSON of a type, or else as a string.
func typed(kind, value string) json.RawMessage {
	switch kind {
	case "number", "integer":
		if n, ok := values.Number(value); ok && n == value {
			return json.RawMessage(value)
		}
	case "boolean":
		if value == "true" || value == "false" {
			return json.RawMessage(value)
		}
	}
	return quoted(value)
}

func quoted(s string) json.RawMessage {
	data, _ := plainjson.Encode(s) // a string can always be encoded
	return data
}

// sortValues sorts values by their fields in the schema; the values of one list element stay
// together.
func (s *Schema) sortValues(list []FieldValue) {
	rank := make(map[string]int, len(s.Fields))
	lists := map[string]int{}
	for i, f := range s.Fields {
		rank[f.Path] = i
		if name, _, ok := strings.Cut(f.Path, "[]"); ok {
			if _, seen := lists[name]; !seen {
				lists[name] = i
			}
		}
	}
	key := func(v FieldValue) [3]int {
		name, _ := pattern(v.Field)
		at := rank[name]
		if head, _, ok := strings.Cut(name, "[]"); ok {
			return [3]int{lists[head], index(v.Field), at}
		}
		return [3]int{at, 0, 0}
	}
	slices.SortStableFunc(list, func(a, b FieldValue) int {
		x, y := key(a), key(b)
		return slices.Compare(x[:], y[:])
	})
}

// index returns the first index in a path.
func index(path string) int {
	_, after, _ := strings.Cut(path, "[")
	digits, _, _ := strings.Cut(after, "]")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// numbers are the numbers of an extraction, by every path that a check may use: with indices, with
// "[]", and without either.
type numbers map[string][]float64

func numbersOf(found []FieldValue) numbers {
	out := numbers{}
	for _, v := range found {
		n, err := strconv.ParseFloat(v.Value, 64)
		if err != nil {
			continue
		}
		name, _ := pattern(v.Field)
		paths := []string{v.Field, name, strings.ReplaceAll(name, "[]", "")}
		for i, path := range paths {
			if !slices.Contains(paths[:i], path) {
				out[path] = append(out[path], n)
			}
		}
	}
	return out
}

// within returns the numbers for checks of an object: its own fields take precedence over the
// root's.
func (n numbers) within(object string) numbersAt {
	return func(path string) []float64 {
		if own := n[strings.TrimPrefix(object+"."+path, ".")]; len(own) > 0 {
			return own
		}
		return n[path]
	}
}

var elementIndex = regexp.MustCompile(`\[\d+\]`)

// elements returns the paths of the objects that a check applies to: one for each element of a
// list, in order.
func (c check) elements(found []FieldValue) []string {
	if !strings.Contains(c.within, "[]") {
		return []string{c.within}
	}
	var out []string
	seen := map[string]bool{}
	for _, v := range found {
		loc := elementIndex.FindStringIndex(v.Field)
		if loc == nil {
			continue
		}
		element := strings.Replace(c.within, "[]", v.Field[loc[0]:loc[1]], 1)
		if strings.HasPrefix(v.Field, element+".") && !seen[element] {
			seen[element] = true
			out = append(out, element)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(index(a), index(b)) })
	return out
}
