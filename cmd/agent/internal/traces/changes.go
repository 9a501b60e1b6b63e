package traces

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// A replayed is the result of agent trace replay.
type replayed struct {
	Schema     int            `json:"schema"`
	Trace      string         `json:"trace"`
	Graph      string         `json:"graph"`
	From       string         `json:"from,omitempty"`
	Skill      string         `json:"skill,omitempty"`
	Given      []change       `json:"given"` // skills and settings that differ from the trace
	Nodes      counted        `json:"nodes"`
	Calls      counted        `json:"model_calls"`
	Searches   counted        `json:"searches"`
	Equal      bool           `json:"equal"`
	Difference *difference    `json:"difference,omitempty"`
	Changed    []nodeChange   `json:"changed"`
	Before     replayedAnswer `json:"before"`
	After      replayedAnswer `json:"after"`
}

// counted is how much was taken from the trace, and how much was done.
type counted struct {
	Taken int `json:"taken"`
	Made  int `json:"made"`
}

func (c *counted) add(rec trace.Record) {
	if rec.Replayed {
		c.Taken++
	} else {
		c.Made++
	}
}

// A change is a value before and after.
type change struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// A nodeChange lists the changed fields of a node's update, or says that the node ran in
// only one of the runs. Its second task is "#2".
type nodeChange struct {
	Node    string   `json:"node"`
	Gone    bool     `json:"gone,omitempty"`
	New     bool     `json:"new,omitempty"`
	Changes []change `json:"changes"`
}

// replayedAnswer is the answer of a run.
type replayedAnswer struct {
	Status     state.Status `json:"status"`
	Choice     string       `json:"choice,omitempty"`
	Confidence float64      `json:"confidence"`
	Answer     string       `json:"answer"`
	Error      string       `json:"error,omitempty"`
}

// newReplay compares a run with its replay.
func newReplay(path string, was, is []trace.Record) replayed {
	r := replayed{Schema: 1, Trace: path, Graph: was[0].Graph, Given: given(trace.Normalise(was), trace.Normalise(is))}
	nested := map[string]bool{} // tasks that graphs ran in
	for _, rec := range is {
		if n := len(rec.Places); n > 1 {
			nested[fmt.Sprint(rec.Places[:n-1])] = true
		}
	}
	for _, rec := range is {
		switch rec.Kind {
		case graph.NodeUpdate.String():
			if !nested[fmt.Sprint(rec.Places)] { // its nodes are counted
				r.Nodes.add(rec)
			}
		case llm.EventModelCall:
			r.Calls.add(rec)
		case retrieval.EventName:
			r.Searches.add(rec)
		}
	}
	normal := trace.Normalise(was)
	was, is = effects(was), effects(is)
	d, differ := trace.First(was, is)
	if differ {
		d.Index = indexIn(normal, d.Index)
		r.Difference = &difference{d.Index, d.Event, d.Field, d.Was, d.Is, d.Path}
	}
	r.Equal, r.Changed = !differ, changesOf(was, is)
	return r
}

// given lists the skills and settings that differ between the two runs.
func given(was, is []trace.Record) []change {
	out := []change{}
	add := func(prefix string, was, is map[string]string) {
		both := maps.Clone(was)
		maps.Copy(both, is)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			if was[name] != is[name] {
				out = append(out, change{prefix + name, was[name], is[name]})
			}
		}
	}
	a, b := was[0].Header, is[0].Header
	skills := func(of, other map[string]string) map[string]string { // those that both runs used
		of = maps.Clone(of)
		maps.DeleteFunc(of, func(name, _ string) bool { return other[name] == "" })
		return of
	}
	add("skill ", skills(a.Skills, b.Skills), skills(b.Skills, a.Skills))
	add("", a.Config, b.Config)
	return out
}

// isCall reports whether a record is a model call.
func isCall(rec trace.Record) bool { return rec.Kind == llm.EventModelCall }

// indexIn turns an index into [effects], which has no calls, into the index of the same
// event in the normalised trace.
func indexIn(normal []trace.Record, without int) int {
	for i, rec := range normal {
		if isCall(rec) {
			continue
		}
		if without == 0 {
			return i
		}
		without--
	}
	return len(normal) + without
}

// effects is a normalised trace without the settings of the run, its model calls with
// their sizes, and the hashes of prompts.
func effects(records []trace.Record) []trace.Record {
	out := slices.DeleteFunc(trace.Normalise(records), isCall)
	for i := range out {
		rec := &out[i]
		rec.Seq, rec.Header = i, nil
		rec.Update, rec.Data = withoutUsage(rec.Update), withoutUsage(rec.Data)
	}
	return out
}

// usageKeys are those of a state.ModelUsage.
var usageKeys = []string{"calls", "input_chars", "output_chars", "input_tokens", "output_tokens", "parse_failures", "cost", "unpriced", "recorded_cost", "recorded_unpriced"}

// withoutUsage removes the usage of models from a JSON value. It leaves other text as it
// is.
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

// ended is the end of a node's task: its update, by channel, or its error.
type ended struct {
	order  []string
	fields map[string][]json.RawMessage
}

// changesOf lists the nodes with another result, in the order of the runs. It leaves out a
// node whose inner nodes are listed.
func changesOf(was, is []trace.Record) []nodeChange {
	a, namesA := endings(was)
	b, namesB := endings(is)
	names := slices.Clone(namesB)
	for _, name := range namesA {
		if _, also := b[name]; !also {
			names = append(names, name)
		}
	}
	out := []nodeChange{}
	for _, name := range names {
		before, ran := a[name]
		after, runs := b[name]
		switch {
		case !runs:
			out = append(out, nodeChange{Node: name, Gone: true, Changes: []change{}})
		case !ran:
			out = append(out, nodeChange{Node: name, New: true, Changes: []change{}})
		default:
			if changes := before.changes(after); len(changes) > 0 {
				out = append(out, nodeChange{Node: name, Changes: changes})
			}
		}
	}
	return slices.DeleteFunc(out, func(c nodeChange) bool {
		return slices.ContainsFunc(out, func(other nodeChange) bool { return strings.HasPrefix(other.Node, c.Node+"/") })
	})
}

// endings are the ends of a run's tasks, by node and by the count of its tasks in its
// graph, and their names in order.
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

// fieldsOf are the writes of an update, by channel.
func fieldsOf(update json.RawMessage) ended {
	e := ended{fields: map[string][]json.RawMessage{}}
	var writes []struct {
		Channel string          `json:"channel"`
		Op      string          `json:"op"`
		Value   json.RawMessage `json:"value"`
	}
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

// changes are the fields that differ, each with the first place of difference.
func (e ended) changes(after ended) []change {
	names := slices.Clone(e.order)
	for _, name := range after.order {
		if e.fields[name] == nil {
			names = append(names, name)
		}
	}
	var out []change
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
			out = append(out, change{name + field, orAbsent(before), orAbsent(now)})
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
