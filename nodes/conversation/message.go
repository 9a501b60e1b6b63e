package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Message is a message of a conversation, in LangChain's format.
type Message struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"` // "human", "ai", "system" or "tool"
	Content Content `json:"content"`
	Name    string  `json:"name,omitempty"`
	// Kwargs and Metadata are objects that clients attach to a message.
	Kwargs   json.RawMessage `json:"additional_kwargs,omitempty"`
	Metadata json.RawMessage `json:"response_metadata,omitempty"`
}

// roles are the message types by OpenAI's roles.
var roles = map[string]string{"user": "human", "human": "human", "assistant": "ai", "ai": "ai", "system": "system", "developer": "system", "tool": "tool"}

// UnmarshalJSON also reads messages with a role instead of a type. It drops unknown fields.
func (m *Message) UnmarshalJSON(data []byte) error {
	type plain Message
	in := struct {
		plain
		Role string `json:"role"`
	}{}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*m = Message(in.plain)
	if m.Type == "" {
		m.Type = in.Role
	}
	kind, ok := roles[m.Type]
	if !ok {
		return fmt.Errorf("a message of type %q: it can be human, ai, system or tool", m.Type)
	}
	m.Type = kind
	return nil
}

// Content is a text, or a list of blocks.
type Content struct {
	Text   string  // the content without blocks
	Blocks []Block // nil for a text
}

// A Block is a part of a message.
type Block struct {
	Type        string     `json:"type"` // "text", and others that are kept as they are
	Text        string     `json:"text,omitempty"`
	Annotations []Citation `json:"annotations,omitempty"`
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

// MarshalJSON encodes content without blocks as a string.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Blocks == nil {
		return json.Marshal(c.Text)
	}
	return json.Marshal(c.Blocks)
}

// UnmarshalJSON reads a string, or a list of blocks and strings.
func (c *Content) UnmarshalJSON(data []byte) error {
	*c = Content{}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) || json.Unmarshal(data, &c.Text) == nil {
		return nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("the content of a message must be a text or a list of blocks: %w", err)
	}
	c.Blocks = []Block{}
	for _, p := range parts {
		var b Block
		if json.Unmarshal(p, &b.Text) == nil {
			b.Type = "text"
		} else if err := json.Unmarshal(p, &b); err != nil {
			return fmt.Errorf("a block of a message: %w", err)
		}
		c.Blocks = append(c.Blocks, b)
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
