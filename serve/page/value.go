package page

import (
	"encoding/json"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// A value is a named JSON value, for people.
type value struct {
	Name string
	look.Value
}

func named(name string, data json.RawMessage) value {
	return value{name, look.ValueOf(data, 25, 2000, 1<<20)}
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
