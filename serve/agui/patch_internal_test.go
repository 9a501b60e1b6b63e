package agui

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// apply is a plain second reading of RFC 6902, for the operations that diff makes.
func apply(doc any, op map[string]any) (any, error) {
	path := op["path"].(string)
	if path == "" {
		return op["value"], nil
	}
	var set func(doc any, steps []string) (any, error)
	set = func(doc any, steps []string) (any, error) {
		name, last := strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[0]), len(steps) == 1
		switch doc := doc.(type) {
		case map[string]any:
			old, there := doc[name]
			switch {
			case !last && there:
				inner, err := set(old, steps[1:])
				doc[name] = inner
				return doc, err
			case last && op["op"] == "remove" && there:
				delete(doc, name)
				return doc, nil
			case last && (op["op"] == "add" || op["op"] == "replace" && there):
				doc[name] = op["value"]
				return doc, nil
			}
		case []any:
			i, err := strconv.Atoi(name)
			switch {
			case last && name == "-" && op["op"] == "add":
				return append(doc, op["value"]), nil
			case err != nil || i >= len(doc):
			case !last:
				doc[i], err = set(doc[i], steps[1:])
				return doc, err
			case op["op"] == "remove":
				return append(doc[:i:i], doc[i+1:]...), nil
			case op["op"] == "replace":
				doc[i] = op["value"]
				return doc, nil
			}
		}
		return nil, fmt.Errorf("%v has no place", op)
	}
	return set(doc, strings.Split(path, "/")[1:])
}

// The changes between two values make the first into the second.
func TestDiff(t *testing.T) {
	scalar := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.IntRange(0, 2), func(n int) any { return float64(n) }), rapid.Map(rapid.SampledFrom([]string{"", "a", "~", "/"}), func(s string) any { return s }))
	value := scalar
	for range 3 {
		inner := value
		value = rapid.OneOf(scalar, rapid.Map(rapid.SliceOfN(inner, 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c/d", "~e", ""}), inner, 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		var p patch
		p.diff("", a, b)
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var ops []map[string]any
		if err := json.Unmarshal(data, &ops); err != nil {
			t.Fatal(err)
		}
		for _, op := range ops {
			if _, has := op["value"]; !has && op["op"] != "remove" {
				t.Fatalf("%v has no value", op)
			}
			if a, err = apply(a, op); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("it becomes %v by %s; want %v", a, data, b)
		}
	})
}
