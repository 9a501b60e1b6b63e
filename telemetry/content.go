package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"example.com/assay/llm"
)

// message and part are the form that the conventions give to prompts and
// answers.
type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Type      string `json:"type"` // "text", "tool_call" or "tool_call_response"
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"` // as the model wrote them
	Response  string `json:"response,omitempty"`
}

// content returns the prompt and the answer as attributes.
func content(req llm.Request, resp llm.Response, err error) []attribute.KeyValue {
	var system []part
	var in []message
	for _, m := range req.Messages {
		if m.Role == llm.System {
			system = append(system, part{Type: "text", Content: m.Text})
			continue
		}
		in = append(in, message{string(m.Role), parts(m.Text, m.Calls, m.Results)})
	}
	out := []attribute.KeyValue{text(semconv.GenAIInputMessagesKey, in)}
	if system != nil {
		out = append(out, text(semconv.GenAISystemInstructionsKey, system))
	}
	if err == nil {
		out = append(out, text(semconv.GenAIOutputMessagesKey, []message{{string(llm.Assistant), parts(resp.Text, resp.Calls, nil)}}))
	}
	return out
}

func parts(said string, calls []llm.ToolCall, results []llm.ToolResult) []part {
	out := []part{}
	if said != "" {
		out = append(out, part{Type: "text", Content: said})
	}
	for _, c := range calls {
		out = append(out, part{Type: "tool_call", ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)})
	}
	for _, r := range results {
		out = append(out, part{Type: "tool_call_response", ID: r.CallID, Name: r.Name, Response: r.Text})
	}
	return out
}
