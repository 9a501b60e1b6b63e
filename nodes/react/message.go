package react

import (
	"encoding/json"

	"example.com/assay/llm"
	"example.com/assay/state"
	"example.com/assay/state/message"
)

// A Message is an entry of a conversation. Its JSON is LangChain's; see package message.
type Message struct {
	ID string
	llm.Message
	Check *state.ClaimCheck // for an answer, with Grounded
	Again bool              // a step, not the person, asks the model again
	Sum   *Sum              // the message is a summary

	Model string    // of an answer: the model that gave it
	Usage llm.Usage // of an answer
	// Citations are the sources of an answer's text.
	Citations []message.Citation
	// Artifact is what a tool returned for programs; the model does not get it.
	Artifact json.RawMessage
	// Name, Kwargs and Metadata are what a client attached: objects, and blocks of the content that
	// are neither text nor an image. The model does not get them.
	Name     string
	Kwargs   json.RawMessage
	Metadata json.RawMessage
	Blocks   []message.Block
}

// A Sum is what a summary sums up.
type Sum struct {
	For []string `json:"for"` // the IDs of the messages in whose place requests have it
}

// person reports whether the person wrote a message.
func (m *Message) person() bool { return m.Role == llm.User && !m.Again && m.Sum == nil }

// own are the fields of a message that LangChain does not know, in additional_kwargs.
type own struct {
	Check *state.ClaimCheck `json:"check,omitempty"`
	Again bool              `json:"again,omitempty"`
	Sum   *Sum              `json:"sum,omitempty"`
}

// Names of own fields in a client's objects.
const (
	ownField   = "assay"
	modelField = "model_name"
	// reasoningField is the name that LangChain's programs give it, too.
	reasoningField = "reasoning_content"
)

// MarshalJSON writes the message as clients read it.
func (m Message) MarshalJSON() ([]byte, error) {
	out := message.Of(m.Message)
	out.ID, out.Kwargs, out.Metadata, out.Artifact = m.ID, m.Kwargs, m.Metadata, m.Artifact
	if len(m.Citations) > 0 {
		out.Content.Blocks = []message.Block{{Type: "text", Text: m.Text, Annotations: m.Citations}}
	}
	if out.Name == "" {
		out.Name = m.Name
	}
	if len(m.Blocks) > 0 {
		if out.Content.Blocks == nil && out.Content.Text != "" {
			out.Content.Blocks = []message.Block{{Type: "text", Text: out.Content.Text}}
		}
		out.Content.Blocks = append(out.Content.Blocks, m.Blocks...)
	}
	if m.Usage != (llm.Usage{}) {
		out.Usage = &message.Usage{Input: m.Usage.InputTokens, Output: m.Usage.OutputTokens, Total: m.Usage.InputTokens + m.Usage.OutputTokens}
	}
	var err error
	if mine := (own{m.Check, m.Again, m.Sum}); mine != (own{}) {
		if out.Kwargs, err = with(out.Kwargs, ownField, mine); err != nil {
			return nil, err
		}
	}
	if m.Reasoning != "" {
		if out.Kwargs, err = with(out.Kwargs, reasoningField, m.Reasoning); err != nil {
			return nil, err
		}
	}
	if m.Model != "" {
		if out.Metadata, err = with(out.Metadata, modelField, m.Model); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON also reads the form of earlier versions: {"role", "text", "calls", "results"}.
func (m *Message) UnmarshalJSON(data []byte) error {
	data, err := message.Whole(data)
	if err != nil {
		return err
	}
	var kind struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
		Serial  *int            `json:"lc"`
	}
	_ = json.Unmarshal(data, &kind) // else it is read as a client's message, which names what is wrong

	if kind.Type == "" && kind.Content == nil && kind.Serial == nil {
		var in struct {
			ID string `json:"id"`
			llm.Message
			own
		}
		err := json.Unmarshal(data, &in)
		*m = Message{ID: in.ID, Message: in.Message, Check: in.Check, Again: in.Again, Sum: in.Sum}
		return err
	}
	var in message.Message
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*m = Message{ID: in.ID, Message: in.Event(), Name: in.Name, Kwargs: in.Kwargs, Metadata: in.Metadata, Artifact: in.Artifact}
	if in.Type == message.Tool {
		m.Name = ""
	}
	for _, b := range in.Content.Blocks {
		if len(in.Content.Blocks) == 1 { // else their places are not those in the whole text
			m.Citations = b.Annotations
		}
		if b.Type != "text" && !b.IsImage() {
			m.Blocks = append(m.Blocks, b)
		}
	}
	if u := in.Usage; u != nil {
		m.Usage = llm.Usage{InputTokens: u.Input, OutputTokens: u.Output}
	}
	var mine own
	if m.Kwargs, err = without(m.Kwargs, ownField, &mine); err != nil {
		return err
	}
	m.Check, m.Again, m.Sum = mine.Check, mine.Again, mine.Sum
	if m.Kwargs, err = without(m.Kwargs, reasoningField, &m.Reasoning); err != nil {
		return err
	}
	m.Metadata, err = without(m.Metadata, modelField, &m.Model)
	return err
}

// with adds a field to an object.
func with(object json.RawMessage, name string, value any) (json.RawMessage, error) {
	fields := map[string]any{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &fields); err != nil {
			return nil, err
		}
	}
	fields[name] = value
	return json.Marshal(fields)
}

// without takes a field out of an object, and reads it.
func without(object json.RawMessage, name string, into any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if len(object) == 0 || json.Unmarshal(object, &fields) != nil || fields[name] == nil {
		return object, nil // a client may put anything there
	}
	if json.Unmarshal(fields[name], into) != nil {
		return object, nil
	}
	if delete(fields, name); len(fields) == 0 {
		return nil, nil
	}
	return json.Marshal(fields)
}
