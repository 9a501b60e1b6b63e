package agui

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/state/message"
)

// An input is a RunAgentInput. Fields that are not here are ignored.
type input struct {
	Thread   string          `json:"threadId"`
	Run      string          `json:"runId"`
	Parent   string          `json:"parentRunId"`
	Version  string          `json:"protocolVersion"` // empty for clients before 1.0
	State    json.RawMessage `json:"state"`
	Messages []entry         `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	Context  json.RawMessage `json:"context"`
	Forward  json.RawMessage `json:"forwardedProps"`
	Resume   []resumption    `json:"resume"`

	props props
}

// props are the forwarded properties that have a meaning here. Others may be settings of the graph.
type props struct {
	Assistant    string `json:"assistant"`
	OnDisconnect string `json:"onDisconnect"` // "cancel", the default, or "continue"
}

// A resumption is the answer to an interrupt.
type resumption struct {
	Interrupt string          `json:"interruptId"`
	Status    string          `json:"status"` // "resolved" or "cancelled"
	Payload   json.RawMessage `json:"payload"`
}

// An entry is a message in the clients' format, in both directions.
type entry struct {
	ID       string         `json:"id"`
	Role     string         `json:"role"`
	Content  any            `json:"content,omitempty"` // a text, or a list of parts
	Name     string         `json:"name,omitempty"`
	Calls    []toolCall     `json:"toolCalls,omitempty"`
	Call     string         `json:"toolCallId,omitempty"`
	Error    string         `json:"error,omitempty"`
	Sealed   string         `json:"encryptedValue,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // "function"
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
}

// read reads a request.
func read(data []byte) (*input, error) {
	in := &input{}
	if err := json.Unmarshal(data, in); err != nil {
		return nil, refusal.New(http.StatusBadRequest, "the request is not a RunAgentInput: %s", refusal.JSON(err))
	}
	_ = json.Unmarshal(in.Forward, &in.props) // clients forward what they want: other types mean nothing here
	return in, nil
}

// stored returns a message as the thread has it. Reasoning and activities stay with the client: they
// have no type.
func (e *entry) stored() (message.Message, error) {
	value := e.Content
	if parts, ok := value.([]any); ok {
		blocks := make([]any, len(parts))
		for i := range parts {
			blocks[i] = blockOf(parts[i])
		}
		value = blocks
	}
	content, err := json.Marshal(value)
	out := message.Message{ID: e.ID, Type: message.TypeOf(e.Role), Name: e.Name, CallID: e.Call}
	if err = errors.Join(err, json.Unmarshal(content, &out.Content)); err != nil {
		return out, refusal.New(http.StatusBadRequest, "message %.100q: %v", e.ID, err)
	}
	if out.Type == message.Tool {
		if out.Status = message.Success; e.Error != "" {
			out.Status = message.Failed
		}
	}
	for _, c := range e.Calls {
		args := json.RawMessage(c.Function.Arguments)
		if !json.Valid(args) { // the call was cut
			args = nil
		}
		out.Calls = append(out.Calls, message.NewCall(c.ID, c.Function.Name, args))
	}
	return out, nil
}

// blockOf turns an image into a block of LangChain's format. Other parts keep their form.
func blockOf(one any) any {
	part, _ := one.(map[string]any)
	source, _ := part["source"].(map[string]any)
	if part["type"] != "image" || source == nil {
		return one
	}
	out := map[string]any{"type": "image", "url": source["value"]}
	if source["type"] == "data" {
		out = map[string]any{"type": "image", "data": source["value"], "mime_type": source["mimeType"]}
	}
	return out
}

// draftPrefix begins the IDs of messages that a node has not returned yet. A client that left
// before their end sends them back: they are not part of the thread.
const draftPrefix = "draft-"

// lacking returns the messages of the input that a thread lacks. A thread with messages takes none
// from the assistant, whose messages come from its own runs.
func (in *input) lacking(has []message.Message, newID func() string) (out []message.Message, err error) {
	known, results := map[string]bool{}, map[string]bool{}
	for _, m := range has {
		known[m.ID], results[m.CallID] = true, true
	}
	for _, e := range in.Messages {
		foreign := e.Role == "assistant" && (len(has) > 0 || strings.HasPrefix(e.ID, draftPrefix)) || e.Role == "tool" && results[e.Call]
		if message.TypeOf(e.Role) == "" || foreign || known[e.ID] {
			continue
		}
		e.ID = cmp.Or(e.ID, newID())
		known[e.ID] = true
		m, err := e.stored()
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
