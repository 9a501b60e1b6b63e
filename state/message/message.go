package message

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Types of messages.
const (
	Human  = "human"
	AI     = "ai"
	System = "system"
	Tool   = "tool"
)

// A Message is a message of a conversation.
type Message struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"` // Human, AI, System or Tool
	Content Content `json:"content"`
	Name    string  `json:"name,omitempty"`
	// Kwargs and Metadata are objects that providers and clients attach to a message.
	Kwargs   json.RawMessage `json:"additional_kwargs"`
	Metadata json.RawMessage `json:"response_metadata"`

	Calls []ToolCall `json:"tool_calls,omitzero"` // of an AI; never nil in its JSON
	// Invalid are calls whose arguments are not an object.
	Invalid []ToolCall `json:"invalid_tool_calls,omitzero"`
	Usage   *Usage     `json:"usage_metadata,omitempty"` // of an AI

	CallID string `json:"tool_call_id,omitempty"` // of a Tool: the call that it answers
	Status string `json:"status,omitempty"`       // of a Tool: Success or Failed
	// Artifact is what a tool returned for programs, and not for the model.
	Artifact json.RawMessage `json:"artifact,omitempty"`
}

// Values of Message.Status.
const (
	Success = "success"
	Failed  = "error"
)

// A ToolCall is a model's request to call a function.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"` // an object; of an invalid call, a text
	Type string          `json:"type"`
}

// Usage counts tokens.
type Usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
}

// types are the message types by the names that clients use.
var types = map[string]string{
	"user": Human, "human": Human, "HumanMessage": Human, "HumanMessageChunk": Human,
	"assistant": AI, "ai": AI, "AIMessage": AI, "AIMessageChunk": AI,
	"system": System, "developer": System, "SystemMessage": System, "SystemMessageChunk": System,
	"tool": Tool, "ToolMessage": Tool, "ToolMessageChunk": Tool,
}

// TypeOf returns the type for a role or a type as clients write them; "" for an unknown one.
func TypeOf(name string) string { return types[name] }

// MarshalJSON writes the fields that clients expect of every message, also where they are empty.
func (m Message) MarshalJSON() ([]byte, error) {
	m.Kwargs, m.Metadata = object(m.Kwargs), object(m.Metadata)
	if m.Type == AI {
		m.Calls, m.Invalid = all(m.Calls), all(m.Invalid)
	}
	type plain Message
	return json.Marshal(plain(m))
}

func all(list []ToolCall) []ToolCall {
	if list == nil {
		return []ToolCall{}
	}
	return list
}

func object(data json.RawMessage) json.RawMessage {
	if len(data) == 0 || string(data) == "null" {
		return json.RawMessage("{}")
	}
	return data
}

// UnmarshalJSON also reads a role instead of a type, a text, which is a person's message, a pair of a
// role and a content, and a message as LangChain's programs serialize it: {"lc": 1, "id": [...,
// "HumanMessage"], "kwargs": {...}}.
func (m *Message) UnmarshalJSON(data []byte) error {
	data, err := Whole(data)
	if err != nil {
		return err
	}
	type plain Message
	in := struct {
		plain
		ID     json.RawMessage `json:"id"`
		Role   string          `json:"role"`
		Calls  []rawCall       `json:"tool_calls"`
		Kwargs json.RawMessage `json:"additional_kwargs"`
		Serial *int            `json:"lc"`
		Inner  json.RawMessage `json:"kwargs"`
	}{}
	if err := json.Unmarshal(data, &in); err != nil {
		return wrong(err)
	}
	if in.Serial != nil && in.Inner != nil {
		var path []string
		if json.Unmarshal(in.ID, &path) == nil && len(path) > 0 {
			return m.serialized(in.Inner, path[len(path)-1])
		}
	}
	*m = Message(in.plain)
	m.ID, m.Kwargs = textOf(in.ID), in.Kwargs
	given := cmp.Or(m.Type, in.Role)
	if m.Type = TypeOf(given); m.Type == "" {
		return fmt.Errorf("a message of type %q: it can be human, ai, system or tool", given)
	}
	if string(m.Kwargs) == "{}" {
		m.Kwargs = nil
	}
	if string(m.Metadata) == "{}" {
		m.Metadata = nil
	}
	m.Calls = nil
	for _, c := range in.Calls {
		call := c.call()
		if call.Type == invalid {
			m.Invalid = append(m.Invalid, call)
		} else {
			m.Calls = append(m.Calls, call)
		}
	}
	if len(m.Invalid) == 0 {
		m.Invalid = nil
	}
	return nil
}

// Whole returns the object of a message that is a text, or a pair of a role and a content. An object
// stays as it is.
func Whole(data []byte) (json.RawMessage, error) {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '{' {
		return data, nil
	}
	pair := []json.RawMessage{json.RawMessage(`"human"`), data}
	if len(data) > 0 && data[0] == '[' && (json.Unmarshal(data, &pair) != nil || len(pair) != 2) || textOf(pair[0]) == "" || len(data) > 0 && data[0] != '[' && data[0] != '"' {
		return nil, errors.New("a message must be an object with a type and a content, a text, or a pair of a role and a content")
	}
	return json.Marshal(map[string]json.RawMessage{"type": pair[0], "content": pair[1]})
}

// wrong names the field of a message that cannot be read.
func wrong(err error) error {
	if kind, ok := err.(*json.UnmarshalTypeError); ok { // of this message, and not of a part
		return fmt.Errorf("the field %q of a message cannot be a %s", kind.Field, kind.Value)
	}
	return err
}

// serialized reads the inside of a message of this class.
func (m *Message) serialized(data []byte, class string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	fields["type"], _ = json.Marshal(class) // a text can always be encoded
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return m.UnmarshalJSON(data)
}

// Values of ToolCall.Type.
const (
	valid   = "tool_call"
	invalid = "invalid_tool_call"
)

// A rawCall is a call in LangChain's form, or in OpenAI's: a function with its arguments as text.
type rawCall struct {
	ToolCall
	Function *struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (c rawCall) call() ToolCall {
	out := c.ToolCall
	if c.Function != nil {
		out.Name, out.Args = c.Function.Name, json.RawMessage(c.Function.Arguments)
		if !json.Valid(out.Args) {
			out.Args, _ = json.Marshal(c.Function.Arguments) // a text can always be encoded
		}
	}
	return NewCall(out.ID, out.Name, out.Args)
}

// NewCall makes a call. It is invalid if the arguments are not an object.
func NewCall(id, name string, args json.RawMessage) ToolCall {
	args = bytes.TrimSpace(args)
	switch {
	case len(args) == 0 || string(args) == "null":
		return ToolCall{id, name, json.RawMessage("{}"), valid}
	case args[0] == '{':
		return ToolCall{id, name, args, valid}
	}
	return ToolCall{id, name, args, invalid}
}

// textOf returns a JSON text; "" for anything else.
func textOf(data json.RawMessage) string {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return ""
	}
	return text
}

// Content is a text, or a list of blocks.
type Content struct {
	Text   string  // the content without blocks
	Blocks []Block // nil for a text
}

// A Block is a part of a message.
type Block struct {
	Type        string     `json:"type"`
	Text        string     `json:"text,omitempty"` // of type "text"
	Annotations []Citation `json:"annotations,omitempty"`

	Whole json.RawMessage `json:"-"` // the JSON of a block of another type
}

// A Citation names the source of a range of a block's text.
type Citation struct {
	Type  string `json:"type"` // "citation"
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
	// StartIndex and EndIndex are the range in the block's text, in characters (Unicode code
	// points); the end is exclusive.
	StartIndex int `json:"start_index"`
	EndIndex   int `json:"end_index"`
	// CitedText is the quote: the bytes Start to End of document Doc.
	CitedText string `json:"cited_text"`
	Doc       string `json:"doc,omitempty"`
	Path      string `json:"path,omitempty"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// MarshalJSON writes a block of another type as it was read.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Whole != nil {
		return b.Whole, nil
	}
	type plain Block
	return json.Marshal(plain(b))
}

// UnmarshalJSON also reads a text. It keeps a block of another type whole.
func (b *Block) UnmarshalJSON(data []byte) error {
	*b = Block{Type: "text"}
	if json.Unmarshal(data, &b.Text) == nil {
		return nil
	}
	type plain Block
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}
	if kind.Type == "text" {
		return json.Unmarshal(data, (*plain)(b))
	}
	*b = Block{Type: kind.Type, Whole: bytes.Clone(data)}
	return nil
}

// MarshalJSON encodes content without blocks as a text.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Blocks == nil {
		return json.Marshal(c.Text)
	}
	return json.Marshal(c.Blocks)
}

// UnmarshalJSON reads a text, or a list of blocks and texts.
func (c *Content) UnmarshalJSON(data []byte) error {
	*c = Content{}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) || json.Unmarshal(data, &c.Text) == nil {
		return nil
	}
	c.Blocks = []Block{}
	if err := json.Unmarshal(data, &c.Blocks); err != nil {
		return errors.New("the content of a message must be a text or a list of blocks, each with a type")
	}
	return nil
}

// String returns the text of the content, and leaves out blocks without text.
func (c Content) String() string {
	if c.Blocks == nil {
		return c.Text
	}
	var texts []string
	for _, b := range c.Blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}
