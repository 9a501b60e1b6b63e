package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Difference is the first place where two traces differ.
type Difference struct {
	Index int    // index of the record
	Event string // the event in words: what, which node, which step
	Field string // path within the record, e.g. "update[0].value[0].confidence"
	Was   string
	Is    string
	Path  []string // nodes that had updated the state before, in order
}

func (d Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "event %d, %s", d.Index, d.Event)
	if d.Field != "" {
		fmt.Fprintf(&b, ", field %s", d.Field)
	}
	was, is := d.shown()
	fmt.Fprintf(&b, "\n  was: %s\n  is:  %s", was, is)
	if len(d.Path) > 0 {
		fmt.Fprintf(&b, "\n  path so far: %s", strings.Join(d.Path, " → "))
	}
	return b.String()
}

// First compares two normalised traces and returns the first difference, or
// false when there is none.
func First(was, is []Record) (Difference, bool) {
	var path []string
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			return Difference{Index: i, Event: was[i].describe(), Was: "present", Is: "the trace ends here", Path: path}, true
		case i >= len(was):
			return Difference{Index: i, Event: is[i].describe(), Was: "the trace ended here", Is: "present", Path: path}, true
		}
		a, errA := generic(was[i])
		b, errB := generic(is[i])
		if errA != nil || errB != nil {
			return Difference{Index: i, Event: was[i].describe(), Was: fmt.Sprint(errA), Is: fmt.Sprint(errB), Path: path}, true
		}
		if field, x, y, differ := firstDifference("", a, b); differ {
			return Difference{Index: i, Event: was[i].describe(), Field: field, Was: x, Is: y, Path: path}, true
		}
		if was[i].Kind == "node_update" {
			path = append(path, was[i].name())
		}
	}
	return Difference{}, false
}

func (r Record) name() string {
	if r.Namespace == "" {
		return r.Node
	}
	return r.Namespace + "/" + r.Node
}

func (r Record) describe() string {
	s := r.Kind
	if r.Node != "" {
		s += fmt.Sprintf(" of node %q", r.name())
	}
	if n := len(r.Places); n > 0 {
		s += fmt.Sprintf(" in step %d", r.Places[0].Step)
	}
	return s
}

// generic decodes a record into maps, slices and scalars, so that two records can be
// walked together.
func generic(r Record) (any, error) {
	line, err := encode(r)
	if err != nil {
		return nil, err
	}
	return decoded(line)
}

func firstDifference(at string, a, b any) (field, was, is string, differ bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := make([]string, 0, len(x)+len(y))
		for k := range x {
			keys = append(keys, k)
		}
		for k := range y {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			if field, was, is, differ = firstDifference(strings.TrimPrefix(at+"."+k, "."), x[k], y[k]); differ {
				return field, was, is, true
			}
		}
		return "", "", "", false
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(x), len(y)) {
			var xi, yi any
			if i < len(x) {
				xi = x[i]
			}
			if i < len(y) {
				yi = y[i]
			}
			if field, was, is, differ = firstDifference(fmt.Sprintf("%s[%d]", at, i), xi, yi); differ {
				return field, was, is, true
			}
		}
		return "", "", "", false
	default:
		if _, isMap := b.(map[string]any); isMap {
			break
		}
		if _, isList := b.([]any); isList {
			break
		}
		if a == b {
			return "", "", "", false
		}
	}
	return at, printed(a), printed(b), true
}

func printed(v any) string {
	if v == nil {
		return "absent"
	}
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// shown returns both values, short enough for a test's message.
func (d Difference) shown() (was, is string) { return Shorten(d.Was, d.Is, 400) }

// Shorten cuts two values to at most this many characters each, starting a little before the place
// where they differ.
func Shorten(was, is string, most int) (string, string) {
	a, b := []rune(was), []rune(is)
	from := 0
	if max(len(a), len(b)) > most {
		for from < min(len(a), len(b)) && a[from] == b[from] {
			from++
		}
		from = max(0, from-most/4)
	}
	cut := func(r []rune) string {
		out := string(r[from:min(len(r), from+most)])
		if from > 0 {
			out = "… " + out
		}
		if from+most < len(r) {
			out += " …"
		}
		return out
	}
	return cut(a), cut(b)
}

// FirstField compares two JSON values. It returns the place where they first differ, such as
// "[0].confidence", and both values there. Values that are not JSON are compared as text.
func FirstField(was, is json.RawMessage) (field, before, after string, differ bool) {
	a, errA := decoded(was)
	b, errB := decoded(is)
	if errA != nil || errB != nil {
		return "", string(was), string(is), !bytes.Equal(was, is)
	}
	return firstDifference("", a, b)
}

func decoded(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
