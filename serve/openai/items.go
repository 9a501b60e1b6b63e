package openai

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/assay/state/message"
)

// echoed are the fields that a response repeats from its request.
var echoed = []string{
	"instructions", "max_output_tokens", "max_tool_calls", "metadata", "parallel_tool_calls", "previous_response_id", "prompt_cache_key",
	"reasoning", "safety_identifier", "service_tier", "temperature", "tool_choice", "tools", "top_p", "truncation", "user",
}

// response returns a response as clients read it: with the answer, or with the error of its run, or
// under way without both.
func (t *turn) response(a *answer, failed error) map[string]any {
	out := map[string]any{
		"id": responseID + t.run.ID, "object": "response", "created_at": t.run.Created.Unix(), "model": t.model.Name,
		"status": "in_progress", "background": t.in.Background, "store": !t.in.Forget, "error": nil, "incomplete_details": nil,
		"output": []any{}, "usage": nil, "text": map[string]any{"format": map[string]any{"type": "text"}},
		"instructions": nil, "max_output_tokens": nil, "metadata": map[string]any{}, "parallel_tool_calls": true, "previous_response_id": nil,
		"reasoning": map[string]any{"effort": nil, "summary": nil}, "temperature": nil, "tool_choice": "auto", "tools": []any{}, "top_p": nil,
		"truncation": "disabled", "user": nil, "assay": t.about(a),
	}
	for _, name := range echoed {
		if value := t.in.Fields[name]; value != nil && string(value) != "null" {
			out[name] = value
		}
	}
	if t.in.Conversation != "" {
		out["conversation"] = map[string]any{"id": conversationID + t.in.Conversation}
	}
	var why *failure
	switch {
	case errors.As(failed, &why):
		out["status"], out["error"] = "failed", map[string]any{"code": cmp.Or(why.Code, "server_error"), "message": why.Message}
		if why.Code == cancelled {
			out["status"], out["error"] = "cancelled", nil
		}
	case a != nil:
		out["status"], out["completed_at"], out["output"] = "completed", a.ended.Unix(), t.items(a)
		out["usage"] = map[string]any{
			"input_tokens": a.usage.Prompt, "output_tokens": a.usage.Completion, "total_tokens": a.usage.Total,
			"input_tokens_details": map[string]int{"cached_tokens": 0}, "output_tokens_details": map[string]int{"reasoning_tokens": 0},
		}
	}
	return out
}

// items returns the items of an answer.
func (t *turn) items(a *answer) []map[string]any {
	out := []map[string]any{}
	for _, p := range append(a.parts, t.questions(a)...) {
		out = append(out, t.item(p))
	}
	return out
}

// questions returns the questions of the run. A client that knows the server of its tools gets a
// request for each call that waits for approval. Others get texts: a request would be an error.
func (t *turn) questions(a *answer) []part {
	var out []part
	n := 0
	for i, q := range a.asked {
		actions := actionsOf(q)
		for _, one := range actions {
			if t.in.Asks {
				out = append(out, part{kind: partApproval, n: n, call: message.NewCall("", one.Name, one.Args)})
			}
			n++
		}
		if actions == nil || !t.in.Asks {
			out = append(out, part{kind: partText, n: len(a.order) + i, text: questionOf(q)})
		}
	}
	return out
}

func (t *turn) id(p part) string { return fmt.Sprintf("%s_%s_%d", p.kind, t.run.ID, p.n) }

// item returns a part as an item. A call that the graph has made is one of a hosted server: clients
// would make the call of a function themselves.
func (t *turn) item(p part) map[string]any {
	out := map[string]any{"id": t.id(p), "status": "completed"}
	switch p.kind {
	case partText:
		out["type"], out["role"], out["content"] = "message", "assistant", []any{p.content()}
	case partReasoning:
		out["type"], out["summary"] = "reasoning", []any{map[string]any{"type": "summary_text", "text": p.text}}
	case partApproval:
		delete(out, "status")
		out["type"], out["server_label"], out["name"], out["arguments"] = "mcp_approval_request", t.in.Label, p.call.Name, string(p.call.Args)
	case partCall:
		out["type"], out["server_label"], out["approval_request_id"] = "mcp_call", t.in.Label, nil
		out["name"], out["arguments"], out["output"], out["error"] = p.call.Name, string(p.call.Args), p.text, nil
		if p.failed {
			out["status"], out["output"] = "failed", nil
			out["error"] = map[string]any{"type": "mcp_tool_execution_error", "content": []any{map[string]any{"type": "text", "text": p.text}}}
		}
	}
	return out
}

// content returns the content of a message.
func (p part) content() map[string]any {
	cited := []any{}
	for _, c := range p.citations {
		cited = append(cited, c.flat())
	}
	return map[string]any{"type": "output_text", "text": p.text, "annotations": cited, "logprobs": []any{}}
}

// flat returns a citation in the format of responses.
func (a annotation) flat() map[string]any {
	return map[string]any{"type": a.Type, "start_index": a.URL.Start, "end_index": a.URL.End, "url": a.URL.URL, "title": a.URL.Title, "assay": a.Own}
}
