package langgraph

import (
	"encoding/json"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
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

// chunk returns a piece of a message that a model is writing.
func chunk(ev runs.Event, text string) map[string]any {
	return map[string]any{
		"type": "AIMessageChunk", "id": "run-" + taskOf(ev), "content": text,
		"additional_kwargs": map[string]any{}, "response_metadata": map[string]any{}, "tool_call_chunks": []any{},
	}
}

// token shows a piece of text from a node's model.
func (m *mapper) token(ev runs.Event, add sink) {
	if m.modes["messages-tuple"] {
		add("messages", []any{chunk(ev, ev.Text), m.about(ev)})
	}
	if m.modes["messages"] {
		task := taskOf(ev)
		if m.written[task] == "" {
			add("messages/metadata", map[string]any{"run-" + task: map[string]any{"metadata": m.about(ev)}})
		}
		m.written[task] += ev.Text
		add("messages/partial", []any{chunk(ev, m.written[task])})
	}
}

// messages shows messages that a node has returned, unless they were shown before.
func (m *mapper) messages(ev runs.Event, delta json.RawMessage, add sink) {
	if !m.modes["messages-tuple"] {
		return
	}
	for _, one := range unseen(delta, m.said) {
		add("messages", []any{one, m.about(ev)})
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
			show("on_chain_start", ev.Graph, m.run.ID, map[string]any{})
		}
	case graph.NodeStart.String():
		show("on_chain_start", ev.Node, taskOf(ev), map[string]any{"input": m.values[ev.Namespace]})
	case graph.NodeToken.String():
		show("on_chat_model_stream", ev.Node, taskOf(ev), map[string]any{"chunk": chunk(ev, ev.Text)})
	case graph.NodeUpdate.String():
		if delta, err := deltaOf(updateOf(ev)); err == nil {
			show("on_chain_stream", ev.Node, taskOf(ev), map[string]any{"chunk": delta})
			show("on_chain_end", ev.Node, taskOf(ev), map[string]any{"output": delta})
		}
	case graph.RunEnd.String():
		if ev.Namespace == "" {
			show("on_chain_end", m.graph.App.Name(), m.run.ID, map[string]any{"output": m.values[""]})
		}
	}
}
