package langgraph

import (
	"cmp"
	"encoding/json"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
	"example.com/assay/state/message"
)

// This file makes the frames of messages, and of LangChain's events.

// about returns the metadata of a message.
func (m *mapper) about(ev runs.Event) map[string]any {
	ns := ev.Node + ":" + taskOf(ev)
	if ev.Namespace != "" {
		ns = namespaceOf(ev) + "|" + ns
	}
	return map[string]any{
		"langgraph_node": ev.Node, "langgraph_step": ev.Step, "langgraph_checkpoint_ns": ns, "checkpoint_ns": ns,
		"langgraph_path": pathOf(ev.Node, ev.Send), "langgraph_triggers": triggersOf(ev), "name": ev.Node, "tags": []string{fmt.Sprintf("graph:step:%d", ev.Step)},
		"run_id": m.run.ID, "thread_id": m.run.Thread, "graph_id": m.run.Graph, "assistant_id": runOf(m.run).Assistant, "run_attempt": m.run.Attempt,
	}
}

// triggersOf says what started an event's task.
func triggersOf(ev runs.Event) []string {
	if ev.Send > 0 {
		return []string{"__pregel_push"}
	}
	return []string{"branch:to:" + ev.Node}
}

// writing notes the ID of the message that a task's model begins to write.
func (m *mapper) writing(ev runs.Event) error {
	var text event.Text
	if err := json.Unmarshal(ev.Data, &text); err != nil {
		return fmt.Errorf("reading a %s event: %w", ev.Name, err)
	}
	m.writes[taskOf(ev)] = text.Message
	return nil
}

// messageOf returns the ID of the message that an event's task writes.
func (m *mapper) messageOf(ev runs.Event) string {
	return cmp.Or(m.writes[taskOf(ev)], "run-"+taskOf(ev))
}

// ofModel returns the metadata of a message that a model writes.
func (m *mapper) ofModel(ev runs.Event) map[string]any {
	out := m.about(ev)
	delete(out, "name")
	out["tags"], out["ls_model_type"] = []string{}, "chat"
	return out
}

// token shows a piece of text from a node's model.
func (m *mapper) token(ev runs.Event, add sink) {
	id := m.messageOf(ev)
	m.piece(ev, message.Chunk{ID: id, Content: ev.Text}, add)
}

// piece shows a piece of a message that a node's model writes.
func (m *mapper) piece(ev runs.Event, c message.Chunk, add sink) {
	before, began := m.written[c.ID]
	m.written[c.ID] = before + c.Content
	if m.modes["messages-tuple"] {
		add("messages", []any{c, m.ofModel(ev)})
	}
	if m.modes["messages"] {
		if !began {
			about := m.ofModel(ev)
			delete(about, "tags")
			add("messages/metadata", map[string]any{c.ID: map[string]any{"metadata": about}})
		}
		c.Content = m.written[c.ID]
		add("messages/partial", []any{c})
	}
}

// messages shows messages that a node has returned, unless they were shown before. What its model
// has written gets a last piece with what no token had.
func (m *mapper) messages(ev runs.Event, delta json.RawMessage, add sink) {
	if !m.modes["messages-tuple"] && !m.modes["messages"] {
		return
	}
	for _, one := range unseen(delta, m.said) {
		id := fieldOf(one, "id")
		text, began := m.written[id]
		switch {
		case began, id == m.writes[taskOf(ev)]:
			if last, more := message.LastChunk(one, text); more {
				m.piece(ev, last, add)
			}
		case m.modes["messages-tuple"]:
			add("messages", []any{one, m.about(ev)})
		}
	}
}

// complete shows messages of a state, unless they were shown before.
func (m *mapper) complete(state json.RawMessage, add sink) {
	if !m.modes["messages"] {
		return
	}
	if list := unseen(state, m.completed); len(list) > 0 {
		add("messages/complete", list)
	}
}

// unseen returns the messages of a state or an update that are not in seen, and adds them to it.
func unseen(fields json.RawMessage, seen map[string]bool) (out []json.RawMessage) {
	var in struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(fields, &in) != nil {
		return nil // its messages have another format
	}
	for _, one := range in.Messages {
		if id := fieldOf(one, "id"); id != "" && !seen[id] {
			seen[id] = true
			out = append(out, one)
		}
	}
	return out
}

// chain shows an event in LangChain's format.
func (m *mapper) chain(ev runs.Event, add sink) {
	show := func(event, name, run string, data map[string]any) {
		add("events", map[string]any{"event": event, "name": name, "run_id": run, "tags": []string{}, "metadata": m.about(ev), "data": data})
	}
	switch ev.Kind {
	case graph.RunStart.String():
		if ev.Namespace == "" {
			show("on_chain_start", ev.Graph, m.run.ID, map[string]any{"input": keptOf(m.run).Input})
		}
	case graph.NodeStart.String():
		show("on_chain_start", ev.Node, taskOf(ev), map[string]any{"input": m.values[ev.Namespace]})
	case graph.NodeCustom.String():
		if ev.Name == event.ModelText {
			show("on_chat_model_start", ev.Node, taskOf(ev), map[string]any{"input": m.asked(ev)})
		}
	case graph.NodeToken.String():
		show("on_chat_model_stream", ev.Node, taskOf(ev), map[string]any{"chunk": message.Chunk{ID: m.messageOf(ev), Content: ev.Text}})
	case graph.NodeUpdate.String():
		if delta, err := deltaOf(updateOf(ev)); err == nil {
			m.modelEnds(ev, delta, show)
			show("on_chain_end", ev.Node, taskOf(ev), map[string]any{"output": delta, "input": m.values[ev.Namespace]})
		}
	case graph.RunEnd.String():
		if ev.Namespace == "" {
			show("on_chain_end", m.graph.App.Name(), m.run.ID, map[string]any{"output": m.values[""]})
		}
	}
}

// asked returns the messages that a node's model has read, as LangChain's events have them.
func (m *mapper) asked(ev runs.Event) any {
	var state struct {
		Messages json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(m.values[ev.Namespace], &state) != nil || state.Messages == nil {
		return map[string]any{}
	}
	return map[string]any{"messages": []json.RawMessage{state.Messages}}
}

// modelEnds shows the message that a node's model has written.
func (m *mapper) modelEnds(ev runs.Event, delta json.RawMessage, show func(event, name, run string, data map[string]any)) {
	id := m.writes[taskOf(ev)]
	for _, one := range unseen(delta, map[string]bool{}) {
		if id == "" || fieldOf(one, "id") != id {
			continue
		}
		if last, more := message.LastChunk(one, m.written[id]); more {
			show("on_chat_model_stream", ev.Node, taskOf(ev), map[string]any{"chunk": last})
		}
		show("on_chat_model_end", ev.Node, taskOf(ev), map[string]any{"output": one, "input": m.asked(ev)})
	}
}
