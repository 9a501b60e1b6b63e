package retrieval

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// A Condition holds for a passage when one of the passage's values of a key is in OneOf or
// begins with Prefix. Keys are compared by [text.Key], values byte by byte. Without OneOf
// only Prefix counts; an empty Prefix then means that the passage has the key.
type Condition struct {
	Key    string   `json:"key"`
	OneOf  []string `json:"one_of,omitempty"`
	Prefix string   `json:"prefix,omitempty"`
}

// ParseCondition reads "topic=battery", "topic=battery|assault" (either value), "dir=law/*"
// (a prefix) and "topic=*" (any value). A backslash escapes | and *.
func ParseCondition(s string) (Condition, error) {
	key, rest, ok := strings.Cut(s, "=")
	c := Condition{Key: text.Key(key)}
	if !ok || c.Key == "" {
		return Condition{}, fmt.Errorf("reading the filter %q: want key=value, key=one|other or key=beginning*", s)
	}
	var value strings.Builder
	for i := 0; i < len(rest); i++ {
		switch b := rest[i]; {
		case b == '\\' && i+1 < len(rest):
			i++
			value.WriteByte(rest[i])
		case b == '*' && i == len(rest)-1:
			if len(c.OneOf) > 0 {
				return Condition{}, fmt.Errorf("reading the filter %q: a beginning cannot stand among other values; give it alone", s)
			}
			c.Prefix = value.String()
			return c, nil
		case b == '|':
			c.OneOf = append(c.OneOf, value.String())
			value.Reset()
		default:
			value.WriteByte(b)
		}
	}
	c.OneOf = append(c.OneOf, value.String())
	if slices.Contains(c.OneOf, "") {
		return Condition{}, fmt.Errorf("reading the filter %q: a value is empty; any value is %s=*", s, c.Key)
	}
	return c, nil
}

// An UnknownKeyError says that no passage has the key of a filter.
type UnknownKeyError struct {
	Key   string
	Known []string // sorted
}

func (e *UnknownKeyError) Error() string {
	switch near := text.Nearest(e.Key, e.Known); {
	case len(e.Known) == 0:
		return fmt.Sprintf("no passage has metadata, so none can be filtered by %q", e.Key)
	case near != "":
		return fmt.Sprintf("no passage has metadata of the key %q; did you mean %q? known: %s", e.Key, near, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("no passage has metadata of the key %q; known: %s", e.Key, strings.Join(e.Known, ", "))
}
