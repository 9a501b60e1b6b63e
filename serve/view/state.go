package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// fields completes the states around a step, after all its tasks are known.
func (b *Builder) fields(at int, s *Step) {
	if b.opts.State == nil || !b.detailed(at) {
		return
	}
	wrote, ended := map[string][]string{}, true
	for _, n := range s.Nodes {
		if n.Inside >= 0 {
			continue
		}
		ended = ended && !n.Unfinished
		for _, channel := range n.Wrote() {
			if by := wrote[channel]; !slices.Contains(by, n.Name) {
				wrote[channel] = append(by, n.Name)
			}
		}
	}
	if s.States = ended && len(wrote) == 0; s.States {
		return // it has no state of its own
	}
	is, known := b.opts.State(s.Step)
	if was, ok := b.before(s.Step); ok && known {
		fields, err := Changes(was, is)
		s.Fields, s.States = fields, err == nil
	}
	for i := range s.Fields {
		s.Fields[i].By = wrote[s.Fields[i].Name]
	}
}

// ends reads the first and the last state.
func (b *Builder) ends(v *View) {
	if len(v.Steps) == 0 {
		return
	}
	if was, known := b.before(v.Steps[0].Step); known {
		v.First = was
	}
	for at := len(v.Steps) - 1; at >= 0 && v.Last == nil; at-- {
		s := &v.Steps[at]
		if is, known := b.opts.State(s.Step); known {
			v.Last = is
		} else if !s.States || len(s.Fields) > 0 {
			return // its changes are unknown
		}
	}
}

// before returns the last known state before a superstep.
func (b *Builder) before(step int) (was json.RawMessage, known bool) {
	first := b.view.Continued
	if first == 0 {
		first = -1 // the state after the input
	}
	for step--; step >= first && !known; step-- {
		was, known = b.opts.State(step)
	}
	return was, known
}

// Changes returns the fields in which two states differ.
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

// Parts returns the innermost places that differ in a field, such as "plan[0].status", and the
// elements that lists gained at their ends. With more than most places it returns the field itself.
func (f Field) Parts(most int) []Field {
	out := f.parts(most, nil)
	if len(out) == 0 || len(out) > most {
		return []Field{f}
	}
	return out
}

func (f Field) parts(most int, out []Field) []Field {
	inside, ok := f.inside()
	if !ok {
		return append(out, f)
	}
	for _, part := range inside {
		if out = part.parts(most, out); len(out) > most {
			break
		}
	}
	return out
}

// inside returns the differences in an object or a list.
func (f Field) inside() ([]Field, bool) {
	if f.Added != nil || len(f.Was) == 0 || len(f.Is) == 0 || f.Was[0] != f.Is[0] {
		return nil, false
	}
	if f.Was[0] == '{' {
		changed, err := Changes(f.Was, f.Is)
		for i := range changed {
			changed[i].Name, changed[i].By = f.Name+"."+changed[i].Name, f.By
		}
		return changed, err == nil
	}
	var was, is []json.RawMessage
	if f.Was[0] != '[' || json.Unmarshal(f.Was, &was) != nil || json.Unmarshal(f.Is, &is) != nil {
		return nil, false
	}
	var out []Field
	for i := range max(len(was), len(is)) {
		part := Field{Name: fmt.Sprintf("%s[%d]", f.Name, i), By: f.By}
		if i < len(was) {
			part.Was = was[i]
		}
		if i < len(is) {
			part.Is = is[i]
		}
		if !bytes.Equal(part.Was, part.Is) {
			part.Added = appended(part.Was, part.Is)
			out = append(out, part)
		}
	}
	return out, true
}

// object returns the fields of a JSON object and their names in order. A state that is not an
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

// appended returns the elements that a list gained at its end; nil when it differs in another way.
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
