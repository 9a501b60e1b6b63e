package look

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A Value is JSON for people: its beginning, and all of it if that is longer.
type Value struct {
	Short string
	Whole string // empty if Short is all of it
	Size  string // of a longer value
	Left  string // how much of it is not shown; empty for nothing
}

// ValueOf prepares a value: its first lines, with at most short characters, and at most whole
// characters in all. On one line JSON is compact.
func ValueOf(data json.RawMessage, lines, short, whole int) Value {
	if len(data) == 0 {
		return Value{}
	}
	all := Readable(data)
	begins := all
	if all == "" {
		all, begins = `""`, `""`
	}
	isText, oneLine := data[0] == '"', lines == 1
	if isText && oneLine && strings.ContainsAny(all, "\n\r") {
		begins = strings.Join(strings.Fields(all), " ")
	} else if b := (bytes.Buffer{}); !isText && oneLine && json.Compact(&b, data) == nil {
		begins = b.String()
	}
	v := Value{Short: begins}
	if list := strings.SplitAfterN(begins, "\n", lines+1); len(list) > lines {
		v.Short = strings.Join(list[:lines], "")
	}
	if v.Short = Cut(v.Short, short); v.Short == begins && (begins == all || !isText) {
		return v
	}
	if v.Short != begins {
		v.Short += " …"
	}
	v.Whole, v.Size = Cut(all, whole), Size(len(data))
	if left := len(all) - len(v.Whole); left > 0 {
		v.Left = Size(left)
	}
	return v
}

// Lines reports whether the beginning has several lines.
func (v Value) Lines() bool { return strings.Contains(v.Short, "\n") }

// Readable returns JSON with line breaks, and a text as it is.
func Readable(data json.RawMessage) string {
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

// Cut returns the first characters of a text.
func Cut(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}
