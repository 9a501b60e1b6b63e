package view

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state/event"
)

// A Comparison holds the differences between two runs.
type Comparison struct {
	Given []Value // differences in skills, settings and input
	// First is the first differing event, ignoring settings, times and the sizes of model calls;
	// nil when there is none. Its Index counts the events of the normalised trace. Step is its
	// superstep, -1 outside of any.
	First *trace.Difference
	Step  int
	Nodes []NodeChange // in the order of the runs
}

// A Value is a value before and after, as JSON or "absent".
type Value struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// A NodeChange lists the changed fields of a node's update, or says that only one run ran the node.
// The node's second task is "#2".
type NodeChange struct {
	Node    string  `json:"node"`
	Gone    bool    `json:"gone,omitempty"`
	New     bool    `json:"new,omitempty"`
	Changes []Value `json:"changes"`
}

// Compare compares two runs by their records.
func Compare(was, is []trace.Record) (Comparison, error) {
	if len(was) == 0 || len(is) == 0 {
		return Comparison{}, fmt.Errorf("comparing runs: one of them has no events")
	}
	normal := trace.Normalise(was)
	c := Comparison{Given: given(normal, trace.Normalise(is)), Step: -1}
	before, after := effects(was), effects(is)
	if d, differ := trace.First(before, after); differ {
		side := before
		if d.Index >= len(before) {
			side = after
		}
		if places := side[d.Index].Places; len(places) > 0 {
			c.Step = places[0].Step
		}
		d.Index = indexIn(normal, d.Index)
		c.First = &d
	}
	c.Nodes = changesOf(before, after)
	return c, nil
}

// given returns the skills, settings and inputs that differ between the runs.
func given(was, is []trace.Record) []Value {
	out := []Value{}
	add := func(prefix string, was, is map[string]string) {
		both := maps.Clone(was)
		maps.Copy(both, is)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			if was[name] != is[name] {
				out = append(out, Value{prefix + name, was[name], is[name]})
			}
		}
	}
	a, b := headerOf(was), headerOf(is)
	skills := func(of, other map[string]string) map[string]string { // only skills that both runs used
		of = maps.Clone(of)
		maps.DeleteFunc(of, func(name, _ string) bool { return other[name] == "" })
		return of
	}
	add("skill ", skills(a.Skills, b.Skills), skills(b.Skills, a.Skills))
	add("", a.Config, b.Config)
	add("input ", inputOf(a), inputOf(b))
	return out
}

// inputOf returns the input of a run by channel; empty if it is not a list of writes.
func inputOf(h trace.Header) map[string]string {
	var writes []Change
	if json.Unmarshal(h.Input, &writes) != nil {
		return nil
	}
	out := map[string]string{}
	for _, w := range writes {
		out[w.Channel] += string(w.Value)
	}
	return out
}

// headerOf returns the header of a run; empty for a server's run.
func headerOf(records []trace.Record) trace.Header {
	for _, rec := range records {
		if rec.Header != nil {
			return *rec.Header
		}
	}
	return trace.Header{}
}

// incidental reports whether a record's differences are ignored: the sizes of a model call, the ID
// of a checkpoint.
func incidental(rec trace.Record) bool {
	return rec.Kind == event.ModelCall || rec.Kind == graph.CheckpointSaved.String()
}

// indexIn converts an index into [effects] to the index of the same event in the normalised trace.
func indexIn(normal []trace.Record, without int) int {
	for i, rec := range normal {
		if incidental(rec) {
			continue
		}
		if without == 0 {
			return i
		}
		without--
	}
	return len(normal) + without
}

// effects returns a normalised trace without settings, hashes of prompts, IDs of interrupts, and
// incidental records.
func effects(records []trace.Record) []trace.Record {
	out := slices.DeleteFunc(trace.Normalise(records), incidental)
	for i := range out {
		rec := &out[i]
		rec.Seq, rec.Header = i, nil
		rec.Update, rec.Data = withoutUsage(rec.Update), withoutUsage(rec.Data)
		rec.Interrupts = slices.Clone(rec.Interrupts)
		for k := range rec.Interrupts {
			rec.Interrupts[k].ID = ""
		}
	}
	return out
}

// usageKeys are the keys of a state.ModelUsage.
var usageKeys = []string{"calls", "input_chars", "output_chars", "input_tokens", "output_tokens", "parse_failures", "cost", "unpriced", "recorded_cost", "recorded_unpriced"}

// withoutUsage removes model usage from a JSON value. Other text stays as it is.
func withoutUsage(data json.RawMessage) json.RawMessage {
	var v any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if len(data) == 0 || d.Decode(&v) != nil {
		return data
	}
	out, err := json.Marshal(strip(v))
	if err != nil {
		return data
	}
	return out
}

func strip(v any) any {
	switch v := v.(type) {
	case []any:
		kept := v[:0]
		for _, item := range v {
			if w, ok := item.(map[string]any); ok && w["channel"] == "usage" {
				continue
			}
			kept = append(kept, strip(item))
		}
		return kept
	case map[string]any:
		if _, is := v["input_chars"]; is {
			for _, key := range usageKeys {
				delete(v, key)
			}
		}
		delete(v, "skill_hash")
		for key := range v {
			v[key] = strip(v[key])
		}
	}
	return v
}

// ended is the end of a task: its update by channel, or its error.
type ended struct {
	order  []string
	fields map[string][]json.RawMessage
}

// changesOf returns the nodes with a different result, in the order of the runs. It leaves out a
// node whose inner nodes are listed.
func changesOf(was, is []trace.Record) []NodeChange {
	a, namesA := endings(was)
	b, namesB := endings(is)
	names := slices.Clone(namesB)
	for _, name := range namesA {
		if _, also := b[name]; !also {
			names = append(names, name)
		}
	}
	out := []NodeChange{}
	for _, name := range names {
		before, ran := a[name]
		after, runs := b[name]
		switch {
		case !runs:
			out = append(out, NodeChange{Node: name, Gone: true, Changes: []Value{}})
		case !ran:
			out = append(out, NodeChange{Node: name, New: true, Changes: []Value{}})
		default:
			if changes := before.changes(after); len(changes) > 0 {
				out = append(out, NodeChange{Node: name, Changes: changes})
			}
		}
	}
	outer := map[string]bool{} // nodes around the listed ones
	for _, c := range out {
		for i, r := range c.Node {
			if r == '/' {
				outer[c.Node[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(out, func(c NodeChange) bool { return outer[c.Node] })
}

// endings returns the ends of a run's tasks by name, and the names in order. A name is a node and
// the number of its task in its graph.
func endings(records []trace.Record) (map[string]ended, []string) {
	names := map[string]string{} // by place
	times := map[string]int{}
	out := map[string]ended{}
	var order []string
	for _, rec := range records {
		if rec.Node == "" {
			continue
		}
		around, name := strings.Split(rec.Namespace, "/"), ""
		for depth := range rec.Places {
			at, node := fmt.Sprint(rec.Places[:depth+1]), rec.Node
			if depth < len(rec.Places)-1 && depth < len(around) {
				node = around[depth]
			}
			if names[at] == "" {
				full := strings.TrimPrefix(name+"/"+node, "/")
				if times[full]++; times[full] > 1 {
					full = fmt.Sprintf("%s#%d", full, times[full])
				}
				names[at] = full
			}
			name = names[at]
		}
		switch rec.Kind {
		case graph.NodeUpdate.String():
			out[name] = fieldsOf(rec.Update)
		case graph.NodeFailed.String():
			text, err := json.Marshal(rec.Error)
			if err == nil {
				out[name] = ended{[]string{"error"}, map[string][]json.RawMessage{"error": {text}}}
			}
		default:
			continue
		}
		order = append(order, name)
	}
	return out, order
}

// fieldsOf returns the writes of an update, by channel.
func fieldsOf(update json.RawMessage) ended {
	e := ended{fields: map[string][]json.RawMessage{}}
	var writes []Change
	if json.Unmarshal(update, &writes) != nil {
		return ended{[]string{"update"}, map[string][]json.RawMessage{"update": {update}}}
	}
	for _, w := range writes {
		name := w.Channel
		if name == "" {
			name = w.Op // a command
		}
		if e.fields[name] == nil {
			e.order = append(e.order, name)
		}
		e.fields[name] = append(e.fields[name], w.Value)
	}
	return e
}

// changes returns the differing fields, each with the first place of difference.
func (e ended) changes(after ended) []Value {
	names := slices.Clone(e.order)
	for _, name := range after.order {
		if e.fields[name] == nil {
			names = append(names, name)
		}
	}
	var out []Value
	for _, name := range names {
		was, is := e.fields[name], after.fields[name]
		for i := range max(len(was), len(is)) {
			var a, b json.RawMessage
			if i < len(was) {
				a = was[i]
			}
			if i < len(is) {
				b = is[i]
			}
			field, before, now, differ := trace.FirstField(a, b)
			if !differ {
				continue
			}
			if field != "" && field[0] != '[' {
				field = "." + field
			}
			out = append(out, Value{name + field, orAbsent(before), orAbsent(now)})
			break
		}
	}
	return out
}

func orAbsent(value string) string {
	if value == "" {
		return "absent"
	}
	return value
}
