package agui

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	published "example.com/assay/state/event"
	"example.com/assay/state/message"
)

// version is the protocol's version.
const version = "1.0"

// An event is an event of the protocol.
type event map[string]any

// A teller makes the protocol's events from the events of a run. It must see all of them, in order.
type teller struct {
	in    *input
	graph runs.Graph
	yield func(event) bool
	left  bool // nobody wants more events
	now   time.Time

	state    map[string]any    // as the client has it; nil before the first
	messages []message.Message // of the last state
	said     map[string]bool
	writes   map[string]string          // the IDs of the messages that models write, by task
	drafts   map[string]*draft          // text that a model is writing, by task
	begun    []string                   // the IDs of all drafts so far
	steps    map[string]map[string]bool // running tasks, by the name of their step
	pending  []string                   // calls of this run without results
	asked    []graph.PendingInterrupt
}

// A draft is the text that the model of a node writes, before the node returns its message.
type draft struct{ id, text string }

func newTeller(in *input, g runs.Graph, now time.Time, yield func(event) bool) *teller {
	t := &teller{in: in, graph: g, now: now, yield: yield, said: map[string]bool{}, writes: map[string]string{}, drafts: map[string]*draft{}, steps: map[string]map[string]bool{}}
	ev := event{"threadId": in.Thread, "runId": in.Run, "protocolVersion": version}
	if in.Parent != "" {
		ev["parentRunId"] = in.Parent
	}
	t.add("RUN_STARTED", ev)
	return t
}

func (t *teller) add(kind string, ev event) {
	ev["type"], ev["timestamp"] = kind, t.now.UnixMilli()
	t.left = t.left || !t.yield(ev)
}

// tell adds the events for an event of the run.
func (t *teller) tell(ev runs.Event) error {
	t.now = ev.Time
	task := ""
	if n := len(ev.Tasks); n > 0 {
		task = ev.Tasks[n-1]
	}
	step := strings.TrimPrefix(ev.Namespace+"/"+ev.Node, "/")
	root := ev.Namespace == ""
	switch ev.Kind {
	case runs.KindAttempt:
		t.close() // the tasks of an earlier attempt run again
	case graph.NodeStart.String():
		t.starts(step, task)
	case graph.NodeRetry.String():
		t.hush(task)
	case graph.NodeFailed.String(), graph.NodeHandled.String():
		t.hush(task)
		t.ends(step, task)
	case graph.NodeUpdate.String():
		if root {
			if err := t.update(task, ev.Update); err != nil {
				return err
			}
		}
		t.ends(step, task)
	case graph.NodeToken.String():
		if root && ev.Text != "" {
			t.token(task, ev.Text)
		}
	case graph.StateValue.String():
		if root {
			return t.show(ev.State)
		}
	case graph.NodeCustom.String():
		return t.custom(ev, task)
	case graph.RunInterrupt.String():
		if root {
			t.asked = ev.Interrupts
		}
	}
	return nil
}

// starts begins a step with its first task.
func (t *teller) starts(step, task string) {
	if t.steps[step] == nil {
		t.steps[step] = map[string]bool{}
		t.add("STEP_STARTED", event{"stepName": step})
	}
	t.steps[step][task] = true
}

// ends ends a step with its last task.
func (t *teller) ends(step, task string) {
	if tasks := t.steps[step]; tasks != nil {
		if delete(tasks, task); len(tasks) == 0 {
			delete(t.steps, step)
			t.add("STEP_FINISHED", event{"stepName": step})
		}
	}
}

// textAgain is the custom event of a model that begins its text again; see llm.EventTextAgain.
const textAgain = "model_text_again"

// custom adds an event that a node emits, or notes what it says of a model's text.
func (t *teller) custom(ev runs.Event, task string) error {
	var text published.Text
	switch ev.Name {
	case textAgain:
		t.hush(task)
	case published.ModelText:
		if err := json.Unmarshal(ev.Data, &text); err != nil {
			return fmt.Errorf("reading a %s event: %w", ev.Name, err)
		}
		t.hush(task)
		t.writes[task] = text.Message
	default:
		t.add("CUSTOM", event{"name": ev.Name, "value": ev.Data})
	}
	return nil
}

// token adds a piece of text of a node's model. Its message has the ID that the node has announced,
// or else a temporary one.
func (t *teller) token(task, text string) {
	d := t.drafts[task]
	if d == nil {
		d = &draft{id: t.writes[task]}
		if d.id == "" || slices.Contains(t.begun, d.id) {
			d.id = fmt.Sprintf("%s%s-%d", draftPrefix, t.in.Run, len(t.begun)+1)
		}
		t.begun = append(t.begun, d.id)
		t.drafts[task] = d
		t.add("TEXT_MESSAGE_START", event{"messageId": d.id, "role": "assistant"})
	}
	d.text += text
	t.add("TEXT_MESSAGE_CONTENT", event{"messageId": d.id, "delta": text})
}

// hush ends the text of a node's model.
func (t *teller) hush(task string) {
	if d := t.drafts[task]; d != nil {
		delete(t.drafts, task)
		t.add("TEXT_MESSAGE_END", event{"messageId": d.id})
	}
}

// close ends what is open.
func (t *teller) close() {
	for _, task := range slices.Sorted(maps.Keys(t.drafts)) {
		t.hush(task)
	}
	for _, step := range slices.Backward(slices.Sorted(maps.Keys(t.steps))) { // inner steps first
		delete(t.steps, step)
		t.add("STEP_FINISHED", event{"stepName": step})
	}
}

// update adds the messages that a node has returned.
func (t *teller) update(task string, data json.RawMessage) error {
	defer t.hush(task)
	var writes []struct {
		Channel string          `json:"channel"`
		Value   json.RawMessage `json:"value"`
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &writes); err != nil {
			return err
		}
	}
	for _, w := range writes {
		if w.Channel != "messages" {
			continue
		}
		for _, m := range messagesOf(w.Value) {
			if t.said[m.ID] {
				continue
			}
			t.said[m.ID] = true
			t.say(&m, task)
		}
	}
	return nil
}

// say adds the events of a message. Of a text that the client has from a draft it adds the rest.
func (t *teller) say(m *message.Message, task string) {
	switch m.Type {
	case message.Tool:
		text, _ := textOf(m)
		t.add("TOOL_CALL_RESULT", event{"messageId": m.ID, "toolCallId": m.CallID, "content": text, "role": "tool"})
		t.pending = slices.DeleteFunc(t.pending, func(id string) bool { return id == m.CallID })
		return
	case message.AI:
	default:
		return // the messages' snapshot has it
	}
	for _, r := range reasoningOf(m) {
		id := event{"messageId": r.ID}
		t.add("REASONING_START", maps.Clone(id))
		t.add("REASONING_MESSAGE_START", event{"messageId": r.ID, "role": "reasoning"})
		if r.Content != "" {
			t.add("REASONING_MESSAGE_CONTENT", event{"messageId": r.ID, "delta": r.Content})
		}
		t.add("REASONING_MESSAGE_END", maps.Clone(id))
		if r.Sealed != "" {
			t.add("REASONING_ENCRYPTED_VALUE", event{"subtype": "message", "entityId": r.ID, "encryptedValue": r.Sealed})
		}
		t.add("REASONING_END", maps.Clone(id))
	}
	id, before, open := m.ID, "", false
	text, cited := textOf(m)
	switch d := t.drafts[task]; {
	case d != nil && (d.id == m.ID || d.text == text):
		id, before, open = d.id, d.text, true
		delete(t.drafts, task)
	case slices.Contains(t.begun, m.ID): // its model began again: the snapshot has the text
	case text != "":
		open = true
		t.add("TEXT_MESSAGE_START", event{"messageId": id, "role": "assistant"})
	}
	if rest, ok := strings.CutPrefix(text, before); open && ok && rest != "" {
		t.add("TEXT_MESSAGE_CONTENT", event{"messageId": id, "delta": rest})
	}
	if open {
		end := event{"messageId": id}
		if len(cited) > 0 {
			end["metadata"] = metadataOf(cited)
		}
		t.add("TEXT_MESSAGE_END", end)
	}
	for _, call := range callsOf(m) {
		t.add("TOOL_CALL_START", event{"toolCallId": call.ID, "toolCallName": call.Function.Name, "parentMessageId": id})
		t.add("TOOL_CALL_ARGS", event{"toolCallId": call.ID, "delta": call.Function.Arguments})
		t.add("TOOL_CALL_END", event{"toolCallId": call.ID})
		t.pending = append(t.pending, call.ID)
	}
}

// show adds a state: the first one whole, later ones as changes if these are shorter. A client that
// lacks earlier messages of the thread gets them with the first state.
func (t *teller) show(data json.RawMessage) error {
	state := shown(t.graph, data)
	t.messages = messagesIn(data)
	first := t.state == nil
	for _, m := range t.messages {
		t.said[m.ID] = true
	}
	before := t.state
	if t.state = state; first {
		t.add("STATE_SNAPSHOT", event{"snapshot": state})
		has := map[string]bool{}
		for _, m := range t.in.Messages {
			has[m.ID] = true
		}
		if slices.ContainsFunc(t.messages, func(m message.Message) bool { return !has[m.ID] }) {
			t.snapshot()
		}
		return nil
	}
	var changes patch
	changes.diff("", before, state)
	if len(changes) == 0 {
		return nil
	}
	short, err := json.Marshal(changes)
	whole, failed := json.Marshal(state)
	if len(short) < len(whole) {
		t.add("STATE_DELTA", event{"delta": changes})
	} else {
		t.add("STATE_SNAPSHOT", event{"snapshot": state})
	}
	return errors.Join(err, failed)
}

// snapshot adds the messages of the thread.
func (t *teller) snapshot() {
	if !converses(t.graph) {
		return
	}
	list := []entry{}
	for _, m := range t.messages {
		own := slices.IndexFunc(t.in.Messages, func(own entry) bool { return own.ID == m.ID && own.Role == "user" && own.Content != nil })
		if own >= 0 { // with its images
			list = append(list, t.in.Messages[own])
		} else {
			list = append(list, shownOf(&m)...)
		}
	}
	t.add("MESSAGES_SNAPSHOT", event{"messages": list})
}

// report adds a thread as it is, and the end of a run that did nothing. At may be nil.
func (t *teller) report(at *runs.Snapshot) {
	if at != nil {
		t.state, t.messages, t.asked = shown(t.graph, at.State), messagesIn(at.State), at.Interrupts
		if len(t.asked) == 0 {
			t.add("STATE_SNAPSHOT", event{"snapshot": t.state})
		}
	}
	t.end(runs.Run{Status: runs.Success, Updated: t.now})
}

// end adds the end of a run.
func (t *teller) end(r runs.Run) {
	t.now = r.Updated
	t.close()
	if len(t.asked) > 0 { // a client may continue from what it has here
		t.add("STATE_SNAPSHOT", event{"snapshot": t.state})
	}
	t.snapshot()
	kind, ev := "RUN_FINISHED", event{"threadId": t.in.Thread, "runId": t.in.Run}
	switch {
	case r.Status == runs.Cancelled && t.in.Version != "":
		ev["outcome"] = event{"type": "cancelled"}
	case r.Status != runs.Success: // clients before 1.0 know no cancelled runs
		kind, ev = "RUN_ERROR", event{"message": cmp.Or(r.Error, "the run was cancelled"), "code": "run_" + string(r.Status)}
	case len(t.asked) > 0:
		list := []interrupt{}
		for _, q := range t.asked {
			list = append(list, interruptOf(q))
		}
		ev["outcome"] = event{"type": "interrupt", "interrupts": list}
	default:
		outcome := event{"type": "success"}
		if len(t.pending) > 0 {
			outcome["pendingToolCallIds"] = t.pending
		}
		ev["outcome"] = outcome
	}
	t.add(kind, ev)
}
