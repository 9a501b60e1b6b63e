package graph

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// KeyedChannel is a list whose elements have ids. Writes add, replace and remove
// elements in task order. A checkpoint holds what changed, not the list.
type KeyedChannel[S, E any] struct {
	handle[S, []E]
	list *keyedField[E]
}

// Keyed makes a channel for a list of elements with ids. Id is the address of an
// element's id, a field that JSON writes as "id"; Compile checks that. Several
// elements may have no id: nothing replaces or removes those.
func Keyed[S, E any](name string, at func(*S) *[]E, id func(*E) *string) *KeyedChannel[S, E] {
	f := &keyedField[E]{listField[E]{fieldOf(name, KindKeyed, at, nil)}, id}
	return &KeyedChannel[S, E]{handle[S, []E]{f, &f.field}, f}
}

// Put replaces the elements that have the ids of values, in their places, and
// appends the others. The write keeps the slice: a caller that passes one with
// "…" must not change it later.
func (c *KeyedChannel[S, E]) Put(values ...E) Write[S] {
	return &editOf[S, E]{keyedWrite[E]{to: c.list, op: OpPut, values: values}}
}

// Remove removes the elements with some ids. An id that no element has is
// ignored.
func (c *KeyedChannel[S, E]) Remove(ids ...string) Write[S] {
	return &editOf[S, E]{keyedWrite[E]{to: c.list, op: OpRemove, ids: ids}}
}

// Overwrite replaces the whole list, and discards what other nodes write in the
// same superstep. Two overwrites are a conflict.
func (c *KeyedChannel[S, E]) Overwrite(values []E) Write[S] {
	return writeTo[S](c.to, OpOverwrite, slices.Clip(slices.Clone(values)))
}

// A keyedField is a list whose elements have ids.
type keyedField[E any] struct {
	listField[E]
	idOf func(*E) *string
}

func (f *keyedField[E]) fault(zero any) (fault string) {
	if fault = f.field.fault(zero); fault != "" {
		return fault
	}
	if f.idOf == nil {
		return "its id function is nil"
	}
	const unusable = "its id function must return the address of a string field of the element that JSON writes as \"id\""
	defer func() {
		if recover() != nil {
			fault = unusable
		}
	}()
	var sample E
	at := f.idOf(&sample)
	if at == nil {
		return unusable
	}
	*at = "x"
	data, err := json.Marshal(&sample)
	if err != nil || idOf(data) != "x" {
		return unusable
	}
	return ""
}

func (f *keyedField[E]) decodeWrite(op Op, data []byte) (write, error) {
	w := &keyedWrite[E]{to: f, op: op}
	var err error
	switch op {
	case OpPut:
		err = decodeWhole(data, &w.values)
	case OpRemove:
		err = decodeWhole(data, &w.ids)
	case OpOverwrite:
		return f.field.decodeWrite(op, data)
	default:
		return nil, fmt.Errorf("channel %q, which is of kind %s, knows no %s", f.name, f.kind, op)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding a write to channel %q: %w", f.name, err)
	}
	return w, nil
}

// put returns list with the values in it. Unless owned, earlier states share its
// array, and the first replacement makes another.
func (f *keyedField[E]) put(list, values []E, owned *bool) []E {
	for i := range values {
		at := -1
		if id := *f.idOf(&values[i]); id != "" {
			for at = len(list) - 1; at >= 0 && *f.idOf(&list[at]) != id; at-- {
			}
		}
		if at < 0 {
			list = append(list, values[i])
			continue
		}
		list = own(list, owned)
		list[at] = values[i]
	}
	return list
}

func (f *keyedField[E]) remove(list []E, ids []string, owned *bool) []E {
	gone := func(e E) bool { id := *f.idOf(&e); return id != "" && slices.Contains(ids, id) }
	if !slices.ContainsFunc(list, gone) {
		return list
	}
	return slices.DeleteFunc(own(list, owned), gone)
}

func own[E any](list []E, owned *bool) []E {
	if *owned {
		return list
	}
	*owned = true
	return slices.Clone(list)
}

// A keyedWrite puts or removes elements.
type keyedWrite[E any] struct {
	to     *keyedField[E]
	op     Op
	values []E
	ids    []string
}

func (w *keyedWrite[E]) Channel() string     { return w.to.name }
func (w *keyedWrite[E]) Op() Op              { return w.op }
func (w *keyedWrite[E]) channel() *channelID { return &w.to.channelID }

func (w *keyedWrite[E]) apply(s any, owned *bool) (panicked *PanicError) {
	defer func() {
		if v := recover(); v != nil {
			panicked = caught(v)
		}
	}()
	at := w.to.at(s)
	if w.op == OpPut {
		*at = w.to.put(*at, w.values, owned)
	} else {
		*at = w.to.remove(*at, w.ids, owned)
	}
	return nil
}

func (w *keyedWrite[E]) encode(dst []byte) ([]byte, error) {
	if w.op == OpPut {
		return appendJSON(dst, &w.values)
	}
	return appendJSON(dst, &w.ids)
}

func (w *keyedWrite[E]) intact(data []byte) error {
	if w.op != OpPut {
		return intact(data, &w.ids)
	}
	if w.to.loose {
		if err := sameTypes(&w.values); err != nil {
			return err
		}
	}
	return intact(data, &w.values)
}

// An editOf is a keyedWrite to a channel of S.
type editOf[S, E any] struct{ plain keyedWrite[E] }

func (w *editOf[S, E]) Channel() string { return w.plain.to.name }
func (w *editOf[S, E]) Op() Op          { return w.plain.op }
func (w *editOf[S, E]) of(*S)           {}
func (w *editOf[S, E]) untyped() write  { return &w.plain }

// unsavable also checks the type of the elements.
func (f *keyedField[E]) unsavable() (where, why string) {
	if reflect.TypeFor[E]().Kind() != reflect.Struct {
		return "", fmt.Sprintf("its elements are of type %s; they must be a struct with an id", reflect.TypeFor[E]())
	}
	return f.listField.unsavable()
}

// idOf is the id of an element's JSON, or empty.
func idOf(element json.RawMessage) string {
	var e struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(element, &e) != nil {
		return ""
	}
	return e.ID
}

// A keyedList is the JSON of a keyed list while a lineage is read.
type keyedList struct {
	elements []json.RawMessage
	ids      []string
	last     map[string]int // by id
	null     bool           // no element was ever written
}

func readKeyed(whole json.RawMessage) (*keyedList, error) {
	l := &keyedList{last: map[string]int{}, null: string(whole) == "null"}
	var elements []json.RawMessage
	if err := json.Unmarshal(whole, &elements); err != nil {
		return nil, err
	}
	for _, e := range elements {
		l.add(e, idOf(e))
	}
	return l, nil
}

func (l *keyedList) add(element json.RawMessage, id string) {
	if id != "" {
		l.last[id] = len(l.ids)
	}
	l.elements, l.ids, l.null = append(l.elements, element), append(l.ids, id), false
}

// edit applies a write as keyedField does.
func (l *keyedList) edit(op Op, value json.RawMessage) error {
	if op == OpRemove {
		var gone []string
		if err := json.Unmarshal(value, &gone); err != nil {
			return err
		}
		left := keyedList{last: map[string]int{}, null: l.null}
		for i, e := range l.elements {
			if l.ids[i] == "" || !slices.Contains(gone, l.ids[i]) {
				left.add(e, l.ids[i])
			}
		}
		*l = left
		return nil
	}
	var values []json.RawMessage
	if err := json.Unmarshal(value, &values); err != nil {
		return err
	}
	for _, v := range values {
		id := idOf(v)
		if at, known := l.last[id]; known {
			l.elements[at] = v
		} else {
			l.add(v, id)
		}
	}
	return nil
}

func (l *keyedList) join() (json.RawMessage, error) {
	if l.null {
		return json.RawMessage("null"), nil
	}
	if len(l.elements) == 0 {
		return json.RawMessage("[]"), nil
	}
	return json.Marshal(l.elements)
}
