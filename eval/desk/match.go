package desk

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// valuesOf returns the values of a JSON document as "path=value", sorted. Items of a list share a
// path, and nulls are left out. Values are compared by letters and digits, without a title before a
// name.
func valuesOf(raw []byte) ([]string, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	out := flat(nil, "", v)
	slices.Sort(out)
	return out, nil
}

func flat(out []string, path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			out = flat(out, path+"."+key, inner)
		}
	case []any:
		for _, inner := range v {
			out = flat(out, path+"[]", inner)
		}
	case float64:
		out = append(out, path+"="+strconv.FormatFloat(v, 'f', -1, 64))
	case bool:
		out = append(out, path+"="+strconv.FormatBool(v))
	case string:
		out = append(out, path+"="+key(v))
	}
	return out
}

// titles precede names.
var titles = []string{"mrs", "mr", "ms", "dr"}

// key returns a text in lower case, with letters and digits only, without a title.
func key(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	for _, title := range titles {
		if name, ok := strings.CutPrefix(s, title); ok && len(name) >= 3 && strings.Trim(name[:3], "abcdefghijklmnopqrstuvwxyz") == "" {
			return name
		}
	}
	return s
}
