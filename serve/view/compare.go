package view

import (
	"cmp"
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
	c := Comparison{Given: given(was[0].Header, is[0].Header), Step: -1}
	before, at := effects(was)
	after, _ := effects(is)
	if d, differ := trace.First(before, after); differ {
		side := before
		if d.Index >= len(before) {
			side = after
		}
		if places := side[d.Index].Places; len(places) > 0 {
			c.Step = places[0].Step
		}
		d.Index = at[d.Index]
		c.First = &d
	}
	var err error
	c.Nodes, err = changesOf(before, after)
	return c, err
}

// given returns the skills, settings and inputs that differ between the runs. A server's run has no
// header.
func given(was, is *trace.Header) []Value {
	if was == nil || is == nil {
		return []Value{}
	}
	flat := func(h, other *trace.Header) map[string]string {
		out := map[string]string{}
		for name, hash := range h.Skills {
			if other.Skills[name] != "" { // only skills that both runs used
				out["skill "+name] = hash
			}
		}
		maps.Copy(out, h.Config)
		var writes []Change
		if json.Unmarshal(h.Input, &writes) == nil { // another input is not told by channel
			for _, w := range writes {
				out["input "+w.Channel] += string(w.Value)
			}
		}
		return out
	}
	a, b := flat(was, is), flat(is, was)
	both := maps.Clone(a)
	maps.Copy(both, b)
	out := []Value{}
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if a[name] != b[name] {
			out = append(out, Value{name, a[name], b[name]})
		}
	}
	return out
}

// effects returns a normalised trace without settings, hashes of prompts, IDs of interrupts, sizes of
// model calls and IDs of checkpoints, and the positions of its records in the normalised trace, with
// that of its end.
func effects(records []trace.Record) (out []trace.Record, at []int) {
	normal := trace.Normalise(records)
	for i, rec := range normal {
		if rec.Kind == event.ModelCall || rec.Kind == graph.CheckpointSaved.String() {
			continue
		}
		rec.Seq, rec.Header = len(out), nil
		rec.Update, rec.Data = withoutUsage(rec.Update), withoutUsage(rec.Data)
		rec.Interrupts = slices.Clone(rec.Interrupts)
		for k := range rec.Interrupts {
			rec.Interrupts[k].ID = ""
		}
		out, at = append(out, rec), append(at, i)
	}
	return out, append(at, len(normal))
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

// changesOf returns the nodes with a different result, in the order of the runs. It leaves out a
// node whose inner nodes are listed.
func changesOf(was, is []trace.Record) ([]NodeChange, error) {
	a, namesA, err := results(was)
	if err != nil {
		return nil, err
	}
	b, namesB, err := results(is)
	if err != nil {
		return nil, err
	}
	out := []NodeChange{}
	for _, name := range union(namesB, namesA) {
		change := NodeChange{Node: name, Gone: b[name] == nil, New: a[name] == nil, Changes: []Value{}}
		if !change.Gone && !change.New {
			change.Changes = a[name].changes(b[name])
		}
		if change.Gone || change.New || len(change.Changes) > 0 {
			out = append(out, change)
		}
	}
	return slices.DeleteFunc(out, func(c NodeChange) bool {
		return slices.ContainsFunc(out, func(other NodeChange) bool { return strings.HasPrefix(other.Node, c.Node+"/") })
	}), nil
}

// union returns a list, and what only another has.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(a, name) {
			out = append(out, name)
		}
	}
	return out
}

// A result is what a task wrote, by channel, or its error.
type result struct {
	order  []string
	fields map[string][]json.RawMessage
}

// results returns what the tasks of a run have written, by name, and the names in order. A name is a
// node and the number of its task in its graph.
func results(records []trace.Record) (map[string]*result, []string, error) {
	b := NewBuilder(nil)
	for _, rec := range records {
		if err := b.add(happened(rec)); err != nil {
			return nil, nil, err
		}
	}
	out, order, times := map[string]*result{}, []string(nil), map[string]int{}
	for _, s := range b.View().Steps {
		names := make([]string, len(s.Nodes))
		for i, n := range s.Nodes {
			name := n.Name
			if n.Inside >= 0 {
				name = names[n.Inside] + strings.TrimPrefix(name, s.Nodes[n.Inside].Name)
			}
			if times[name]++; times[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, times[name])
			}
			if names[i] = name; !n.Unfinished {
				out[name], order = n.result(), append(order, name)
			}
		}
	}
	return out, order, nil
}

func (n *Node) result() *result {
	r := &result{fields: map[string][]json.RawMessage{}}
	add := func(name string, value json.RawMessage) {
		if r.fields[name] == nil {
			r.order = append(r.order, name)
		}
		r.fields[name] = append(r.fields[name], value)
	}
	for _, w := range n.Changed {
		add(cmp.Or(w.Channel, w.Op), w.Value) // a command has no channel
	}
	if text, err := json.Marshal(n.Error); err == nil && n.Error != "" {
		add("error", text)
	}
	return r
}

// changes returns the differing fields, each with the first place of difference.
func (r *result) changes(after *result) []Value {
	var out []Value
	for _, name := range union(r.order, after.order) {
		was, is := r.fields[name], after.fields[name]
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
			out = append(out, Value{name + field, cmp.Or(before, "absent"), cmp.Or(now, "absent")})
			break
		}
	}
	return out
}
