package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// value takes the state after a superstep.
func (b *Builder) value(step int, now json.RawMessage) error {
	v := &b.view
	at, ok := b.at[[2]int{b.attempt(), step}]
	if !ok && v.First == nil {
		v.First = now
	}
	if ok && b.detailed(at) {
		fields, err := Changes(v.Last, now)
		if err != nil {
			return fmt.Errorf("reading the state after superstep %d: %w", step, err)
		}
		v.Steps[at].Fields, v.Steps[at].States = fields, true
	}
	v.Last = now
	return nil
}

// fields completes what is known of the states around a step, once its tasks are there.
func (b *Builder) fields(at int, s *Step) {
	if !b.detailed(at) {
		return
	}
	wrote, ended := map[string][]string{}, true
	for _, n := range s.Nodes {
		if n.Inside >= 0 {
			continue
		}
		ended = ended && !n.Unfinished
		for _, c := range n.Changed {
			if by := wrote[c.Channel]; c.Channel != "" && !slices.Contains(by, n.Name) {
				wrote[c.Channel] = append(by, n.Name)
			}
		}
	}
	switch {
	case s.States:
	case b.view.Last != nil && ended && len(wrote) == 0:
		s.States = true // no state is told after a superstep without writes
	case b.opts.State != nil:
		was, knownBefore := b.opts.State(s.Step - 1)
		is, known := b.opts.State(s.Step)
		if fields, err := Changes(was, is); known && knownBefore && err == nil {
			s.Fields, s.States = fields, true
		}
	}
	s.Fields = slices.Clone(s.Fields)
	for i := range s.Fields {
		s.Fields[i].By = wrote[s.Fields[i].Name]
	}
}

// Changes lists the fields in which two states differ.
func Changes(was, is json.RawMessage) ([]Field, error) {
	before, _, err := object(was)
	if err != nil {
		return nil, err
	}
	after, names, err := object(is)
	if err != nil {
		return nil, err
	}
	var out []Field
	for _, name := range names {
		if a, b := before[name], after[name]; !bytes.Equal(a, b) {
			out = append(out, Field{Name: name, Was: a, Is: b, Added: appended(a, b)})
		}
	}
	_, gone, err := object(was)
	for _, name := range gone {
		if _, there := after[name]; !there {
			out = append(out, Field{Name: name, Was: before[name]})
		}
	}
	return out, err
}

// object reads the fields of a JSON object, and their names in order. A state that is no
// object is one field without a name.
func object(data json.RawMessage) (fields map[string]json.RawMessage, names []string, err error) {
	fields = map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(data))
	if data = bytes.TrimSpace(data); len(data) == 0 {
		return fields, nil, nil
	}
	if data[0] != '{' {
		return map[string]json.RawMessage{"": data}, []string{""}, nil
	}
	for first := true; first || d.More(); first = false {
		t, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		name, ok := t.(string)
		if !ok {
			continue // the brace
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
		if _, twice := fields[name]; !twice {
			names = append(names, name)
		}
		fields[name] = value
	}
	return fields, names, nil
}

// appended is what a list has at its end that it did not have before; nil when it differs in
// another way.
func appended(was, is json.RawMessage) json.RawMessage {
	head := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(was), []byte("]")), " \n")
	if bytes.Equal(bytes.TrimSpace(was), []byte("null")) {
		head = []byte("[")
	}
	rest, ok := bytes.CutPrefix(is, head)
	if !ok || len(head) == 0 || head[0] != '[' {
		return nil
	}
	rest = bytes.TrimLeft(rest, " \n")
	if len(head) > 1 {
		if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok {
			return nil // its last element has become longer
		}
	}
	return append([]byte("["), rest...)
}
