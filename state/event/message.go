package event

import "encoding/json"

// A ToolCall is a model's wish to have a function called.
type ToolCall struct {
	ID        string          `json:"id"` // unique in its response
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // as the model wrote them: not validated
}

// A ToolResult is what a function returned.
type ToolResult struct {
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	Text   string `json:"text"`             // JSON, or the error in words
	Failed bool   `json:"failed,omitempty"` // Text is an error
}

// Role says who speaks in a message.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // the message is Results
)

// A Message is one turn of a prompt.
type Message struct {
	Role    Role         `json:"role"`
	Text    string       `json:"text,omitempty"`
	Images  []Image      `json:"images,omitempty"`  // of the user, behind Text
	Calls   []ToolCall   `json:"calls,omitempty"`   // of the assistant, beside or instead of Text
	Results []ToolResult `json:"results,omitempty"` // of all calls of the message before, in their order
	// Reasoning is what the assistant thought before Text and Calls, where its provider shows it.
	// Few providers take it back, and counts of characters and tokens leave it out.
	Reasoning string `json:"reasoning,omitempty"`
}

// An Image is a picture by its bytes or by its address. Counts of characters, which
// rates and usages have, count it as nothing; the provider's count of tokens has it.
type Image struct {
	MediaType string `json:"media_type,omitempty"` // such as "image/png"
	Data      []byte `json:"data,omitempty"`
	URL       string `json:"url,omitempty"` // instead of Data; not every provider takes one
}
