package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/serve/runs"
)

// responding are the fields that only the request of a response has.
type responding struct {
	Fields       map[string]json.RawMessage // all of the request
	Previous     string                     // the ID of a response
	Conversation string                     // a thread
	Approvals    []approval
	Background   bool
	Forget       bool            // store nothing
	Label        string          // the hosted server that stands for the graph's own tools
	Asks         bool            // the client declares it, so it takes requests for approval
	Kept         json.RawMessage // what the run keeps of the request; nil for a chat
}

// continues reports whether the request says where it continues.
func (r *responding) continues() bool {
	return r.Previous != "" || r.Conversation != "" || len(r.Approvals) > 0
}

// ofResponse are the fields of the request of a response.
var ofResponse = rule{
	known: []string{"model", "input", "instructions", "previous_response_id", "conversation", "stream", "store", "background", "metadata", "tools", "assay"},
	without: []string{
		"temperature", "top_p", "max_output_tokens", "max_tool_calls", "parallel_tool_calls", "reasoning", "truncation", "include", "stream_options",
		"service_tier", "user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options",
	},
	only: map[string][]string{
		"tool_choice": {`"none"`, `"auto"`}, "text": {"{}", `{"format":{"type":"text"}}`}, "top_logprobs": {"0"},
		"prompt": nil, "moderation": nil, "context_management": nil,
	},
}

// Prefixes of IDs.
const (
	responseID     = "resp_"
	conversationID = "conv_"
)

// kept is what a run keeps of its request.
type kept struct {
	Response json.RawMessage `json:"openai_response"`
}

// readResponse reads the request of a response, as read does for a chat.
func readResponse(data []byte, strict bool) (*request, error) {
	if !json.Valid(data) {
		return nil, invalid("", "", "the request is not valid JSON")
	}
	out := &request{strict: strict}
	if err := out.check(&ofResponse, "", data); err != nil {
		return nil, err
	}
	var in struct {
		Model        string          `json:"model"`
		Input        json.RawMessage `json:"input"`
		Instructions string          `json:"instructions"`
		Previous     string          `json:"previous_response_id"`
		Conversation json.RawMessage `json:"conversation"`
		Stream       bool            `json:"stream"`
		Background   bool            `json:"background"`
		Store        *bool           `json:"store"`

		Settings map[string]json.RawMessage `json:"assay"`
	}
	var conversation struct {
		ID string `json:"id"`
	}
	err := errors.Join(into("", data, &in), into("", data, &out.Fields))
	if err == nil && len(in.Conversation) > 0 && json.Unmarshal(in.Conversation, &conversation.ID) != nil {
		err = into("conversation.", in.Conversation, &conversation)
	}
	if err != nil {
		return nil, err
	}
	out.Model, out.Stream, out.Settings, out.Previous, out.Background = in.Model, in.Stream, in.Settings, in.Previous, in.Background
	out.Conversation, out.Forget = strings.TrimPrefix(conversation.ID, conversationID), in.Store != nil && !*in.Store
	switch {
	case out.Forget && out.Background:
		return nil, invalid("background", "unsupported_value", "a response in the background must be stored: leave out store")
	case out.Conversation != "" && out.Previous != "":
		return nil, invalid("conversation", "", "a response continues a conversation or another response, not both")
	}
	if in.Instructions != "" {
		out.Messages = []entry{{Role: "system", Text: in.Instructions}}
	}
	if err := errors.Join(out.label(), out.input(in.Input)); err != nil {
		return nil, err
	}
	whole, err := json.Marshal(out.Fields)
	if err == nil {
		out.Kept, err = json.Marshal(kept{whole})
	}
	return out, err
}

// label finds the hosted server that stands for the graph's own tools: the one named as the model, or
// else the first. Keys of hosted servers are dropped, as nothing calls them.
func (in *request) label() error {
	in.Label = in.Model
	var tools []map[string]json.RawMessage
	if in.Fields["tools"] == nil || json.Unmarshal(in.Fields["tools"], &tools) != nil {
		return nil
	}
	own := true // no other tool is given
	for _, t := range tools {
		var label string
		mcp := string(t["type"]) == `"mcp"` && json.Unmarshal(t["server_label"], &label) == nil
		if mcp && (!in.Asks || label == in.Model) {
			in.Label, in.Asks = label, true
		}
		own = own && mcp && label == in.Model
		delete(t, "authorization")
		delete(t, "headers")
	}
	data, err := json.Marshal(tools)
	if in.Fields["tools"] = data; err != nil || own {
		return err
	}
	return in.ignore("tools", data, true)
}

// input reads a text or a list of items.
func (in *request) input(data json.RawMessage) error {
	items, err := itemsIn(data)
	if err != nil {
		return err
	}
	approved := 0 // the messages before the last approval
	for i, item := range items {
		n := len(in.Approvals)
		if err := in.item(fmt.Sprintf("input[%d].", i), item); err != nil {
			return err
		}
		if len(in.Approvals) > n {
			approved = len(in.Messages)
		}
	}
	if len(in.Approvals) == 0 {
		return in.asks("input")
	}
	if in.Previous != "" || in.Conversation != "" {
		approved = 0
	}
	if slices.ContainsFunc(in.Messages[approved:], func(m entry) bool { return m.Role == "user" }) {
		return invalid("input", "", "a message cannot come together with approvals: send it after their response")
	}
	return nil
}

// itemsIn returns the items of an input.
func itemsIn(data json.RawMessage) (items []json.RawMessage, err error) {
	var text string
	if json.Unmarshal(data, &text) == nil {
		item, err := json.Marshal(map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": text}}})
		return []json.RawMessage{item}, err
	}
	if json.Unmarshal(data, &items) != nil {
		return nil, invalid("input", "invalid_type", "the input must be a text or a list of items")
	}
	return items, nil
}

// item reads an item of the input.
func (in *request) item(path string, data json.RawMessage) (err error) {
	var one struct {
		Type      string          `json:"type"`
		CallID    string          `json:"call_id"`
		Name      string          `json:"name"`
		Arguments string          `json:"arguments"`
		Output    json.RawMessage `json:"output"`
		Request   string          `json:"approval_request_id"`
		Approve   bool            `json:"approve"`
		Reason    string          `json:"reason"`
	}
	if err := into(path, data, &one); err != nil {
		return err
	}
	var m entry
	switch one.Type {
	case "", "message":
		if m, err = in.message(path, data); m.Role == "assistant" {
			in.Approvals = nil // they were answered
		}
	case "function_call": // a tool of the client's, which another model has called
		m.Role = "assistant"
		m.Calls, err = json.Marshal([]any{map[string]any{"id": one.CallID, "function": map[string]string{"name": one.Name, "arguments": one.Arguments}}})
	case "function_call_output":
		m = entry{Role: "tool", CallID: one.CallID}
		m.Text, err = in.content(path+"output", one.Output)
	case "mcp_approval_response":
		parts := strings.Split(one.Request, "_")
		n, _ := strconv.Atoi(parts[len(parts)-1])
		if len(parts) != 3 || parts[0] != partApproval {
			return invalid(path+"approval_request_id", "", "there is no request for approval %s", quoted(one.Request))
		}
		in.Approvals = slices.DeleteFunc(in.Approvals, func(a approval) bool { return a.Run != parts[1] }) // those of the last response count
		in.Approvals = append(in.Approvals, approval{Run: parts[1], N: n, Approve: one.Approve, Why: one.Reason})
		return nil
	case "reasoning", "mcp_call", "mcp_list_tools", "mcp_approval_request": // of earlier responses: their thread has them
		return nil
	default:
		return in.ignore(strings.TrimSuffix(path, "."), data, false)
	}
	in.Messages = append(in.Messages, m)
	return err
}

// continueAt begins the run of a turn where its request says.
func (c *call) continueAt(t *turn) error {
	param, id := "previous_response_id", t.in.Previous
	if len(t.in.Approvals) > 0 {
		param, id = "input", responseID+t.in.Approvals[0].Run
	}
	var p place
	if id != "" {
		r, _, err := c.response(id)
		switch {
		case errors.As(err, new(*failure)) || t.in.Previous != "" && t.in.Previous != id || t.in.Conversation != "" && t.in.Conversation != r.Thread:
			return invalid(param, "previous_response_not_found", "the previous response with the ID %s was not found", quoted(id))
		case err != nil:
			return err
		case !r.Status.Ended():
			return fmt.Errorf("the response %q has not ended: %w", id, runs.ErrBusy)
		case r.Status != runs.Success:
			return invalid(param, "", "the response %s did not succeed: continue from an earlier one", quoted(id))
		}
		a, err := c.outcome(c.ctx(), r, nil)
		if err != nil {
			return err
		}
		p = a.place(r.Thread)
	} else {
		at, _, err := c.State(c.ctx(), t.in.Conversation, "")
		if err != nil && !errors.As(err, new(*runs.NotFoundError)) {
			return err
		}
		p.Thread, param, id = t.in.Conversation, "conversation", t.in.Conversation
		if at != nil && len(at.Interrupts) == 1 {
			p.Checkpoint, p.Question = at.Key.ID, at.Interrupts[0].ID
		}
	}
	begun, err := c.goOn(t, p, 0, runs.Enqueue)
	if err == nil && !begun {
		err = invalid(param, "", "%s cannot be continued: its question was answered already, or its thread was removed", quoted(id))
	}
	return err
}

// respond answers a turn with a response.
func (c *call) respond() error {
	t, err := c.turn(readResponse)
	if err != nil {
		return err
	}
	if t.in.Forget {
		defer c.forget(t)
	}
	if !t.in.Background {
		defer c.leave(t)
	}
	switch {
	case t.in.Stream:
		return c.tell(t, -1)
	case t.in.Background:
		reply(c.w, http.StatusOK, t.response(nil, nil))
		return nil
	}
	a, err := c.follow(c.ctx(), t, nil)
	if err == nil {
		reply(c.w, http.StatusOK, t.response(a, nil))
	}
	return err
}

// forget removes what the server stored of a turn, but not what it asks a person.
func (c *call) forget(t *turn) {
	ctx := context.WithoutCancel(c.ctx())
	r, err := c.Wait(ctx, t.run.ID)
	switch {
	case err != nil || r.Asks:
	case t.in.continues():
		err = c.DeleteRun(ctx, r.ID)
	default:
		err = c.DeleteThread(ctx, r.Thread)
	}
	if err != nil {
		c.Warn(err)
	}
}

// response returns the run of a stored response, with its request.
func (c *call) response(id string) (runs.Run, *request, error) {
	missing := &failure{Status: http.StatusNotFound, Message: "the response with the ID " + quoted(id) + " was not found", Param: "id"}
	r, err := c.Run(c.ctx(), strings.TrimPrefix(id, responseID))
	if err != nil && !errors.As(err, new(*runs.NotFoundError)) {
		return r, nil, err
	}
	var k kept
	if err != nil || json.Unmarshal(r.Kept, &k) != nil || k.Response == nil { // a run of another protocol
		return r, nil, missing
	}
	in, err := readResponse(k.Response, false)
	if g, gone := c.Graph(r.Graph); err == nil && gone == nil {
		err = in.unknown(g)
	}
	return r, in, err
}

// stored is a handler for the response in the path.
func stored(serve func(*call, *turn) error) func(*call) error {
	return func(c *call) error {
		r, in, err := c.response(c.r.PathValue("response"))
		if err != nil {
			return err
		}
		return serve(c, &turn{in: in, model: runs.Graph{Name: r.Graph}, run: r, old: true})
	}
}

func (c *call) getResponse(t *turn) error {
	if stream, _ := strconv.ParseBool(c.r.URL.Query().Get("stream")); stream {
		after, err := strconv.Atoi(cmp.Or(c.r.URL.Query().Get("starting_after"), "-1"))
		if err != nil {
			return invalid("starting_after", "invalid_type", "starting_after must be a number")
		}
		return c.tell(t, after)
	}
	var a *answer
	var err error
	if t.run.Status.Ended() {
		if a, err = c.outcome(c.ctx(), t.run, nil); err != nil && !errors.As(err, new(*failure)) {
			return err
		}
	}
	reply(c.w, http.StatusOK, t.response(a, err))
	return nil
}

func (c *call) cancelResponse(t *turn) error {
	err := c.Cancel(c.ctx(), t.run.ID)
	if err == nil {
		t.run, err = c.Wait(c.ctx(), t.run.ID)
	}
	if err != nil {
		return err
	}
	return c.getResponse(t)
}

func (c *call) deleteResponse(t *turn) error {
	err := c.DeleteRun(c.ctx(), t.run.ID)
	if err == nil {
		reply(c.w, http.StatusOK, map[string]any{"id": responseID + t.run.ID, "object": "response", "deleted": true})
	}
	return err
}

// inputItems lists all items of a response's input, the last one first unless the query says
// otherwise.
func (c *call) inputItems(t *turn) error {
	items, err := itemsIn(t.in.Fields["input"])
	if err != nil {
		return err
	}
	list := make([]map[string]any, len(items))
	for i, item := range items {
		list[i] = map[string]any{"id": fmt.Sprintf("in_%s_%d", t.run.ID, i), "type": "message"}
		if err := json.Unmarshal(item, &list[i]); err != nil {
			return err
		}
	}
	if c.r.URL.Query().Get("order") != "asc" {
		slices.Reverse(list)
	}
	reply(c.w, http.StatusOK, map[string]any{"object": "list", "data": list, "first_id": list[0]["id"], "last_id": list[len(list)-1]["id"], "has_more": false})
	return nil
}
