package langgraph

import (
	"encoding/json"
	"regexp"
	"strings"
)

var capital = regexp.MustCompile("[A-Z]")

// snaked renames the fields of a request that are written as in JavaScript: its SDK sends a batch of
// runs as its caller wrote them. It drops those that are for the SDK itself.
func snaked(fields map[string]json.RawMessage) (json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for name, value := range fields {
		other := capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
		if _, given := fields[other]; name == "signal" || name == "onRunCreated" || other != name && given {
			continue
		}
		out[other] = value
	}
	return json.Marshal(out)
}
