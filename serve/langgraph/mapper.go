package langgraph

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
)

// modes are the kinds of frames that a client wants.
type modes map[string]bool

var knownModes = []string{"values", "updates", "messages-tuple", "messages", "custom", "tasks", "checkpoints", "debug", "events", "tools"}

// modesOf reads the modes of a request. Default: values.
func modesOf(list names) (modes, error) {
	if len(list) == 0 {
		list = names{"values"}
	}
	out := modes{}
	for _, name := range list {
		if !slices.Contains(knownModes, name) {
			return nil, refusal.New(http.StatusUnprocessableEntity, "stream_mode is %q: it can be %s", name, strings.Join(knownModes, ", "))
		}
		out[name] = true
	}
	return out, nil
}

// wanted returns the engine's events that the modes need, in addition to those always logged.
func (m modes) wanted() graph.Mode {
	var out graph.Mode
	for name, mode := range map[string]graph.Mode{
		"values": graph.Values, "custom": graph.Custom, "tools": graph.Custom, "messages": graph.Tokens | graph.Custom | graph.Values, "messages-tuple": graph.Tokens | graph.Custom,
		"tasks": graph.Tasks | graph.Values, "debug": graph.Tasks | graph.Values, "events": graph.Debug | graph.Tokens,
	} {
		if m[name] {
			out |= mode
		}
	}
	return out
}

// reads reports whether the modes make frames from events of a kind. The log may have more kinds;
// see runs.Options.Modes.
func (m modes) reads(kind string) bool {
	k := graph.KindNamed(kind)
	return k == 0 || (m.wanted() | graph.Updates | graph.Checkpoints).Wants(k)
}

// A frame is one event of a stream.
type frame struct {
	event string
	data  json.RawMessage
	id    mark
}

// Kinds of the error that ends a stream: the run failed, or its events cannot be read now and the
// client should try again.
const (
	runFailed        = "Error"
	streamUnreadable = "StreamUnreadable"
)

func errorFrame(kind string, err error) (frame, error) {
	data, failed := json.Marshal(failure{kind, err.Error()})
	return frame{event: "error", data: data}, failed
}

// A mapper makes the frames of a run's events. It must see all events, in order.
type mapper struct {
	call      *call
	run       runs.Run
	graph     runs.Graph
	modes     modes
	subgraphs bool

	values          map[string]json.RawMessage // the last state of each graph, by namespace
	held            map[string]json.RawMessage // states that wait for their checkpoints, by namespace
	begins          string                     // the checkpoint that the run continues from, until it is shown
	said, completed map[string]bool            // IDs of shown messages, in the two modes of messages
	written         map[string]string          // the text of models so far, by message
	writes          map[string]string          // the message that a task's model writes
	steps           map[string]runs.Event      // the last shown steps, by task
	waits           map[string][]runs.Event    // running tasks, by graph and node
}

// mapper makes a mapper for a run.
func (c *call) mapper(r runs.Run, modes modes, subgraphs bool) (*mapper, error) {
	g, err := c.graphNamed(r.Graph)
	return &mapper{
		call: c, run: r, graph: g, modes: modes, subgraphs: subgraphs,
		values: map[string]json.RawMessage{}, held: map[string]json.RawMessage{}, said: map[string]bool{}, completed: map[string]bool{}, written: map[string]string{}, writes: map[string]string{}, steps: map[string]runs.Event{}, waits: map[string][]runs.Event{},
	}, err
}

// A sink takes a frame's mode and data.
type sink func(mode string, value any)

func (m *mapper) frames(ev runs.Event) (out []frame, err error) {
	if ev.Namespace != "" && !m.subgraphs || !m.modes.reads(ev.Kind) {
		return nil, nil // the log has this event for other clients
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
	var failed error
	if ev.Kind != graph.CheckpointSaved.String() {
		m.release(ev.Namespace, add)
	}
	if m.modes["events"] {
		m.chain(ev, add)
	}
	switch ev.Kind {
	case runs.KindAttempt:
		add("metadata", map[string]any{"run_id": m.run.ID, "attempt": ev.Attempt})
		m.begins, m.run.Attempt = ev.Checkpoint, ev.Attempt // from the event, so readers see the same at all times
	case graph.StateValue.String():
		failed = m.state(ev, add)
	case graph.NodeStart.String():
		m.starts(ev, add)
	case graph.NodeUpdate.String():
		failed = m.update(ev, add)
	case graph.NodeFailed.String():
		m.ends(ev, add, json.RawMessage("{}"), ev.Error, nil)
	case graph.RunInterrupt.String():
		m.interrupt(ev, add)
	case graph.NodeCustom.String():
		if ev.Name == event.ModelText {
			failed = m.writing(ev)
		} else if m.modes["custom"] {
			add("custom", map[string]any{"name": ev.Name, "data": ev.Data})
		}
	case graph.NodeToken.String():
		m.token(ev, add)
	case runs.KindSteps:
		m.step(ev, add)
	case graph.CheckpointSaved.String():
		failed = m.checkpoint(ev, add)
	}
	return out, errors.Join(err, failed)
}

// named returns the name of a frame: its mode, and the tasks around its graph.
func (m *mapper) named(mode string, ev runs.Event) string {
	if ev.Namespace == "" {
		return mode
	}
	return mode + "|" + namespaceOf(ev)
}

// namespaceOf returns the tasks around an event's graph.
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

// state shows a state. A client that reads subgraphs but no checkpoints gets the name of the
// state's checkpoint first.
func (m *mapper) state(ev runs.Event, add sink) error {
	state := ev.State
	if ev.Namespace != "" {
		state = ev.Data
	}
	if app, ok := m.app(ev.Namespace); ok {
		state = shown(app, state)
	}
	m.values[ev.Namespace] = state
	m.complete(state, add)
	begins := m.begins
	if ev.Namespace == "" {
		m.begins = ""
	}
	if m.names() && begins == "" {
		m.held[ev.Namespace] = state
		return nil
	}
	if m.names() && ev.Namespace == "" {
		at, _, err := m.call.State(m.call.ctx(), m.run.Thread, begins)
		if err != nil {
			return err
		}
		add("checkpoints", envelope(at.Key.ID, at.Parent, at.Source, at.Step))
	}
	if m.modes["values"] {
		add("values", state)
	}
	if begins == "" || ev.Namespace != "" {
		return nil
	}
	at := ev
	at.Checkpoint = begins
	return m.checkpoint(at, add)
}

// app returns the graph inside nodes, and false if a node runs its graph itself.
func (m *mapper) app(namespace string) (app graph.App, ok bool) {
	app, ok = m.graph.App, true
	if namespace == "" {
		return app, ok
	}
	for node := range strings.SplitSeq(namespace, "/") {
		if app, ok = app.Subgraph(node); !ok {
			break
		}
	}
	return app, ok
}

// names reports whether the client needs the names of checkpoints with its states.
func (m *mapper) names() bool {
	return m.subgraphs && m.modes["values"] && !m.modes["checkpoints"]
}

func envelope(id, parent string, source graph.Source, step int) map[string]any {
	out := map[string]any{"id": id, "source": source, "step": step}
	if parent != "" {
		out["parent_id"] = parent
	}
	return out
}

// release shows a state whose checkpoint did not come.
func (m *mapper) release(namespace string, add sink) {
	if state, ok := m.held[namespace]; ok {
		delete(m.held, namespace)
		add("values", state)
	}
}

// where names an event's node in its graph.
func where(ev runs.Event) string { return ev.Namespace + "\n" + ev.Node }

// starts shows the start of a task.
func (m *mapper) starts(ev runs.Event, add sink) {
	if ev.Attempt != 1 {
		return
	}
	m.waits[where(ev)] = append(m.waits[where(ev)], ev)
	one := map[string]any{"metadata": map[string]any{"graph_id": m.run.Graph, "assistant_id": runOf(m.run).Assistant, "run_id": m.run.ID}, "triggers": triggersOf(ev)}
	if ev.Send == 0 { // the input of a Send is not recorded
		one["input"] = m.values[ev.Namespace]
	}
	m.task(add, "task", ev, nil, one)
}

// ends shows a task that has ended, or that waits for answers.
func (m *mapper) ends(ev runs.Event, add sink, result json.RawMessage, failure any, asked []graph.PendingInterrupt) {
	m.waits[where(ev)] = slices.DeleteFunc(m.waits[where(ev)], func(other runs.Event) bool { return taskOf(other) == taskOf(ev) })
	m.task(add, "task_result", ev, asked, map[string]any{"result": result, "error": failure})
}

// task shows a task in the modes tasks and debug.
func (m *mapper) task(add sink, kind string, ev runs.Event, asked []graph.PendingInterrupt, more map[string]any) {
	more["id"], more["name"], more["interrupts"] = taskOf(ev), ev.Node, interruptsOf(asked)
	if m.modes["tasks"] {
		add("tasks", more)
	}
	if m.modes["debug"] {
		add("debug", map[string]any{"step": ev.Step, "type": kind, "timestamp": moment(ev.Time), "payload": more})
	}
}

func (m *mapper) update(ev runs.Event, add sink) error {
	delta, err := deltaOf(updateOf(ev))
	if err != nil {
		return err
	}
	m.unsay(taskOf(ev), add)
	m.messages(ev, delta, add)
	if m.modes["updates"] {
		add("updates", map[string]json.RawMessage{ev.Node: delta})
	}
	m.ends(ev, add, delta, nil, nil)
	return nil
}

// interrupt shows the interrupts of tasks, one after the other.
func (m *mapper) interrupt(ev runs.Event, add sink) {
	m.unsayAll(add)
	var nodes []string // in the order of their interrupts
	byNode := map[string][]graph.PendingInterrupt{}
	for _, p := range ev.Interrupts {
		node := p.Node
		if inner, ok := strings.CutPrefix(p.Namespace, ev.Namespace); ok && inner != "" { // asked inside a node of this graph
			node, _, _ = strings.Cut(strings.TrimPrefix(inner, "/"), "/")
		}
		if byNode[node] == nil {
			nodes = append(nodes, node)
		}
		byNode[node] = append(byNode[node], p)
	}
	if len(nodes) == 0 { // a breakpoint
		m.asks(nil, add)
	}
	for _, node := range nodes {
		at := ev
		at.Node = node
		list, waiting := byNode[node], m.waits[where(at)]
		if len(waiting) != len(list) { // equal numbers mean that each task asked once
			m.asks(list, add)
		}
		for i, task := range waiting {
			own := list
			if len(waiting) == len(list) {
				own = list[i : i+1]
				m.asks(own, add)
			}
			m.ends(task, add, json.RawMessage("{}"), nil, own)
		}
	}
}

func (m *mapper) asks(list []graph.PendingInterrupt, add sink) {
	asked := map[string]any{"__interrupt__": interruptsOf(list)}
	for _, mode := range []string{"updates", "values"} {
		if m.modes[mode] {
			add(mode, asked)
		}
	}
}

// checkpoint shows a checkpoint of the root graph, in the modes checkpoints and debug.
func (m *mapper) checkpoint(ev runs.Event, add sink) error {
	if _, ok := m.held[ev.Namespace]; ok {
		add("checkpoints", envelope(ev.Checkpoint, ev.Parent, ev.Source, ev.Step))
		m.release(ev.Namespace, add)
	}
	if ev.Namespace != "" || !m.modes["checkpoints"] && !m.modes["debug"] {
		return nil
	}
	c := m.call
	at, g, err := c.State(c.ctx(), m.run.Thread, ev.Checkpoint)
	if errors.As(err, new(*runs.NotFoundError)) { // it was pruned, or its thread removed
		return nil
	}
	if err != nil {
		return err
	}
	state, err := c.stateOf(m.run.Thread, at, g, "", false)
	if err != nil {
		return err
	}
	about := map[string]any{"source": at.Source, "step": at.Step, "parents": map[string]string{}}
	if m.modes["checkpoints"] {
		add("checkpoints", map[string]any{"values": state.Values, "metadata": about, "next": state.Next})
	}
	if m.modes["debug"] {
		tasks := []map[string]any{}
		for _, t := range state.Tasks { // their outcomes are shown by later events
			tasks = append(tasks, map[string]any{"id": t.ID, "name": t.Name, "path": t.Path, "interrupts": []interruptJSON{}})
		}
		payload := map[string]any{"values": state.Values, "metadata": about, "next": state.Next, "tasks": tasks, "checkpoint": state.Checkpoint, "parent_checkpoint": state.Parent}
		add("debug", map[string]any{"step": at.Step, "type": "checkpoint", "timestamp": moment(ev.Time), "payload": payload})
	}
	return nil
}
