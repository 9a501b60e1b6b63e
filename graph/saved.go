package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// formatVersion is that of Checkpoint.Data. What was written in an older format
// is read as it is; a superstep that begins on it goes by the rules of its
// format.
//
//	1  keys inside a recorded call are numbered with those outside of it; a Send
//	   is its state as plain JSON; labels of joins are not quoted
//	2  today's
const (
	formatVersion = 2
	flatFormat    = 1
)

// A saved is Checkpoint.Data: what a superstep changed, and what is to run
// next. Values are JSON, so that it can be read without the state's type.
//
// A snapshot has the whole state in Set. Else the state is that of the parent,
// without Drop, with the writes of Tasks, then with Set in place of what is
// there, and Add at the end of lists. What goes through a reducer is always in
// Set: reducers are not asked again when a checkpoint is read.
type saved struct {
	V       int                        `json:"v"`
	Owner   string                     `json:"owner,omitempty"` // the task of the parent graph that this graph runs in
	Full    bool                       `json:"full,omitempty"`
	From    *lent                      `json:"from,omitempty"`
	Lent    bool                       `json:"lent,omitempty"` // Set may have channels that the graph does not have
	Drop    []string                   `json:"drop,omitempty"`
	Tasks   []savedTask                `json:"tasks,omitempty"`
	Set     map[string]json.RawMessage `json:"set,omitempty"`
	Add     map[string]json.RawMessage `json:"add,omitempty"`
	Input   []writeJSON                `json:"input,omitempty"` // not merged yet
	Next    []string                   `json:"next,omitempty"`
	Sends   []savedSend                `json:"sends,omitempty"`
	Held    []string                   `json:"held,omitempty"`
	Arrived map[string][]string        `json:"arrived,omitempty"` // by join
	// Children are the newest checkpoints of subgraphs that keep their state, by
	// namespace, as far as this superstep changed them.
	Children map[string]string `json:"children,omitempty"`
	// Written is what a subgraph has written for the graph around it, when Tasks
	// does not say.
	Written []writeJSON `json:"written,omitempty"`
}

// lent is a checkpoint of the graph around this one whose state is that of the
// snapshot, so that a subgraph in a loop does not save it round after round.
type lent struct {
	Namespace string `json:"ns,omitempty"`
	ID        string `json:"id"`
}

// savedTask is what a task of the superstep returned. The input is that of
// Start, and stands in the parent.
type savedTask struct {
	Node   string      `json:"node"`
	Update []writeJSON `json:"update,omitempty"`
}

// savedSend is a Send. Its state is that of the channels that are not zero, and,
// if there is more, of the fields that have no channel; in format 1 and in traces
// it is plain JSON.
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
	case s.V < flatFormat || s.V > formatVersion:
		return nil, fmt.Errorf("reading checkpoint %s: format version is %d, this program reads up to %d", c.ID, s.V, formatVersion)
	case s.Full != (c.Base == c.ID):
		return nil, fmt.Errorf("reading checkpoint %s: it is read from %s, and its data says otherwise (full: %t)", c.ID, c.Base, s.Full)
	}
	return s, nil
}

// A folded is what a lineage comes to.
type folded struct {
	last     *saved // of the checkpoint itself
	values   map[string]json.RawMessage
	children map[string]string
	ran      []savedTask // by the last superstep that ran nodes since the input
	lent     bool        // some of the values may be of channels that the graph does not have
	size     int         // bytes of data since the snapshot, with it
	base     int         // bytes of the snapshot
}

// lender reads a checkpoint of another namespace of the thread.
type lender func(lent) (*folded, error)

// fold reads a lineage, oldest first.
func fold(lineage []Checkpoint, read lender) (*folded, error) {
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
			f.base, f.size, f.lent = len(c.Data), 0, s.Lent
			if s.From != nil {
				from, err := read(*s.From)
				if err != nil {
					return nil, fmt.Errorf("reading checkpoint %s: its state is that of checkpoint %s of the graph around it: %w", c.ID, s.From.ID, err)
				}
				for name, value := range from.values {
					lists[name] = &list{whole: value}
				}
				f.lent = true
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
			if err := add(lists, name, more); err != nil {
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
		f.values[name] = l.join()
	}
	return f, nil
}

// apply makes the writes of the superstep's tasks. What came with answers was
// merged for itself: before the superstep, so that what lasts for one is over, and
// by hand in its place.
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

// merge follows the rules of run.merge.
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
			if err := add(lists, w.Channel, w.Value); err != nil {
				return err
			}
		default:
			lists[w.Channel] = &list{whole: w.Value}
		}
	}
	return nil
}

// A list is a value and what was added to it.
type list struct {
	whole json.RawMessage
	parts [][]byte // elements with commas between them
}

func add(lists map[string]*list, name string, more json.RawMessage) error {
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

// elements is what stands between the brackets of a JSON list.
func elements(data json.RawMessage) ([]byte, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil, nil
	}
	if data[0] != '[' {
		return nil, fmt.Errorf("%.20q is no list", data)
	}
	return bytes.TrimSpace(data[1 : len(data)-1]), nil
}

// join is the value with what was added. What is no list cannot be added to,
// and stands as it is; decoding it says so.
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

// whole is the checkpoint that a lineage ends with, as a snapshot. Change may
// change its data before it is encoded.
func whole(lineage []Checkpoint, read lender, change func(*saved) error) (Checkpoint, error) {
	c := lineage[len(lineage)-1]
	f, err := fold(lineage, read)
	if err != nil {
		return c, err
	}
	s := *f.last
	s.Full, s.From, s.Lent, s.Drop, s.Set, s.Add, s.Children = true, nil, f.lent, nil, f.values, nil, f.children
	if !s.runsNodes() { // which nodes ran last is read from before it
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

// writes is what a subgraph wrote for the graph around it up to here, if it is
// Written, or else in this superstep.
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
