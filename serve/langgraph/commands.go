package langgraph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// This file and teller.go are the second protocol: a client sends commands to a thread, and reads
// the events of all its runs from one stream. Both protocols show the same runs.

// commandRequest is a client's command.
type commandRequest struct {
	ID     *int64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// commandAnswer is the answer to a command.
type commandAnswer struct {
	Type    string       `json:"type"` // "success" or "error"
	ID      int64        `json:"id"`
	Result  any          `json:"result,omitempty"`
	Error   string       `json:"error,omitempty"`
	Message string       `json:"message,omitempty"`
	Meta    *commandMeta `json:"meta,omitempty"`
}

// commandMeta says up to which event the command has seen the thread.
type commandMeta struct {
	Thread  string `json:"thread_id"`
	Applied int64  `json:"applied_through_seq"`
}

// A commandError refuses a command with a code of the protocol.
type commandError struct{ code, text string }

func (e *commandError) Error() string { return e.text }

func wrong(code, format string, args ...any) error {
	return &commandError{code, fmt.Sprintf(format, args...)}
}

func (c *call) command() (any, error) {
	var in commandRequest
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if in.ID == nil || *in.ID < 0 || in.Method == "" {
		return nil, refusal.New(http.StatusUnprocessableEntity, "a command needs an id, a number from 0, and a method")
	}
	serve := map[string]func(*call, json.RawMessage) (any, position, error){
		"run.start": (*call).runStart, "input.respond": (*call).inputRespond, "state.get": (*call).stateGet, "agent.getTree": (*call).agentTree,
	}[in.Method]
	if serve == nil {
		serve = func(c *call, _ json.RawMessage) (any, position, error) { return nil, position{}, c.unknown(in.Method) }
	}
	result, applied, err := serve(c, in.Params)
	if known := asCommandError(err); known != nil {
		return commandAnswer{Type: "error", ID: *in.ID, Error: known.code, Message: known.text}, nil
	}
	if err != nil {
		return nil, err
	}
	meta := &commandMeta{Thread: c.thread()}
	if meta.Applied, err = applied.seq(); err != nil {
		return nil, err
	}
	return commandAnswer{Type: "success", ID: *in.ID, Result: result, Meta: meta}, nil
}

// asCommandError returns an error that clients get as an answer. It returns nil for errors after
// which a retry may help.
func asCommandError(err error) *commandError {
	var known *commandError
	switch {
	case errors.As(err, &known):
		return known
	case refusal.Status(err) == http.StatusUnprocessableEntity, refusal.Status(err) == http.StatusBadRequest, refusal.Status(err) == http.StatusConflict:
		return &commandError{"invalid_argument", err.Error()}
	}
	return nil
}

// toldUntil returns the position of the last event of a thread with this last run.
func (c *call) toldUntil(last *runs.Run) (position, error) {
	if last == nil {
		return position{}, nil
	}
	n, err := c.Log.Last(c.ctx(), last.ID)
	if last.Status.Ended() {
		n++ // its end
	}
	return position{last.Number, n, maxPart}, err
}

// behindBegin returns the position after a run's beginning. A client treats later events as new.
func behindBegin(r runs.Run) position { return position{r.Number, 0, maxPart} }

// lastRun returns the thread's last run, or nil.
func (c *call) lastRun() (*runs.Run, error) {
	all, err := c.Runs(c.ctx(), c.thread())
	if errors.As(err, new(*runs.NotFoundError)) {
		return nil, nil
	}
	if err != nil || len(all) == 0 {
		return nil, err
	}
	last := slices.MaxFunc(all, func(a, b runs.Run) int { return a.Number - b.Number })
	return &last, nil
}

// params reads the parameters of a command.
func (c *call) params(data json.RawMessage, v any) error {
	if !present(data) {
		return nil
	}
	return c.decode(data, v)
}

// told are the modes of the first protocol that the second one shows.
var told = names{"values", "updates", "custom", "tasks"}

// start begins a run as the first protocol does, with the fields of its request. Missing fields
// stay missing.
func (c *call) start(fields map[string]any) (runs.Run, error) {
	maps.DeleteFunc(fields, func(_ string, v any) bool {
		data, ok := v.(json.RawMessage)
		return ok && data == nil
	})
	fields["stream_mode"], fields["stream_subgraphs"], fields["if_not_exists"] = append(slices.Clone(told), "messages-tuple"), true, "create"
	data, err := json.Marshal(fields)
	if err != nil {
		return runs.Run{}, err
	}
	var in runRequest
	if err := c.decode(data, &in); err != nil {
		return runs.Run{}, err
	}
	if in.Strategy == "" {
		in.Strategy = string(runs.Enqueue)
	}
	spec, err := c.spec(&in, data)
	if err != nil {
		return runs.Run{}, err
	}
	return c.Begin(c.ctx(), spec)
}

// pending returns the interrupts of the thread that no run is about to answer.
func (c *call) pending() (map[string]bool, error) {
	out := map[string]bool{}
	at, _, err := c.State(c.ctx(), c.thread(), "")
	if errors.As(err, new(*runs.NotFoundError)) {
		return out, nil
	}
	if err != nil || at == nil {
		return out, err
	}
	for _, p := range at.Interrupts {
		out[p.ID] = true
	}
	all, err := c.Runs(c.ctx(), c.thread())
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Status.Ended() {
			continue
		}
		for id := range answersOf(r) {
			if delete(out, id); id == "" {
				clear(out)
			}
		}
	}
	return out, nil
}

// runStart begins a run. On a thread with a pending interrupt the input is the answer, unless the
// run names a checkpoint to begin at.
func (c *call) runStart(data json.RawMessage) (any, position, error) {
	var in struct {
		Assistant string          `json:"assistant_id"`
		Input     json.RawMessage `json:"input"`
		Config    json.RawMessage `json:"config"`
		Metadata  json.RawMessage `json:"metadata"`
		Camel     string          `json:"multitaskStrategy"` // clients send both spellings
		Strategy  string          `json:"multitask_strategy"`
		Tracer    json.RawMessage `json:"langsmith_tracer"`
	}
	if err := c.params(data, &in); err != nil {
		return nil, position{}, err
	}
	if in.Assistant == "" {
		return nil, position{}, wrong("invalid_argument", "run.start requires an assistant_id.")
	}
	req := map[string]any{
		"assistant_id": in.Assistant, "input": in.Input, "config": in.Config, "metadata": in.Metadata,
		"multitask_strategy": cmp.Or(in.Strategy, in.Camel), "langsmith_tracer": in.Tracer,
	}
	if present(in.Input) {
		conf, err := c.config(in.Config)
		if err != nil {
			return nil, position{}, err
		}
		from, _, err := conf.place()
		if err != nil {
			return nil, position{}, err
		}
		asks, err := c.pending()
		if err != nil {
			return nil, position{}, err
		}
		if len(asks) > 0 && from.Checkpoint == "" {
			req["input"], req["command"] = nil, map[string]any{"resume": in.Input}
		}
	}
	r, err := c.start(req)
	if err != nil {
		return nil, position{}, err
	}
	return map[string]string{"run_id": r.ID}, behindBegin(r), nil
}

// inputRespond answers one or more pending interrupts of the thread.
func (c *call) inputRespond(data json.RawMessage) (any, position, error) {
	type response struct {
		Namespace []string        `json:"namespace"`
		ID        string          `json:"interrupt_id"`
		Response  json.RawMessage `json:"response"`
	}
	var in struct {
		response
		Responses []response      `json:"responses"`
		Update    json.RawMessage `json:"update"`
		Goto      json.RawMessage `json:"goto"`
		Strict    bool            `json:"strict_resume"` // always in effect
		Config    json.RawMessage `json:"config"`
		Metadata  json.RawMessage `json:"metadata"`
	}
	if err := c.params(data, &in); err != nil {
		return nil, position{}, err
	}
	if in.Responses == nil {
		in.Responses = []response{in.response}
	}
	if len(in.Responses) == 0 {
		return nil, position{}, wrong("invalid_argument", "input.respond requires at least one response.")
	}
	last, err := c.lastRun()
	if err != nil {
		return nil, position{}, err
	}
	if last == nil {
		return nil, position{}, wrong("no_such_run", "The thread has had no run: call run.start first.")
	}
	asks, err := c.pending()
	if err != nil {
		return nil, position{}, err
	}
	if len(asks) == 0 {
		return nil, position{}, wrong("invalid_argument", "input.respond can only be used while the run is interrupted.")
	}
	answers := map[string]json.RawMessage{}
	for _, r := range in.Responses {
		if r.ID == "" {
			return nil, position{}, wrong("invalid_argument", "input.respond requires an interrupt_id.")
		}
		if !asks[r.ID] {
			return nil, position{}, wrong("no_such_interrupt", "The thread asks nothing with the ID %q: its interrupts are %s.", r.ID, strings.Join(slices.Sorted(maps.Keys(asks)), ", "))
		}
		if r.Response == nil {
			r.Response = json.RawMessage("null")
		}
		answers[r.ID] = r.Response
	}
	order := map[string]any{"resume": answers}
	for name, data := range map[string]json.RawMessage{"update": in.Update, "goto": in.Goto} {
		if data != nil {
			order[name] = data
		}
	}
	r, err := c.start(map[string]any{"assistant_id": runOf(*last).Assistant, "command": order, "config": in.Config, "metadata": in.Metadata})
	return struct{}{}, behindBegin(r), err
}

func (c *call) stateGet(data json.RawMessage) (any, position, error) {
	var in struct {
		Namespace []string `json:"namespace"`
		Keys      []string `json:"keys"`
	}
	if err := c.params(data, &in); err != nil {
		return nil, position{}, err
	}
	at, g, err := c.at(&checkpointJSON{Namespace: strings.Join(in.Namespace, "|")})
	if err != nil {
		return nil, position{}, err
	}
	state, err := c.stateOf(c.thread(), at, g, strings.Join(in.Namespace, "|"), false)
	if err != nil {
		return nil, position{}, err
	}
	out := map[string]any{"values": state.Values}
	if in.Keys != nil {
		all := map[string]json.RawMessage{}
		if err := json.Unmarshal(state.Values, &all); err != nil {
			return nil, position{}, err
		}
		maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return !slices.Contains(in.Keys, key) })
		out["values"] = all
	}
	if state.Checkpoint != nil {
		out["checkpoint"] = map[string]string{"id": state.Checkpoint.ID, "ns": state.Checkpoint.Namespace}
	}
	last, err := c.lastRun()
	if err != nil {
		return nil, position{}, err
	}
	applied, err := c.toldUntil(last)
	return out, applied, err
}

// agentTree returns the graphs of the thread's last run and their status.
func (c *call) agentTree(data json.RawMessage) (any, position, error) {
	var in struct {
		Run       string   `json:"run_id"`
		Namespace []string `json:"namespace"`
	}
	if err := c.params(data, &in); err != nil {
		return nil, position{}, err
	}
	last, err := c.lastRun()
	if err != nil {
		return nil, position{}, err
	}
	if in.Run != "" {
		r, err := c.Run(c.ctx(), in.Run)
		if err != nil || r.Thread != c.thread() {
			return nil, position{}, wrong("no_such_run", "The thread has no run %q.", in.Run)
		}
		last = &r
	}
	if last == nil {
		return nil, position{}, wrong("no_such_run", "No active run is bound to this thread.")
	}
	t, err := c.teller(*last)
	if err != nil {
		return nil, position{}, err
	}
	if _, err := t.begin(); err != nil {
		return nil, position{}, err
	}
	for ev, err := range c.Recorded(c.ctx(), last.ID) {
		if err == nil {
			_, err = t.tell(ev)
		}
		if err != nil {
			return nil, position{}, err
		}
	}
	if last.Status.Ended() {
		if _, err := t.end(*last); err != nil {
			return nil, position{}, err
		}
	}
	applied, err := c.toldUntil(last)
	tree, found := t.tree().at(in.Namespace)
	if !found {
		return nil, position{}, wrong("invalid_argument", "The run has no graph at %s.", strings.Join(in.Namespace, "|"))
	}
	return map[string]any{"tree": tree}, applied, err
}

// unknown answers an unknown command as the reference server does.
func (c *call) unknown(method string) error {
	last, err := c.lastRun()
	if err == nil && last == nil {
		err = wrong("no_such_run", "No active run is bound to this thread.")
	}
	if err == nil {
		err = wrong("unknown_command", "Unknown protocol command: %s", method)
	}
	return err
}
