package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	shortValue = 140       // most characters of a value shown unfolded
	wholeValue = 128 << 10 // most bytes of a value shown at all
)

// A value is a JSON value for people: its beginning, and the whole if it is longer.
type value struct {
	Short string
	Whole string // the whole value over several lines; empty for a short one
	Size  string // size of a longer value
	Left  int    // bytes that are not shown
}

// valueOf prepares a value. A text is shown without quotes.
func valueOf(data json.RawMessage) value {
	if len(data) == 0 {
		return value{}
	}
	text, whole := "", false
	if data[0] == '"' && json.Unmarshal(data, &text) == nil {
		if text == "" {
			return value{Short: `""`}
		}
		whole = true
	}
	if !whole {
		var b bytes.Buffer
		if json.Compact(&b, data[:min(len(data), wholeValue)]) != nil { // cut, or not JSON
			b.Reset()
			b.Write(data[:min(len(data), wholeValue)])
		}
		text = b.String()
	}
	short, cut := cutAt(text, shortValue)
	if !cut && !strings.ContainsAny(short, "\n\r") {
		return value{Short: short}
	}
	v := value{Short: strings.Join(strings.Fields(short), " "), Size: size(len(data))}
	if cut {
		v.Short += " …"
	}
	v.Whole = text
	if !whole {
		var b bytes.Buffer
		if json.Indent(&b, data, "", "  ") == nil {
			v.Whole = b.String()
		}
	}
	if len(v.Whole) > wholeValue {
		end := wholeValue
		for end > 0 && !utf8.RuneStart(v.Whole[end]) {
			end--
		}
		v.Left = len(v.Whole) - end
		v.Whole = v.Whole[:end]
	}
	if len(data) > wholeValue && !whole {
		v.Left = max(v.Left, len(data)-wholeValue)
	}
	return v
}

// textOf prepares a value that is JSON, or a word such as "absent".
func textOf(s string) value {
	if json.Valid([]byte(s)) {
		return valueOf(json.RawMessage(s))
	}
	v := value{Short: s}
	if short, cut := cutAt(s, shortValue); cut {
		v = value{Short: short + " …", Whole: s, Size: size(len(s))}
	}
	return v
}

// cutAt returns the first characters of a text, and whether there are more.
func cutAt(s string, most int) (string, bool) {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i], true
		}
	}
	return s, false
}

// size formats a number of bytes.
func size(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

// elements returns the length of a list; -1 for another value.
func elements(data json.RawMessage) int {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return -1
	}
	return len(list)
}
