package agui

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"example.com/assay/state/message"
)

// messagesIn returns the messages of a state.
func messagesIn(state json.RawMessage) []message.Message {
	var in struct {
		Messages json.RawMessage `json:"messages"`
	}
	_ = json.Unmarshal(state, &in) // a state without messages
	return messagesOf(in.Messages)
}

// messagesOf reads a list of messages. Elements in another format are left out.
func messagesOf(data json.RawMessage) (out []message.Message) {
	var list []json.RawMessage
	_ = json.Unmarshal(data, &list) // no list: no messages
	for _, one := range list {
		var m message.Message
		if json.Unmarshal(one, &m) == nil && m.ID != "" {
			out = append(out, m)
		}
	}
	return out
}

// textOf returns the text of a message, and its citations. They count the characters of the text.
func textOf(m *message.Message) (text string, cited []message.Citation) {
	for _, b := range m.Content.Blocks {
		if b.Type != "text" {
			continue
		}
		if text != "" {
			text += "\n"
		}
		before := utf8.RuneCountInString(text)
		for _, c := range b.Annotations {
			c.StartIndex, c.EndIndex = c.StartIndex+before, c.EndIndex+before
			cited = append(cited, c)
		}
		text += b.Text
	}
	return text + m.Content.Text, cited
}

// reasoningOf returns a message's reasoning as messages of their own.
func reasoningOf(m *message.Message) (out []entry) {
	add := func(text, sealed string) {
		if text+sealed != "" {
			out = append(out, entry{ID: fmt.Sprintf("%s-reasoning-%d", m.ID, len(out)), Role: "reasoning", Content: text, Sealed: sealed})
		}
	}
	var kept struct {
		Reasoning string `json:"reasoning_content"`
	}
	_ = json.Unmarshal(m.Kwargs, &kept) // providers keep anything there
	add(kept.Reasoning, "")
	for _, b := range m.Content.Blocks {
		var in struct{ Reasoning, Thinking, Signature string }
		if (b.Type == "reasoning" || b.Type == "thinking") && json.Unmarshal(b.Whole, &in) == nil {
			add(in.Reasoning+in.Thinking, in.Signature)
		}
	}
	return out
}

// callsOf returns the calls of a message.
func callsOf(m *message.Message) (out []toolCall) {
	for _, c := range m.Calls {
		out = append(out, toolCall{c.ID, "function", function{c.Name, string(c.Args)}})
	}
	return out
}

// shownOf returns a message in the clients' format, after its reasoning.
func shownOf(m *message.Message) []entry {
	text, cited := textOf(m)
	out := entry{ID: m.ID, Name: m.Name, Content: text}
	switch m.Type {
	case message.Human:
		out.Role = "user"
	case message.AI:
		out.Role, out.Calls, out.Metadata = "assistant", callsOf(m), metadataOf(cited)
	case message.Tool: // without a name
		out = entry{ID: m.ID, Role: "tool", Call: m.CallID, Content: text}
		if m.Status == message.Failed {
			out.Error = text
		}
	default:
		out.Role = "system"
	}
	return append(reasoningOf(m), out)
}

// metadataOf returns the metadata of a message with citations; nil without.
func metadataOf(cited []message.Citation) map[string]any {
	if len(cited) == 0 {
		return nil
	}
	return map[string]any{"annotations": cited}
}
