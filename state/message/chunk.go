package message

import "encoding/json"

// A Chunk is a piece of an AI message that a model is writing. Clients append the content of chunks
// with one ID.
type Chunk struct {
	ID      string
	Content string
	Calls   []ToolCall // whole calls
	Usage   *Usage
}

// A callChunk is a piece of a call.
type callChunk struct {
	Name  string `json:"name"`
	Args  string `json:"args"`
	ID    string `json:"id"`
	Index int    `json:"index"`
	Type  string `json:"type"` // "tool_call_chunk"
}

// MarshalJSON writes the chunk as clients read it.
func (c Chunk) MarshalJSON() ([]byte, error) {
	calls := []callChunk{}
	for i, one := range c.Calls {
		calls = append(calls, callChunk{one.Name, string(one.Args), one.ID, i, "tool_call_chunk"})
	}
	return json.Marshal(struct {
		Type     string      `json:"type"`
		ID       string      `json:"id"`
		Content  string      `json:"content"`
		Kwargs   struct{}    `json:"additional_kwargs"`
		Metadata struct{}    `json:"response_metadata"`
		Chunks   []callChunk `json:"tool_call_chunks"`
		Calls    []ToolCall  `json:"tool_calls"`
		Invalid  [0]int      `json:"invalid_tool_calls"`
		Usage    *Usage      `json:"usage_metadata,omitempty"`
	}{Type: AI, ID: c.ID, Content: c.Content, Chunks: calls, Calls: all(c.Calls), Usage: c.Usage})
}

// LastChunk returns the chunk that completes a message of which chunks have shown this text. More is
// false if nothing is missing.
func LastChunk(whole json.RawMessage, shown string) (c Chunk, more bool) {
	var m Message
	if json.Unmarshal(whole, &m) != nil {
		return c, false
	}
	c = Chunk{ID: m.ID, Calls: m.Calls, Usage: m.Usage}
	if shown == "" {
		c.Content = m.Content.String()
	}
	return c, c.Content != "" || len(m.Calls) > 0 || m.Usage != nil
}
