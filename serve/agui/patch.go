package agui

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A patch is a JSON Patch (RFC 6902).
type patch []map[string]any

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// diff adds the changes from a to b at a path. Both are decoded JSON. Lists are compared element by
// element, so that added elements cost only themselves.
func (p *patch) diff(path string, a, b any) {
	if reflect.DeepEqual(a, b) {
		return
	}
	add := func(op, path string, value any) {
		*p = append(*p, map[string]any{"op": op, "path": path, "value": value})
	}
	remove := func(path string) { *p = append(*p, map[string]any{"op": "remove", "path": path}) }
	switch was := a.(type) {
	case map[string]any:
		is, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(was)) {
			at := path + "/" + pointer.Replace(name)
			if now, ok := is[name]; ok {
				p.diff(at, was[name], now)
			} else {
				remove(at)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if _, ok := was[name]; !ok {
				add("add", path+"/"+pointer.Replace(name), is[name])
			}
		}
		return
	case []any:
		is, ok := b.([]any)
		if !ok {
			break
		}
		n := min(len(was), len(is))
		for i := range n {
			p.diff(fmt.Sprintf("%s/%d", path, i), was[i], is[i])
		}
		for i := len(was) - 1; i >= n; i-- {
			remove(fmt.Sprintf("%s/%d", path, i))
		}
		for _, v := range is[n:] {
			add("add", path+"/-", v)
		}
		return
	}
	add("replace", path, b)
}
