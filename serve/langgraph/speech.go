package langgraph

import (
	"encoding/json"
	"strings"

	"example.com/assay/serve/runs"
)

// A speech is a message that a node's model is writing.
type speech struct {
	namespace []string
	text      strings.Builder
}

// spoken is a message, with the fields that this file needs.
type spoken struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Role     string          `json:"role"`
	Content  json.RawMessage `json:"content"`
	Call     string          `json:"tool_call_id"`
	Status   string          `json:"status"`
	Calls    []toolCall      `json:"tool_calls"`
	Usage    json.RawMessage `json:"usage_metadata"`
	Metadata json.RawMessage `json:"response_metadata"`
}

type toolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// speaks returns the namespace of an event's node.
func speaks(ev runs.Event) []string {
	own := ev.Node + ":" + taskOf(ev)
	if ev.Namespace == "" {
		return []string{own}
	}
	return append(strings.Split(namespaceOf(ev), "|"), own)
}

func (t *teller) say(namespace []string, data map[string]any) { t.add("messages", namespace, "", data) }

// token reports a piece of text from a node's model.
func (t *teller) token(ev runs.Event) {
	task := taskOf(ev)
	s := t.speech[task]
	if s == nil {
		s = &speech{namespace: speaks(ev)}
		t.speech[task] = s
		t.say(s.namespace, map[string]any{"event": "message-start", "id": "run-" + task})
		t.say(s.namespace, map[string]any{"event": "content-block-start", "index": 0, "content": textBlock("")})
	}
	s.text.WriteString(ev.Text)
	t.say(s.namespace, textDelta(0, ev.Text))
}

// hush ends the text of a node's model, and returns it. The message that the node returns has
// another ID, and clients keep streamed text until a state drops it. So they get a state with the
// streamed message first, and then the state after the node.
func (t *teller) hush(ev runs.Event) (string, error) {
	s := t.speech[taskOf(ev)]
	if s == nil {
		return "", nil
	}
	delete(t.speech, taskOf(ev))
	text := s.text.String()
	t.say(s.namespace, map[string]any{"event": "content-block-finish", "index": 0, "content": textBlock(text)})
	t.say(s.namespace, map[string]any{"event": "message-finish"})
	if ev.Namespace != "" {
		return text, nil
	}
	var state map[string]json.RawMessage
	var list []json.RawMessage
	if json.Unmarshal(t.m.values[""], &state) != nil || json.Unmarshal(state["messages"], &list) != nil {
		return text, nil // the graph has no messages
	}
	written, err := json.Marshal(map[string]any{"type": "ai", "id": "run-" + taskOf(ev), "content": text})
	if err != nil {
		return "", err
	}
	if state["messages"], err = json.Marshal(append(list, written)); err != nil {
		return "", err
	}
	t.add("values", nil, "", state)
	return text, nil
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

func textDelta(index int, text string) map[string]any {
	return map[string]any{"event": "content-block-delta", "index": index, "delta": map[string]any{"type": "text-delta", "text": text}}
}

// messages reports the messages that a node has returned, with their tool calls and results.
func (t *teller) messages(ev runs.Event) error {
	text, err := t.hush(ev)
	if err != nil {
		return err
	}
	delta, err := deltaOf(updateOf(ev))
	if err != nil {
		return err
	}
	for _, m := range messagesOf(delta) {
		if m.ID == "" || t.said[m.ID] {
			continue
		}
		t.said[m.ID] = true
		namespace := speaks(ev)
		if m.Type == "tool" {
			t.toolEnds(namespace, m)
			continue
		}
		if text == "" || text != textOf(m.Content) { // otherwise the client has seen it streamed
			t.message(namespace, m)
		}
		for _, call := range m.Calls {
			t.add("tools", namespace, "", map[string]any{"event": "tool-started", "tool_call_id": call.ID, "tool_name": call.Name, "input": call.Args})
		}
	}
	return nil
}

// messagesOf returns the messages of an update; none if its "messages" channel holds something
// else.
func messagesOf(delta json.RawMessage) []spoken {
	var update struct {
		Messages json.RawMessage `json:"messages"`
	}
	var out []spoken
	if json.Unmarshal(delta, &update) != nil || update.Messages == nil || json.Unmarshal(update.Messages, &out) != nil {
		return nil
	}
	return out
}

func (t *teller) toolEnds(namespace []string, m spoken) {
	if m.Status == "error" {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			text = string(m.Content)
		}
		t.add("tools", namespace, "", map[string]any{"event": "tool-error", "tool_call_id": m.Call, "message": text})
		return
	}
	t.add("tools", namespace, "", map[string]any{"event": "tool-finished", "tool_call_id": m.Call, "output": m.Content})
}

// message reports a whole message, block by block.
func (t *teller) message(namespace []string, m spoken) {
	start := map[string]any{"event": "message-start", "id": m.ID}
	if m.Type != "ai" {
		start["role"] = m.Type
	}
	t.say(namespace, start)
	for i, block := range blocksOf(m.Content) {
		var plain struct{ Type, Text string }
		content := any(block)
		if json.Unmarshal(block, &plain) == nil && plain.Type == "text" {
			content = textBlock("")
		}
		t.say(namespace, map[string]any{"event": "content-block-start", "index": i, "content": content})
		if plain.Type == "text" && plain.Text != "" {
			t.say(namespace, textDelta(i, plain.Text))
		}
		t.say(namespace, map[string]any{"event": "content-block-finish", "index": i, "content": block})
	}
	finish := map[string]any{"event": "message-finish"}
	if present(m.Usage) {
		finish["usage"] = m.Usage
	}
	if present(m.Metadata) {
		finish["responseMetadata"] = m.Metadata
	}
	t.say(namespace, finish)
}

// textOf returns the text of a message's content.
func textOf(content json.RawMessage) string {
	var out strings.Builder
	for _, data := range blocksOf(content) {
		var block struct{ Type, Text string }
		if json.Unmarshal(data, &block) == nil && block.Type == "text" {
			out.WriteString(block.Text)
		}
	}
	return out.String()
}

// blocksOf returns the blocks of a message's content. A text is one block.
func blocksOf(content json.RawMessage) []json.RawMessage {
	var blocks []json.RawMessage
	var text string
	if json.Unmarshal(content, &text) == nil && text != "" {
		data, _ := json.Marshal(textBlock(text)) // a text can always be encoded
		return []json.RawMessage{data}
	}
	_ = json.Unmarshal(content, &blocks) // else there are none
	return blocks
}
