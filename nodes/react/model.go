package react

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
)

// ask is the node that asks the model.
func (a *agent[S]) ask(ctx context.Context, s S) (graph.Update[S], error) {
	at := a.at(&s)
	if at.Rounds >= a.MaxRounds {
		return graph.Update[S]{a.endless}, nil
	}
	id := freshID(ctx, at.Messages)
	req := llm.Request{Skill: a.Name, Message: id, Origin: a.Origin, Messages: a.draft(at), Tools: a.kit.offered(at.View), Sampling: a.Sampling, Cached: a.Cached}
	resp, usage, err := llm.Generate(ctx, a.model, req)
	if err != nil {
		return nil, err
	}
	said := Message{ID: id, Message: llm.Message{Role: llm.Assistant, Text: resp.Text, Calls: numbered(id, resp.Calls), Reasoning: resp.Reasoning}, Model: resp.Model, Usage: resp.Usage}
	u := graph.Update[S]{a.Messages.Put(said), a.Rounds.Set(at.Rounds + 1), a.plainView, a.Usage.Add(usage)}
	if at.Rounds+1 == a.MaxRounds && a.kit.inVain(said.Calls) {
		u = append(u, a.endless)
	}
	return u, nil
}

// inVain reports whether calls have results that only the model would read.
func (k kit) inVain(calls []llm.ToolCall) bool {
	return len(calls) > 0 && len(k.listed) > 0 && !slices.ContainsFunc(calls, func(c llm.ToolCall) bool {
		t := k.tools[c.Name]
		return t.to != "" || t.Final && len(calls) == 1
	})
}

// numbered gives a new ID to calls of a message without one, and to calls with an ID that another
// call of it has. No other message has the new IDs. Arguments that are not JSON become a JSON string, since a checkpoint cannot hold
// them.
func numbered(id string, calls []llm.ToolCall) []llm.ToolCall {
	fine := true
	for i, c := range calls {
		fine = fine && c.ID != "" && (len(c.Arguments) == 0 || json.Valid(c.Arguments)) && !slices.ContainsFunc(calls[:i], func(o llm.ToolCall) bool { return o.ID == c.ID })
	}
	if fine {
		return slices.Clip(calls)
	}
	out := slices.Clone(calls)
	for i := range out {
		if c := &out[i]; len(c.Arguments) > 0 && !json.Valid(c.Arguments) {
			c.Arguments, _ = json.Marshal(strings.ToValidUTF8(string(c.Arguments), "\uFFFD")) // a string always encodes
		}
		for n := i + 1; out[i].ID == "" || slices.ContainsFunc(out[:i], func(c llm.ToolCall) bool { return c.ID == out[i].ID }); n++ {
			out[i].ID = fmt.Sprintf("%s-call%d", strings.ReplaceAll(id, ".", "_"), n) // providers take no dots
		}
	}
	return out
}

// notRun is the result of a call that no node answered: the run was cancelled and its thread
// continued with another question, or somebody edited the messages.
const notRun = "this call was not made"

// clearedText replaces a text that a view clears.
const clearedText = "(left out, to save space)"

// prompt returns the conversation for a request. Each call gets a result, and the results of a
// message come together in the order of its calls: providers refuse anything else.
func prompt(system string, s *State) []llm.Message {
	seen := s.View.seen(s.Messages)
	out, _ := s.View.render(begun(join(system, s.View.Note), len(seen)), seen, 0)
	return out
}

// begun returns a request's messages before the conversation, with room for it.
func begun(system string, room int) []llm.Message {
	out := make([]llm.Message, 0, room+1)
	if system != "" {
		out = append(out, llm.Message{Role: llm.System, Text: system})
	}
	return out
}

// render adds the messages from an index on to a request. Open says that calls of the last message
// with calls have no result yet.
func (v *View) render(out []llm.Message, seen []Message, from int) (_ []llm.Message, open bool) {
	for i := from; i < len(seen); i++ {
		m := &seen[i]
		if m.Role == llm.ToolRole {
			continue // already added after its calls
		}
		shown := llm.Message{Role: m.Role, Text: m.Text, Images: m.Images, Calls: sendable(m.Calls), Reasoning: m.Reasoning}
		if v.clears(m) {
			shown.Text, shown.Reasoning, shown.Images = clearedText, "", nil
		}
		out = append(out, shown)
		if len(m.Calls) > 0 {
			var results []llm.ToolResult
			results, open = v.results(m, seen[i+1:])
			out = append(out, llm.Message{Role: llm.ToolRole, Results: results})
		}
	}
	return out, open
}

// results returns a result for each call of a message. Open says that some have none.
func (v *View) results(m *Message, behind []Message) (out []llm.ToolResult, open bool) {
	if len(m.Calls) == 1 && len(v.Cleared) == 0 && v.MaxResult == 0 && len(behind) > 0 {
		if only := behind[0].Results; len(only) == 1 && only[0].CallID == m.Calls[0].ID {
			return only, false
		}
	}
	out = make([]llm.ToolResult, len(m.Calls))
	for j, c := range m.Calls {
		r, found := v.result(behind, c.ID)
		if !found {
			r, open = llm.ToolResult{CallID: c.ID, Name: c.Name, Text: notRun, Failed: true}, true
		}
		out[j] = r
	}
	return out, open
}

// A drafted is the last request of a run: the next one has the same messages, and more. Elements of
// a state's list never change, so a list in the same array begins with the same messages.
type drafted struct {
	of  []Message
	out []llm.Message
}

// draft is prompt, for the agent's own requests. It renders what came since the last one.
func (a *agent[S]) draft(s *State) []llm.Message {
	if v := &s.View; len(v.Skip)+len(v.Cleared)+len(v.Note)+v.MaxResult > 0 || len(s.Messages) == 0 || summed(s.Messages) {
		return prompt(a.Prompt, s)
	}
	d, ok := a.drafts.Get().(*drafted)
	if !ok || len(d.of) > len(s.Messages) || &d.of[0] != &s.Messages[0] {
		d = &drafted{out: begun(a.Prompt, 2*len(s.Messages))}
	}
	var open bool
	d.out, open = s.View.render(d.out, s.Messages, len(d.of))
	out := slices.Clip(d.out)
	if d.of = s.Messages; !open {
		a.drafts.Put(d)
	}
	return out
}

// sendable returns calls in the form that providers accept: with an object as arguments.
func sendable(calls []llm.ToolCall) []llm.ToolCall {
	if !slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return !isObject(c.Arguments) }) {
		return calls
	}
	out := slices.Clone(calls)
	for i := range out {
		if !isObject(out[i].Arguments) {
			out[i].Arguments = json.RawMessage("{}")
		}
	}
	return out
}

func isObject(data json.RawMessage) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 0 && data[0] == '{'
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// clears reports whether a view hides the text of a message.
func (v *View) clears(m *Message) bool { return m.ID != "" && slices.Contains(v.Cleared, m.ID) }

// result returns the result of a call from the messages after it, up to the model's next message.
func (v *View) result(behind []Message, call string) (llm.ToolResult, bool) {
	for i := range behind {
		m := &behind[i]
		if m.Role == llm.Assistant {
			break
		}
		for _, r := range m.Results {
			if r.CallID == call {
				if v.clears(m) {
					r.Text = clearedText
				}
				r.Text = v.shortened(r.Text)
				return r, true
			}
		}
	}
	return llm.ToolResult{}, false
}

// called returns the model's last message, and what follows it.
func called(list []Message) (*Message, []Message) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == llm.Assistant {
			return &list[i], list[i+1:]
		}
	}
	return &Message{}, nil
}

// result returns the ID of the message with the result of a call. IDs of some providers are long.
func (m *Message) result(call string) string {
	if len(call) > 64 {
		sum := sha256.Sum256([]byte(call))
		call = hex.EncodeToString(sum[:8])
	}
	return m.ID + "." + call
}
