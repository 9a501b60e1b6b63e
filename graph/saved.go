package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// FormatVersion is the version of Checkpoint.Data. Older formats are read as
// they are. A superstep that begins on an older checkpoint follows the rules of
// its format.
//
//	1  keys inside Once share the numbers of keys outside; a Send is its
//	   state as plain JSON; labels of joins are not quoted
//	2  tasks of a graph that is not saved are known by their place in the
//	   superstep, not by node and Send
//	3  current
const (
	FormatVersion = 3
	flatFormat    = 1
	placeFormat   = 2
)

// A saved is Checkpoint.Data: the changes of a superstep and the frontier after
// it. Values are JSON, readable without the state's type.
//
// A snapshot holds the whole state in Set. Any other checkpoint changes its
// parent's state: it removes the channels in Drop, applies the writes of Tasks,
// replaces the values in Set, and extends lists by Add. Reduced values are
// always in Set, since reading a checkpoint calls no reducer.
type saved struct {
	V        int                        `json:"v"`
	Owner    string                     `json:"owner,omitempty"` // the outer graph's task
	Full     bool                       `json:"full,omitempty"`
	From     *stateRef                  `json:"from,omitempty"`
	Extra    bool                       `json:"lent,omitempty"` // Set may have channels that the graph lacks
	Drop     []string                   `json:"drop,omitempty"`
	Tasks    []savedTask                `json:"tasks,omitempty"`
	Set      map[string]json.RawMessage `json:"set,omitempty"`
	Add      map[string]json.RawMessage `json:"add,omitempty"`
	Input    []writeJSON                `json:"input,omitempty"` // not merged yet
	Next     []string                   `json:"next,omitempty"`
	Sends    []savedSend                `json:"sends,omitempty"`
	Deferred []string                   `json:"held,omitempty"`
	Arrived  map[string][]string        `json:"arrived,omitempty"` // by join
	// Children are the newest checkpoints of stateful subgraphs by namespace,
	// as far as this superstep changed them.
	Children map[string]string `json:"children,omitempty"`
	// Written holds the writes of a subgraph for the outer graph, when Tasks
	// lacks them.
	Written []writeJSON `json:"written,omitempty"`
}

// A stateRef is an outer graph's checkpoint that holds the state of a
// subgraph's snapshot. A subgraph in a loop thus does not save that state every
// round.
type stateRef struct {
	Namespace string `json:"ns,omitempty"`
	ID        string `json:"id"`
}

// A savedTask is a task's update. Start's is the input, saved in the parent.
type savedTask struct {
	Node   string      `json:"node"`
	Update []writeJSON `json:"update,omitempty"`
}

// A savedSend is a Send: its channels that are not zero, and its other fields
// that are not zero in Rest. In format 1 and in traces its state is plain JSON.
type savedSend struct {
	Node    string                     `json:"node"`
	State   json.RawMessage            `json:"state,omitempty"`
	Values  map[string]json.RawMessage `json:"values,omitempty"`
	Rest    map[string]json.RawMessage `json:"rest,omitempty"` // by field
	Timeout *Timeout                   `json:"timeout,omitempty"`
}

// readSaved decodes a checkpoint's data. Its errors name the checkpoint.
func readSaved(c Checkpoint) (*saved, error) {
	s := &saved{}
	if err := decodeInto(c.Data, s); err != nil {
		return nil, fmt.Errorf("reading checkpoint %s: not the data of a checkpoint: %w", c.ID, err)
	}
	switch {
	case s.V == 0:
		return nil, fmt.Errorf("reading checkpoint %s: no format version: not the data of a checkpoint", c.ID)
	case s.V < flatFormat || s.V > FormatVersion:
		return nil, fmt.Errorf("reading checkpoint %s: format version is %d, this program reads up to %d", c.ID, s.V, FormatVersion)
	case s.Full != (c.Base == c.ID):
		return nil, fmt.Errorf("reading checkpoint %s: it builds on %s, but its data says full: %t", c.ID, c.Base, s.Full)
	}
	return s, nil
}

// A folded is the content of a lineage.
type folded struct {
	last     *saved // data of the last checkpoint
	values   map[string]json.RawMessage
	children map[string]string
	ran      []savedTask // tasks of the last superstep with nodes since the input
	extra    bool        // values may have channels that the graph lacks
	size     int         // bytes since the snapshot, with it
	base     int         // bytes of the snapshot
}

// A stateReader reads a checkpoint of another namespace of the thread.
type stateReader func(stateRef) (*folded, error)

// fold reads a lineage, oldest first.
func fold(lineage []Checkpoint, read stateReader) (*folded, error) {
	f := &folded{children: map[string]string{}}
	lists := map[string]*list{}
	var before *saved
	for _, c := range lineage {
		s, err := readSaved(c)
		if err != nil {
			return nil, err
		}
		if s.Full {
			clear(lists)
			f.base, f.size, f.extra = len(c.Data), 0, s.Extra
			if s.From != nil {
				from, err := read(*s.From)
				if err != nil {
					return nil, fmt.Errorf("reading checkpoint %s: its state is that of checkpoint %s of the graph around it: %w", c.ID, s.From.ID, err)
				}
				for name, value := range from.values {
					lists[name] = &list{whole: value}
				}
				f.extra = true
			}
		} else if before == nil {
			return nil, fmt.Errorf("reading checkpoint %s: its lineage does not begin with a snapshot", c.ID)
		}
		f.size += len(c.Data)
		if !s.Full {
			if err := s.apply(lists, before.Input, c.Source); err != nil {
				return nil, fmt.Errorf("reading checkpoint %s: %w", c.ID, err)
			}
		}
		for name, value := range s.Set {
			lists[name] = &list{whole: value}
		}
		for name, more := range s.Add {
			if err := addTo(lists, name, more); err != nil {
				return nil, fmt.Errorf("reading checkpoint %s: %w", c.ID, err)
			}
		}
		maps.Copy(f.children, s.Children)
		if s.runsNodes() {
			f.ran = s.Tasks
		}
		if s.Input != nil {
			f.ran = nil
		}
		before, f.last = s, s
	}
	if f.last == nil {
		return nil, ErrNoCheckpoint
	}
	f.values = make(map[string]json.RawMessage, len(lists))
	for name, l := range lists {
		if l.keyed == nil {
			f.values[name] = l.join()
			continue
		}
		var err error
		if f.values[name], err = l.keyed.join(); err != nil {
			return nil, fmt.Errorf("reading channel %q: %w", name, err)
		}
	}
	return f, nil
}

// apply applies the writes of the superstep's tasks. Updates given with answers
// were merged separately: before the superstep and its Drop, or after Drop in
// an update by hand.
func (s *saved) apply(lists map[string]*list, input []writeJSON, source Source) error {
	var early [][]writeJSON
	var beside []writeJSON
	for _, t := range s.Tasks {
		switch t.Node {
		case Start:
			beside = append(beside, input...)
		case "":
			early = append(early, t.Update)
		default:
			beside = append(beside, t.Update...)
		}
	}
	drop := func() {
		for _, name := range s.Drop {
			delete(lists, name)
		}
	}
	if source == SourceUpdate {
		drop()
	}
	for _, writes := range early {
		if err := s.merge(lists, writes); err != nil {
			return err
		}
	}
	if source != SourceUpdate {
		drop()
	}
	return s.merge(lists, beside)
}

// merge follows the rules of position.merge.
func (s *saved) merge(lists map[string]*list, writes []writeJSON) error {
	overwritten := map[string]bool{}
	for _, w := range writes {
		if _, err := opNamed(w.Op); err != nil {
			return err
		}
		overwritten[w.Channel] = overwritten[w.Channel] || w.Op == opNames[OpOverwrite]
	}
	for _, w := range writes {
		_, reduced := s.Set[w.Channel]
		switch {
		case w.Channel == "" || w.Value == nil: // a command, or an untracked value
		case overwritten[w.Channel] && w.Op != opNames[OpOverwrite], reduced:
		case w.Op == opNames[OpAdd]:
			if err := addTo(lists, w.Channel, w.Value); err != nil {
				return err
			}
		case w.Op == opNames[OpPut], w.Op == opNames[OpRemove]:
			if err := editIn(lists, w); err != nil {
				return err
			}
		default:
			lists[w.Channel] = &list{whole: w.Value}
		}
	}
	return nil
}

// A list is a value and its additions, or a list whose elements have ids.
type list struct {
	whole json.RawMessage
	parts [][]byte // elements with commas between them
	keyed *keyedList
}

// editIn applies a write to a Keyed channel.
func editIn(lists map[string]*list, w writeJSON) (err error) {
	if lists[w.Channel] == nil {
		lists[w.Channel] = &list{whole: json.RawMessage("null")}
	}
	l, op := lists[w.Channel], OpPut
	if w.Op == opNames[OpRemove] {
		op = OpRemove
	}
	if l.keyed == nil {
		if l.keyed, err = readKeyed(l.whole); err != nil {
			return fmt.Errorf("reading channel %q: %w", w.Channel, err)
		}
	}
	if err := l.keyed.edit(op, w.Value); err != nil {
		return fmt.Errorf("editing channel %q: %w", w.Channel, err)
	}
	return nil
}

func addTo(lists map[string]*list, name string, more json.RawMessage) error {
	inner, err := elements(more)
	if err != nil {
		return fmt.Errorf("adding to channel %q: %w", name, err)
	}
	if len(inner) == 0 {
		return nil
	}
	if lists[name] == nil {
		lists[name] = &list{}
	}
	lists[name].parts = append(lists[name].parts, inner)
	return nil
}

// elements returns the text between the brackets of a JSON list.
func elements(data json.RawMessage) ([]byte, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil, nil
	}
	if data[0] != '[' {
		return nil, fmt.Errorf("%.20q is not a list", data)
	}
	return bytes.TrimSpace(data[1 : len(data)-1]), nil
}

// join returns the value with its additions. A value that is not a list stays
// unchanged, and fails to decode.
func (l *list) join() json.RawMessage {
	if len(l.parts) == 0 {
		return l.whole
	}
	first, err := elements(l.whole)
	if err != nil {
		return l.whole
	}
	parts := l.parts
	if len(first) > 0 {
		parts = append([][]byte{first}, parts...)
	}
	out := append([]byte{'['}, bytes.Join(parts, []byte{','})...)
	return append(out, ']')
}

// asSnapshot returns the last checkpoint of a lineage as a snapshot. Change
// edits its data before the encoding.
func asSnapshot(lineage []Checkpoint, read stateReader, change func(*saved) error) (Checkpoint, error) {
	c := lineage[len(lineage)-1]
	f, err := fold(lineage, read)
	if err != nil {
		return c, err
	}
	s := *f.last
	s.Full, s.From, s.Extra, s.Drop, s.Set, s.Add, s.Children = true, nil, f.extra, nil, f.values, nil, f.children
	if !s.runsNodes() { // readers look for the last nodes in earlier checkpoints
		for _, t := range f.ran {
			s.Tasks = append(s.Tasks, savedTask{Node: t.Node})
		}
	}
	if err := change(&s); err != nil {
		return c, err
	}
	if c.Data, err = encode(&s); err != nil {
		return c, fmt.Errorf("encoding checkpoint %s: %w", c.ID, err)
	}
	c.Base = c.ID
	return c, nil
}

// runsNodes reports whether the superstep ran nodes.
func (s *saved) runsNodes() bool {
	return slices.ContainsFunc(s.Tasks, func(t savedTask) bool { return t.Node != "" && t.Node != Start })
}

// writes returns Written, or else the superstep's writes.
func (s *saved) writes() []writeJSON {
	if s.Written != nil {
		return s.Written
	}
	var out []writeJSON
	for _, t := range s.Tasks {
		out = append(out, t.Update...)
	}
	return out
}
