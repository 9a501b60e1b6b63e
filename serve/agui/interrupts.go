package agui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// An interrupt is an interrupt in the clients' format. Its metadata has the payload.
type interrupt struct {
	ID       string          `json:"id"`
	Reason   string          `json:"reason"`
	Message  string          `json:"message,omitempty"`
	Call     string          `json:"toolCallId,omitempty"`
	Schema   json.RawMessage `json:"responseSchema,omitempty"`
	Expires  string          `json:"expiresAt,omitempty"`
	Metadata map[string]any  `json:"metadata"`
}

// A payload has the fields of an interrupt's payload that have a meaning here. An agent's approval
// has actions (LangChain's HITLRequest); other payloads may describe themselves.
type payload struct {
	Actions []struct {
		Name        string          `json:"name"`
		Args        json.RawMessage `json:"args"`
		Description string          `json:"description"`
		Call        string          `json:"call_id"`
		Problem     string          `json:"problem"` // why the previous answer was refused
	} `json:"action_requests"`
	Reviews []struct {
		Allowed []string        `json:"allowed_decisions"`
		Schema  json.RawMessage `json:"args_schema"`
	} `json:"review_configs"`

	Reason   string          `json:"reason"`
	Message  string          `json:"message"`
	Question string          `json:"question"`
	Call     string          `json:"tool_call_id"`
	Schema   json.RawMessage `json:"response_schema"`
	Expires  string          `json:"expires_at"`
}

// interruptOf returns an interrupt in the clients' format.
func interruptOf(q graph.PendingInterrupt) interrupt {
	var p payload
	var text string
	if json.Unmarshal(q.Payload, &text) != nil {
		_ = json.Unmarshal(q.Payload, &p) // a payload in another format says nothing of itself
	}
	out := interrupt{
		ID: q.ID, Reason: cmp.Or(p.Reason, "input_required"), Message: cmp.Or(p.Message, p.Question, text), Call: p.Call, Schema: p.Schema, Expires: p.Expires,
		Metadata: map[string]any{"payload": q.Payload},
	}
	if !strings.HasPrefix(strings.TrimSpace(string(out.Schema)), "{") {
		out.Schema = nil
	}
	if len(p.Actions) > 0 {
		p.approval(&out)
	}
	if q.Problem != "" {
		out.Message = strings.TrimSpace(out.Message + "\n\n" + q.Problem)
	}
	return out
}

// approval describes the approval of actions.
func (p *payload) approval(out *interrupt) {
	var texts []string
	for _, a := range p.Actions {
		texts = append(texts, strings.TrimSpace(cmp.Or(a.Description, a.Name+" "+string(a.Args))+"\n\n"+a.Problem))
	}
	out.Message = cmp.Or(out.Message, strings.Join(texts, "\n\n"))
	properties := map[string]any{
		"approved":  map[string]any{"type": "boolean"},
		"message":   map[string]any{"type": "string"},
		"decisions": map[string]any{"type": "array", "minItems": len(p.Actions), "maxItems": len(p.Actions), "items": map[string]any{"type": "object"}},
	}
	out.Reason = "confirmation"
	if len(p.Actions) == 1 {
		if out.Call = p.Actions[0].Call; out.Call != "" {
			out.Reason = "tool_call"
		}
		if len(p.Reviews) > 0 && slices.Contains(p.Reviews[0].Allowed, "edit") { // a client may show a form for it
			if properties["editedArgs"] = map[string]any{"type": "object"}; p.Reviews[0].Schema != nil {
				properties["editedArgs"] = p.Reviews[0].Schema
			}
		}
	}
	either := []any{map[string]any{"required": []string{"approved"}}, map[string]any{"required": []string{"decisions"}}}
	out.Schema, _ = json.Marshal(map[string]any{"type": "object", "properties": properties, "anyOf": either}) // it can always be encoded
}

// open returns the thread's open interrupts.
func (c *call) open() []graph.PendingInterrupt {
	if c.at == nil {
		return nil
	}
	return c.at.Interrupts
}

// resumes reports whether the input answers an open interrupt.
func (c *call) resumes() bool {
	return slices.ContainsFunc(c.open(), func(q graph.PendingInterrupt) bool {
		return slices.ContainsFunc(c.in.Resume, func(r resumption) bool { return r.Interrupt == q.ID })
	})
}

// covered returns a *failure unless the answers are for all open interrupts, and for no others.
func covered(open []graph.PendingInterrupt, answers map[string]json.RawMessage) error {
	for _, q := range open {
		if _, ok := answers[q.ID]; !ok {
			return &failure{"interrupt_open", fmt.Sprintf("interrupt %s of the thread is not answered: resume must answer every open interrupt, and a thread with one takes nothing else", q.ID)}
		}
	}
	if len(answers) > len(open) {
		return &failure{"interrupt_unknown", "resume answers an interrupt that is not open on this thread"}
	}
	return nil
}

// answers returns the answers of the input, by their interrupts. An interrupt that was cancelled or
// has no payload is answered with null.
func (in *input) answers(asked []graph.PendingInterrupt) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, r := range in.Resume {
		out[r.Interrupt] = json.RawMessage("null")
		if r.Status != "cancelled" && r.Payload != nil {
			out[r.Interrupt] = r.Payload
		}
	}
	for _, q := range asked {
		var p payload
		if answer, ok := out[q.ID]; ok && json.Unmarshal(q.Payload, &p) == nil && len(p.Actions) > 0 {
			out[q.ID] = p.decided(answer)
		}
	}
	return out
}

// decided returns an answer to an approval as decisions. It may have them already, or the form of
// AG-UI: approved, editedArgs for one action, and a message for a rejection. Null rejects.
func (p *payload) decided(answer json.RawMessage) json.RawMessage {
	var given struct {
		Approved  *bool           `json:"approved"`
		Edited    json.RawMessage `json:"editedArgs"`
		Message   string          `json:"message"`
		Decisions json.RawMessage `json:"decisions"`
	}
	if string(answer) != "null" && (json.Unmarshal(answer, &given) != nil || given.Approved == nil || given.Decisions != nil) {
		return answer // decisions, or something that the agent refuses
	}
	list := []any{}
	for _, a := range p.Actions {
		one := map[string]any{"type": "approve"}
		switch {
		case given.Approved == nil || !*given.Approved:
			one = map[string]any{"type": "reject"}
			if given.Message != "" {
				one["message"] = given.Message
			}
		case given.Edited != nil && len(p.Actions) == 1:
			one = map[string]any{"type": "edit", "edited_action": map[string]any{"name": a.Name, "args": given.Edited}}
		}
		list = append(list, one)
	}
	data, _ := json.Marshal(map[string]any{"decisions": list}) // parts of it were JSON
	return data
}
