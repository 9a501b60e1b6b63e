package store

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A Filter is a condition on one field of a value. Its path has dots between the names of nested
// objects: "address.city". It cannot reach a name that contains a dot, or an element of a list.
//
// Numbers compare as numbers, and strings compare byte by byte. So the string "10" is less than "9"
// and never equal to the number 10. An absent field, or a field of another type than the operand,
// does not match. Only NotEqual, the opposite of Equal, matches it.
type Filter struct {
	field    string
	op       operator
	operands []json.RawMessage // JSON scalars
	err      error             // why an operand could not be encoded
}

type operator string

const (
	opEqual    operator = "$eq"
	opNotEqual operator = "$ne"
	opGreater  operator = "$gt"
	opAtLeast  operator = "$gte"
	opLess     operator = "$lt"
	opAtMost   operator = "$lte"
	opIn       operator = "$in"
)

// Ordered are the types that have an order in JSON: strings and numbers.
type Ordered interface {
	~string | ~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Scalar are the types that can be equal to a field.
type Scalar interface{ Ordered | ~bool }

// Equal matches a field that is v.
func Equal[T Scalar](field string, v T) Filter { return filter(field, opEqual, v) }

// NotEqual matches every field that Equal does not, also absent fields and fields of other types.
func NotEqual[T Scalar](field string, v T) Filter { return filter(field, opNotEqual, v) }

// Greater matches a field that is greater than v.
func Greater[T Ordered](field string, v T) Filter { return filter(field, opGreater, v) }

// AtLeast matches a field that is at least v.
func AtLeast[T Ordered](field string, v T) Filter { return filter(field, opAtLeast, v) }

// Less matches a field that is less than v.
func Less[T Ordered](field string, v T) Filter { return filter(field, opLess, v) }

// AtMost matches a field that is at most v.
func AtMost[T Ordered](field string, v T) Filter { return filter(field, opAtMost, v) }

// In matches a field that equals one of vs. An empty vs matches nothing.
func In[T Scalar](field string, vs ...T) Filter { return filter(field, opIn, vs...) }

// Null matches a field that is null or absent.
func Null(field string) Filter {
	return Filter{field: field, op: opEqual, operands: []json.RawMessage{json.RawMessage("null")}}
}

// Present matches a field that is neither null nor absent.
func Present(field string) Filter {
	f := Null(field)
	f.op = opNotEqual
	return f
}

// filter encodes operands as values are encoded, so types with their own JSON form compare by it.
func filter[T Scalar](field string, op operator, vs ...T) Filter {
	f := Filter{field: field, op: op}
	for _, v := range vs {
		data, err := json.Marshal(v)
		if err != nil {
			f.err = err
			return f
		}
		f.operands = append(f.operands, data)
	}
	return f
}

// A condition is a checked filter.
type condition struct {
	path     []string
	op       operator
	operands []any // string, number, bool or nil
}

func (f Filter) condition() (condition, error) {
	if f.op == "" {
		return condition{}, invalid("filter", "it is empty")
	}
	path, wrong := splitField(f.field)
	if wrong != nil {
		return condition{}, wrong
	}
	if f.err != nil {
		return condition{}, invalid("filter", "the operand of %s on %q: %v", f.op, f.field, f.err)
	}
	c := condition{path: path, op: f.op}
	for _, data := range f.operands {
		v, ok := scalar(data)
		switch v.(type) {
		case bool, nil:
			ok = ok && (f.op == opEqual || f.op == opNotEqual || f.op == opIn)
		}
		if !ok {
			return condition{}, invalid("filter", "%s on %q cannot compare with %.80s", f.op, f.field, data)
		}
		c.operands = append(c.operands, v)
	}
	return c, nil
}

// scalar reads a JSON scalar.
func scalar(data json.RawMessage) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	switch v := v.(type) {
	case json.Number:
		return parseNumber(v), true
	case string, bool, nil:
		return v, true
	}
	return nil, false
}

func (c condition) matches(object map[string]any) bool {
	v, _ := field(object, c.path) // an absent field counts as null
	if n, ok := v.(json.Number); ok {
		v = parseNumber(n)
	}
	switch c.op {
	case opEqual:
		return equal(v, c.operands[0])
	case opNotEqual:
		return !equal(v, c.operands[0])
	case opIn:
		return slices.ContainsFunc(c.operands, func(o any) bool { return equal(v, o) })
	}
	order, ok := compare(v, c.operands[0])
	switch {
	case !ok:
		return false
	case c.op == opGreater:
		return order > 0
	case c.op == opAtLeast:
		return order >= 0
	case c.op == opLess:
		return order < 0
	default: // opAtMost: condition lets no other through
		return order <= 0
	}
}

func equal(v, operand any) bool {
	switch o := operand.(type) {
	case nil:
		return v == nil
	case bool:
		b, ok := v.(bool)
		return ok && b == o
	}
	order, ok := compare(v, operand)
	return ok && order == 0
}

// compare returns the order of two values of one ordered type, or false.
func compare(v, operand any) (int, bool) {
	switch o := operand.(type) {
	case string:
		if s, ok := v.(string); ok {
			return strings.Compare(s, o), true
		}
	case number:
		if n, ok := v.(number); ok {
			return n.compare(o)
		}
	}
	return 0, false
}
