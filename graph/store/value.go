package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// compact checks a value and returns a copy without unnecessary white space.
func compact(value json.RawMessage) (json.RawMessage, *InvalidError) {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return nil, invalid("value", "it is not JSON: %v", err)
	}
	out := b.Bytes()
	switch {
	case out[0] != '{':
		return nil, invalid("value", "it is not a JSON object")
	case !utf8.Valid(out):
		return nil, invalid("value", "it is not UTF-8")
	case hasZero(out):
		return nil, invalid("value", "it has U+0000")
	}
	return slices.Clip(out), nil
}

// hasZero finds U+0000, which JSON can hold only escaped. It is refused because Postgres cannot
// hold it in a jsonb value made from the column, and all backends must accept the same values.
func hasZero(valid []byte) bool {
	for i := 0; i < len(valid)-1; i++ {
		if valid[i] != '\\' {
			continue
		}
		if i++; valid[i] == 'u' && bytes.HasPrefix(valid[i+1:], []byte("0000")) {
			return true
		}
	}
	return false
}

// parse reads a value that compact accepted. Numbers stay as written.
func parse(value json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var object map[string]any
	err := d.Decode(&object)
	return object, err
}

// field returns the value at a path of names, and whether there is one.
func field(object map[string]any, path []string) (any, bool) {
	var at any = object
	for _, name := range path {
		inner, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = inner[name]; !ok {
			return nil, false
		}
	}
	return at, true
}

// text joins the strings in a part of a value, one per line. An object's strings are sorted by
// their field names, so equal objects give equal text.
func text(part any) string {
	var lines []string
	var walk func(any)
	walk = func(part any) {
		switch part := part.(type) {
		case string:
			if strings.TrimSpace(part) != "" {
				lines = append(lines, part)
			}
		case []any:
			for _, p := range part {
				walk(p)
			}
		case map[string]any:
			names := make([]string, 0, len(part))
			for name := range part {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				walk(part[name])
			}
		}
	}
	walk(part)
	return strings.Join(lines, "\n")
}

// splitField splits a dotted path.
func splitField(path string) ([]string, *InvalidError) {
	names := strings.Split(path, ".")
	if slices.Contains(names, "") {
		return nil, invalid("filter", "the field %.80q has an empty name", path)
	}
	return names, nil
}
