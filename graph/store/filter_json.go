package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ParseFilters reads filters in LangGraph's form: an object of fields, each with
// a scalar that it must equal, with an object of operators, or with an object of
// further fields.
//
//	{"lang": "go", "age": {"$gte": 30, "$lt": 40}, "address": {"city": "Bern"}}
//
// Operators are $eq, $ne, $gt, $gte, $lt, $lte and $in, which takes a list. An
// unknown operator is an *InvalidError. The filters are sorted by field and
// operator. Fields are nested 32 deep at most.
func ParseFilters(data []byte) ([]Filter, error) {
	return parseFilters("", data, 1)
}

// maxDepth bounds the time for nested fields: each level is decoded anew.
const maxDepth = 32

func parseFilters(prefix string, data []byte, depth int) ([]Filter, error) {
	if depth > maxDepth {
		return nil, invalid("filter", "fields are nested deeper than %d", maxDepth)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return nil, invalid("filter", "%.80s is not an object of fields", data)
	}
	var out []Filter
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if strings.HasPrefix(name, "$") {
			return nil, invalid("filter", "the operator %.80q stands where a field is expected", name)
		}
		more, err := parseField(prefix+name, fields[name], depth)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func parseField(field string, data json.RawMessage, depth int) ([]Filter, error) {
	var inner map[string]json.RawMessage
	if json.Unmarshal(data, &inner) != nil || inner == nil {
		return one(Filter{field: field, op: opEqual, operands: []json.RawMessage{data}})
	}
	if len(inner) == 0 {
		return nil, invalid("filter", "the field %.80q has no condition", field)
	}
	names := slices.Sorted(maps.Keys(inner))
	if !strings.HasPrefix(names[0], "$") && !strings.HasPrefix(names[len(names)-1], "$") {
		return parseFilters(field+".", data, depth+1)
	}
	var out []Filter
	for _, name := range names {
		f := Filter{field: field, op: operator(name), operands: []json.RawMessage{inner[name]}}
		switch f.op {
		case opEqual, opNotEqual, opGreater, opAtLeast, opLess, opAtMost:
		case opIn:
			f.operands = nil
			if json.Unmarshal(inner[name], &f.operands) != nil || f.operands == nil {
				return nil, invalid("filter", "$in on %.80q takes a list", field)
			}
		default:
			return nil, invalid("filter", "unknown operator %.80q on %.80q: known are $eq, $ne, $gt, $gte, $lt, $lte, $in", name, field)
		}
		checked, err := one(f)
		if err != nil {
			return nil, err
		}
		out = append(out, checked...)
	}
	return out, nil
}

// one returns a filter as a list if it is allowed.
func one(f Filter) ([]Filter, error) {
	if _, err := f.condition(); err != nil {
		return nil, err
	}
	return []Filter{f}, nil
}
