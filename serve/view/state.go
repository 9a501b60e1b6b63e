package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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

// Changes returns the fields in which two states differ. A state that is not an object is one field
// without a name.
func Changes(was, is json.RawMessage) ([]Field, error) {
	if is = bytes.TrimSpace(is); len(is) > 0 && is[0] != '{' {
		if bytes.Equal(was, is) {
			return nil, nil
		}
		return []Field{{Was: was, Is: is, Added: appended(was, is)}}, nil
	}
	out, err := differences(was, is)
	for i := range out {
		out[i].Name = strings.TrimPrefix(out[i].Name, ".")
	}
	return out, err
}

// differences returns the places directly inside two values where these differ.
func differences(was, is json.RawMessage) ([]Field, error) {
	before, gone, err := places(was)
	if err != nil {
		return nil, err
	}
	after, names, err := places(is)
	var out []Field
	for _, name := range names {
		if a, b := before[name], after[name]; !bytes.Equal(a, b) {
			out = append(out, Field{Name: name, Was: a, Is: b, Added: appended(a, b)})
		}
	}
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
	todo, out := []Field{f}, []Field(nil)
	for len(todo) > 0 && len(out) <= most {
		next := todo[0]
		if inside, ok := next.inside(); ok {
			todo = slices.Concat(inside, todo[1:])
		} else {
			todo, out = todo[1:], append(out, next)
		}
	}
	if len(out) == 0 || len(out) > most {
		return []Field{f}
	}
	return out
}

// inside returns the differences in an object or a list.
func (f Field) inside() ([]Field, bool) {
	if f.Added != nil || len(f.Was) == 0 || len(f.Is) == 0 || f.Was[0] != f.Is[0] || f.Was[0] != '{' && f.Was[0] != '[' {
		return nil, false
	}
	out, err := differences(f.Was, f.Is)
	for i := range out {
		out[i].Name, out[i].By = f.Name+out[i].Name, f.By
	}
	return out, err == nil
}

// places returns the fields of an object as ".name" and the elements of a list as "[0]", with these
// names in order.
func places(data json.RawMessage) (at map[string]json.RawMessage, names []string, err error) {
	at = map[string]json.RawMessage{}
	add := func(name string, value json.RawMessage) {
		if _, twice := at[name]; !twice {
			names = append(names, name)
		}
		at[name] = value
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for i, value := range list {
			add(fmt.Sprintf("[%d]", i), value)
		}
		return at, names, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if len(bytes.TrimSpace(data)) > 0 {
		_, err = d.Token() // the brace
	}
	for err == nil && d.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		add(fmt.Sprint(".", name), value)
	}
	return at, names, err
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
