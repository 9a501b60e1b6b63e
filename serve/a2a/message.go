package a2a

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// Entries of metadata: the graph of a new task, in a request; the question that a part asks or
// answers.
const graphName, interruptID = "graph", "interrupt_id"

// begin begins the run of a message: of a new task, or of one that waits for an answer.
func (c *call) begin(in *a2a.SendMessageRequest) (t task, err error) {
	m := in.Message
	if in.Config == nil {
		in.Config = &a2a.SendMessageConfig{}
	}
	switch {
	case m == nil || len(m.Parts) == 0 || slices.Contains(m.Parts, nil) || m.ID == "":
		return nil, fmt.Errorf("%w: message must have a messageId and parts", a2a.ErrInvalidParams)
	case m.Role != a2a.MessageRoleUser:
		return nil, fmt.Errorf("%w: message.role is %.40q: it must be ROLE_USER", a2a.ErrInvalidParams, m.Role)
	}
	if err := enough(in.Config.HistoryLength); err != nil {
		return nil, err
	}
	var spec runs.Spec
	if m.TaskID == "" {
		spec, err = c.asks(in)
	} else if t, err = c.task(c.ctx(), m.TaskID); err == nil {
		spec, err = c.answers(t, m)
	}
	if err != nil {
		return nil, err
	}
	own := mark{Graph: spec.Graph, Wire: wire}
	if t != nil {
		own.Task = t[0].ID
	}
	if spec.Metadata, err = runs.Merge(encode(in.Metadata), encode(own)); err != nil { // also entries without a meaning
		return nil, err
	}
	spec.Saved, spec.Modes = map[string]string{"graph_id": spec.Graph}, graph.Tokens
	spec.Marks = encode(map[string]string{"graph_id": spec.Graph, "wire": wire})
	if push := in.Config.PushConfig; push != nil {
		if push.TaskID = m.TaskID; t == nil {
			spec.ID = c.NewID()
			push.TaskID = a2a.TaskID(spec.ID)
		}
		if err := c.keep(push); err != nil {
			return nil, err
		}
	}
	r, err := c.Begin(c.ctx(), spec)
	return append(t, r), err
}

// asks returns the run of a new task.
func (c *call) asks(in *a2a.SendMessageRequest) (spec runs.Spec, err error) {
	g, err := c.chosen(in)
	if err != nil {
		return spec, err
	}
	text, data, err := read(in.Message.Parts)
	if err != nil {
		return spec, err
	}
	values := map[string]any{}
	for _, one := range data {
		more, ok := one.(map[string]any)
		if !ok {
			return spec, fmt.Errorf("%w: a data part must be an object of the graph's channels", a2a.ErrInvalidParams)
		}
		maps.Copy(values, more)
	}
	if len(data) < len(in.Message.Parts) {
		if !g.Converses() {
			return spec, fmt.Errorf("%w: graph %q takes data parts: objects of its channels", a2a.ErrUnsupportedContentType, g.Name)
		}
		values["messages"] = []any{map[string]any{"id": c.NewID(), "type": "human", "content": text}}
	}
	input, err := g.App.Values(encode(values))
	if err != nil {
		return spec, fmt.Errorf("%w: %w", a2a.ErrInvalidParams, err)
	}
	spec = runs.Spec{
		Thread: in.Message.ContextID, Create: true, Graph: g.Name, Input: input, Strategy: runs.Enqueue,
		Settings: map[string]json.RawMessage{}, Kept: encode([]*a2a.Message{in.Message}),
	}
	for _, one := range g.Settings {
		if value, ok := in.Metadata[one.Name]; ok {
			spec.Settings[one.Name] = encode(value)
		}
	}
	return spec, nil
}

// read returns the texts of parts, joined, and their data.
func read(parts []*a2a.Part) (text string, data []any, err error) {
	var texts []string
	for _, p := range parts {
		switch v := p.Content.(type) {
		case a2a.Text:
			texts = append(texts, string(v))
		case a2a.Data:
			data = append(data, v.Value)
		default:
			return "", nil, fmt.Errorf("%w: a part can be text or data here, not a file", a2a.ErrUnsupportedContentType)
		}
	}
	return strings.Join(texts, "\n"), data, nil
}

// chosen returns the graph of a new task: that of the path, of the metadata, or of the context.
func (c *call) chosen(in *a2a.SendMessageRequest) (runs.Graph, error) {
	named, _ := in.Metadata[graphName].(string)
	named = cmp.Or(c.graph, named)
	if named == "" && in.Message.ContextID != "" {
		t, err := c.Thread(c.ctx(), in.Message.ContextID)
		if err != nil && !errors.As(err, new(*runs.NotFoundError)) {
			return runs.Graph{}, err
		}
		named = t.Graph
	}
	g, err := c.Graph(cmp.Or(named, c.Default, c.Graphs()[0].Name))
	if err != nil {
		err = fmt.Errorf("%w: %w", a2a.ErrInvalidParams, err)
	}
	return g, err
}

// asked returns the questions of a task that waits.
func asked(t task, on *runs.Thread) *a2a.Message {
	var parts []*a2a.Part
	for _, id := range slices.Sorted(maps.Keys(on.Interrupts)) {
		for _, q := range on.Interrupts[id] {
			part := a2a.NewDataPart(q.Payload)
			var text string
			if json.Unmarshal(q.Payload, &text) == nil {
				part = a2a.NewTextPart(text)
			}
			part.SetMeta(interruptID, q.ID)
			parts = append(parts, part)
			if q.Problem != "" {
				parts = append(parts, a2a.NewTextPart(q.Problem))
			}
		}
	}
	if parts == nil { // a breakpoint
		parts = append(parts, a2a.NewTextPart("The run has stopped, and goes on after a message."))
	}
	return t.says(t.last().ID+"-question", parts...)
}

// answers returns the run of a message that answers the questions of a task.
func (c *call) answers(t task, m *a2a.Message) (spec runs.Spec, err error) {
	if m.ContextID != "" && m.ContextID != t.info().ContextID {
		return spec, fmt.Errorf("%w: task %q is not of context %.60q", a2a.ErrInvalidParams, t[0].ID, m.ContextID)
	}
	now, err := c.status(c.ctx(), t)
	if err == nil && now.State != a2a.TaskStateInputRequired {
		err = fmt.Errorf("%w: the task's state is %s, and it takes no message: send it without a taskId", a2a.ErrUnsupportedOperation, now.State)
	}
	if err != nil {
		return spec, err
	}
	r := t.last()
	spec = runs.Spec{
		Thread: r.Thread, Graph: r.Graph, Settings: r.Settings, Resume: true, Strategy: runs.Reject,
		Answers: map[string]json.RawMessage{}, Kept: encode([]*a2a.Message{now.Message, m}),
	}
	parts := map[string][]*a2a.Part{} // by question
	for _, p := range now.Message.Parts {
		if id, ok := p.Metadata[interruptID].(string); ok {
			parts[id] = nil
		}
	}
	ids := slices.Sorted(maps.Keys(parts))
	for _, p := range m.Parts {
		id, _ := p.Metadata[interruptID].(string)
		if id == "" && len(ids) == 1 {
			id = ids[0] // the only question
		}
		if _, ok := parts[id]; !ok && len(ids) > 0 {
			return spec, fmt.Errorf("%w: the metadata of each part must have %s: it can be %s", a2a.ErrInvalidParams, interruptID, strings.Join(ids, ", "))
		}
		parts[id] = append(parts[id], p)
	}
	for _, id := range ids {
		text, data, err := read(parts[id])
		switch {
		case err != nil:
			return spec, err
		case len(data) > 0: // beside data, a text explains it
			spec.Answers[id] = encode(data[0])
		case len(parts[id]) > 0:
			spec.Answers[id] = encode(text)
		}
	}
	return spec, nil
}
