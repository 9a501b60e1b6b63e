package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"example.com/assay/serve/view"
)

// A value is a named JSON value, for people.
type value struct {
	Name  string
	Short string // its beginning if it is long
	Text  string // the whole value
}

// A value with more than this many bytes or lines is long. Values above maxValue are not shown.
const (
	longValue, longLines = 2000, 25
	maxValue             = 1 << 20
)

// readable returns JSON with line breaks, and a text as it is.
func readable(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) == nil && string(data) != "null" {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

func named(name string, data json.RawMessage) value {
	v := value{Name: name, Text: readable(data)}
	if len(v.Text) > maxValue {
		v.Text = cut(v.Text, maxValue) + "\n… it is longer than a page shows."
	}
	if lines := strings.SplitAfterN(v.Text, "\n", longLines+1); len(v.Text) > longValue || len(lines) > longLines {
		if len(lines) > longLines {
			lines = lines[:longLines]
		}
		v.Short = cut(strings.Join(lines, ""), longValue) + "…"
	}
	return v
}

// cut returns at most n bytes of a text, without splitting a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// fields returns the fields of a JSON object in order; another value is one field.
func fields(object json.RawMessage) ([]value, error) {
	list, err := view.Changes(nil, object)
	var out []value
	for _, f := range list {
		out = append(out, named(f.Name, f.Is))
	}
	return out, err
}
