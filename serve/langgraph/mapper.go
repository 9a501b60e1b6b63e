package langgraph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// modes are the kinds of frames that a client asks for.
type modes map[string]bool

var knownModes = []string{"values", "updates", "messages-tuple", "messages", "custom", "tasks", "checkpoints", "debug", "events", "tools"}

// modesOf reads the modes of a request; by default values.
func modesOf(list names) (modes, error) {
	if len(list) == 0 {
		list = names{"values"}
	}
	out := modes{}
	for _, name := range list {
		if !slices.Contains(knownModes, name) {
			return nil, refuse(http.StatusUnprocessableEntity, "stream_mode is %q: it can be %s", name, strings.Join(knownModes, ", "))
		}
		out[name] = true
	}
	return out, nil
}

// wanted are the engine's events that the modes need, apart from those that are always
// there.
func (m modes) wanted() graph.Mode {
	var out graph.Mode
	for name, mode := range map[string]graph.Mode{
		"values": graph.Values, "custom": graph.Custom, "tools": graph.Custom, "messages": graph.Tokens | graph.Values, "messages-tuple": graph.Tokens,
		"tasks": graph.Tasks | graph.Values, "debug": graph.Tasks | graph.Values, "events": graph.Debug | graph.Tokens,
	} {
		if m[name] {
			out |= mode
		}
	}
	return out
}

// A frame is one event of a stream.
type frame struct {
	event string
	data  json.RawMessage
	id    mark
}

func errorFrame(err error) (frame, error) {
	data, failed := json.Marshal(failure{"Error", err.Error()})
	return frame{event: "error", data: data}, failed
}

// A mapper makes the frames of a run's events. It sees all of them, in order.
type mapper struct {
	call      *call // nil when only values are wanted
	run       runs.Run
	modes     modes
	subgraphs bool
	location  func(runs.Run) string

	values json.RawMessage // the last state of the root
	said   map[string]bool // IDs of messages that were shown

}

func (m *mapper) frames(ev runs.Event) (out []frame, err error) {
	if ev.Namespace != "" && !m.subgraphs {
		return nil, nil
	}
	add := func(mode string, value any) {
		if err != nil {
			return
		}
		var data []byte
		if data, err = json.Marshal(value); err == nil {
			out = append(out, frame{event: m.named(mode, ev), data: data})
		}
	}
	switch ev.Kind {
	case runs.KindAttempt:
		add("metadata", map[string]any{"run_id": m.run.ID, "attempt": ev.Attempt})
	case graph.StateValue.String():
		state := ev.State
		if ev.Namespace != "" {
			state = ev.Data
		} else {
			m.values = state
		}
		if m.modes["values"] {
			add("values", state)
		}
	case graph.NodeUpdate.String():
		err = m.update(ev, add)
	case graph.RunInterrupt.String():
		m.interrupt(ev, add)
	case graph.NodeStart.String():
		if ev.Attempt == 1 {
			m.task(add, "task", ev, map[string]any{"input": m.values, "triggers": []string{"branch:to:" + ev.Node}})
		}
	case graph.NodeFailed.String():
		m.task(add, "task_result", ev, map[string]any{"error": ev.Error, "result": map[string]any{}})
	case graph.NodeCustom.String():
		if m.modes["custom"] {
			add("custom", map[string]any{"name": ev.Name, "data": ev.Data})
		}
	case graph.NodeToken.String():
		m.token(ev, add)
	case graph.CheckpointSaved.String():
		err = m.checkpoint(ev, add)
	}
	return out, err
}

// named is the name of a frame: its mode, and the tasks around the graph that it is of.
func (m *mapper) named(mode string, ev runs.Event) string {
	if ev.Namespace == "" {
		return mode
	}
	return mode + "|" + namespaceOf(ev)
}

// namespaceOf names the tasks around an event's graph.
func namespaceOf(ev runs.Event) string {
	var parts []string
	for i, node := range strings.Split(ev.Namespace, "/") {
		task := ""
		if i < len(ev.Tasks) {
			task = taskUUID(ev.Tasks[i])
		}
		parts = append(parts, node+":"+task)
	}
	return strings.Join(parts, "|")
}

// taskOf is the ID of an event's own task.
func taskOf(ev runs.Event) string {
	if n := len(ev.Tasks); n > 0 {
		return taskUUID(ev.Tasks[n-1])
	}
	return ""
}

func updateOf(ev runs.Event) json.RawMessage {
	if ev.Namespace != "" {
		return ev.Data
	}
	return ev.Update
}

func (m *mapper) update(ev runs.Event, add func(string, any)) error {
	delta, err := deltaOf(updateOf(ev))
	if err != nil {
		return err
	}
	m.messages(ev, delta, add)
	if m.modes["updates"] {
		add("updates", map[string]json.RawMessage{ev.Node: delta})
	}
	m.task(add, "task_result", ev, map[string]any{"result": delta, "error": nil})
	return nil
}

func (m *mapper) interrupt(ev runs.Event, add func(string, any)) {
	if len(ev.Interrupts) == 0 {
		return // a breakpoint
	}
	asked := map[string]any{"__interrupt__": interruptsOf(ev.Interrupts)}
	if m.modes["updates"] {
		add("updates", asked)
	}
	if m.modes["values"] {
		add("values", asked)
	}
}

// task shows what is known of a task, in the modes tasks and debug.
func (m *mapper) task(add func(string, any), kind string, ev runs.Event, more map[string]any) {
	more["id"], more["name"], more["interrupts"] = taskOf(ev), ev.Node, []interruptJSON{}
	if m.modes["tasks"] {
		add("tasks", more)
	}
	if m.modes["debug"] {
		add("debug", map[string]any{"step": ev.Step, "type": kind, "timestamp": moment(ev.Time), "payload": more})
	}
}

// checkpoint shows a checkpoint of the root, in the modes checkpoints and debug.
func (m *mapper) checkpoint(ev runs.Event, add func(string, any)) error {
	if m.call == nil || ev.Namespace != "" || !m.modes["checkpoints"] && !m.modes["debug"] {
		return nil
	}
	c := *m.call
	at, g, err := c.State(c.ctx(), m.run.Thread, ev.Checkpoint)
	if err != nil {
		if _, gone := err.(*runs.NotFoundError); gone { // it was pruned, or its thread removed
			return nil
		}
		return err
	}
	state, err := c.stateOf(at, g, "", false)
	if err != nil {
		return err
	}
	if m.modes["checkpoints"] {
		add("checkpoints", map[string]any{
			"values": state.Values, "metadata": map[string]any{"source": at.Source, "step": at.Step, "parents": map[string]string{}}, "next": state.Next,
			"checkpoint": state.Checkpoint, "parent_checkpoint": state.Parent, "tasks": state.Tasks,
		})
	}
	if m.modes["debug"] {
		add("debug", map[string]any{"step": ev.Step, "type": "checkpoint", "timestamp": moment(ev.Time), "payload": state})
	}
	return nil
}

// about is the metadata of a message.
func (m *mapper) about(ev runs.Event) map[string]any {
	ns := ev.Node + ":" + taskOf(ev)
	if ev.Namespace != "" {
		ns = namespaceOf(ev) + "|" + ns
	}
	return map[string]any{
		"langgraph_node": ev.Node, "langgraph_step": ev.Step, "langgraph_checkpoint_ns": ns, "checkpoint_ns": ns,
		"run_id": m.run.ID, "thread_id": m.run.Thread, "graph_id": m.run.Graph, "run_attempt": m.run.Attempt,
	}
}

// token shows a piece of text of a node's model.
func (m *mapper) token(ev runs.Event, add func(string, any)) {
	if !m.modes["messages-tuple"] {
		return
	}
	message := map[string]any{"type": "AIMessageChunk", "id": "run-" + taskOf(ev), "content": ev.Text, "additional_kwargs": map[string]any{}, "response_metadata": map[string]any{}, "tool_call_chunks": []any{}}
	add("messages", []any{message, m.about(ev)})
}

// messages shows messages that a node has returned and that were not shown before.
func (m *mapper) messages(ev runs.Event, delta json.RawMessage, add func(string, any)) {
	if !m.modes["messages-tuple"] {
		return
	}
	var update struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(delta, &update) != nil {
		return // its messages are none of ours
	}
	if m.said == nil {
		m.said = map[string]bool{}
	}
	for _, one := range update.Messages {
		id := fieldOf(one, "id")
		if id == "" || m.said[id] {
			continue
		}
		m.said[id] = true
		add("messages", []any{one, m.about(ev)})
	}
}
