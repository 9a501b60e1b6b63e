package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

// about is what the metadata of a run keeps of its input, for the graph and for readers.
type about struct {
	Run     string          `json:"run_id"`
	Parent  string          `json:"parent_run_id,omitempty"`
	Tools   json.RawMessage `json:"tools,omitempty"`
	Context json.RawMessage `json:"context,omitempty"`
	Forward json.RawMessage `json:"forwarded_props,omitempty"`
}

// converses reports whether a graph has a list of messages.
func converses(g runs.Graph) bool {
	return slices.ContainsFunc(g.App.Channels(), func(ch graph.ChannelInfo) bool { return ch.Name == "messages" && listed(ch) })
}

func listed(ch graph.ChannelInfo) bool {
	return ch.Kind == graph.KindAppend || ch.Kind == graph.KindKeyed
}

// news returns what the input has and its thread does not: messages, and fields of the state that
// differ. Fields that the graph does not have are left out.
func (c *call) news() (map[string]any, error) {
	var theirs map[string]json.RawMessage
	_ = json.Unmarshal(c.in.State, &theirs) // only an object has fields
	var ours map[string]any
	var has []message.Message
	if c.at != nil {
		ours, has = shown(c.graph, c.at.State), messagesIn(c.at.State)
	}
	out := map[string]any{}
	for _, ch := range c.graph.App.Channels() {
		if value, ok := theirs[ch.Name]; ok && ch.Name != "messages" && !same(value, ours[ch.Name]) {
			out[ch.Name] = value
		}
	}
	list, err := c.in.lacking(has, c.NewID)
	if converses(c.graph) && len(list) > 0 {
		out["messages"] = list
	}
	return out, err
}

// same reports whether two values are equal to a client that knows only floating-point numbers.
func same(a json.RawMessage, b any) bool {
	data, err := json.Marshal(b)
	var x, y any
	return err == nil && json.Unmarshal(a, &x) == nil && json.Unmarshal(data, &y) == nil && reflect.DeepEqual(x, y)
}

// shown returns a state for clients: without messages, which have their own events, and with empty
// lists in place of null.
func shown(g runs.Graph, state json.RawMessage) map[string]any {
	out := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(state))
	d.UseNumber()
	_ = d.Decode(&out) // a state is an object
	for _, ch := range g.App.Channels() {
		if value, ok := out[ch.Name]; ok && value == nil && listed(ch) {
			out[ch.Name] = []any{}
		}
	}
	if converses(g) {
		delete(out, "messages")
	}
	return out
}

// spec returns the run for new values, or for the answers of the input; nil for none.
func (c *call) spec(values map[string]any) (*runs.Spec, error) {
	mark := map[string]any{"graph_id": c.graph.Name, "wire": "agui"}
	marks, err := json.Marshal(mark)
	mark["agui"] = about{c.in.Run, c.in.Parent, c.in.Tools, c.in.Context, c.in.Forward}
	metadata, failed := json.Marshal(mark)
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	spec := &runs.Spec{
		Thread: c.in.Thread, Graph: c.graph.Name, Metadata: metadata, Marks: marks, Saved: map[string]string{"graph_id": c.graph.Name},
		Settings: c.settings(), Modes: graph.Values | graph.Tokens | graph.Tasks | graph.Custom, Subgraphs: true,
	}
	open := c.open()
	answers := c.in.answers(open)
	switch {
	case len(answers) > 0, len(open) > 0 && len(values) > 0:
		spec.Resume, spec.Answers = true, answers
		return spec, covered(open, answers)
	case len(values) == 0 && (converses(c.graph) || len(open) > 0):
		return c.again(spec)
	}
	spec.Input, err = c.update(values)
	return spec, err
}

// update encodes an input: messages are added, and other values replace the thread's.
func (c *call) update(values map[string]any) (json.RawMessage, error) {
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	if data, err = c.graph.App.Values(data); err != nil {
		return nil, &runs.InvalidError{Err: err}
	}
	var writes []map[string]any
	if err := json.Unmarshal(data, &writes); err != nil {
		return nil, err
	}
	for _, w := range writes {
		if w["channel"] != "messages" {
			w["op"] = graph.OpOverwrite.String()
		}
	}
	return json.Marshal(writes)
}

// settings returns the settings of the graph that the input has, by their names.
func (c *call) settings() map[string]json.RawMessage {
	all := map[string]json.RawMessage{"tools": c.in.Tools, "context": c.in.Context}
	_ = json.Unmarshal(c.in.Forward, &all) // only an object has settings
	out := map[string]json.RawMessage{}
	for _, s := range c.graph.Settings {
		if value := all[s.Name]; value != nil {
			out[s.Name] = value
		}
	}
	return out
}

// again asks for another answer to the user's last message, if the input ends with it: from the
// first checkpoint with it, or from the newest one if its run stopped before its end.
func (c *call) again(spec *runs.Spec) (*runs.Spec, error) {
	n := len(c.in.Messages)
	if c.at == nil || len(c.at.Interrupts) > 0 || n == 0 || c.in.Messages[n-1].Role != "user" {
		return nil, nil
	}
	spec.Resume = true
	ends := func(at *runs.Snapshot) bool {
		list := messagesIn(at.State)
		return len(list) > 0 && list[len(list)-1].ID == c.in.Messages[n-1].ID
	}
	if ends(c.at) && len(c.at.Next) > 0 {
		return spec, nil
	}
	next := c.at.Key.ID
	for at, err := range c.History(c.ctx(), c.in.Thread, nil) {
		if err != nil {
			return nil, err
		}
		if at.Key.ID != next { // of another branch
			continue
		}
		if next = at.Parent; ends(at) {
			spec.Checkpoint = at.Key.ID
		} else if spec.Checkpoint != "" {
			break
		}
	}
	if spec.Checkpoint == "" {
		return nil, nil // its checkpoints were pruned
	}
	return spec, nil
}
