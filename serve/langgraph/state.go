package langgraph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// checkpointJSON names a checkpoint. The namespace names the tasks around a graph, as in
// "node:task|node:task"; it is empty for the root.
type checkpointJSON struct {
	Thread    string          `json:"thread_id"`
	ID        string          `json:"checkpoint_id,omitempty"`
	Namespace string          `json:"checkpoint_ns"`
	Map       json.RawMessage `json:"checkpoint_map"`
}

// stateJSON is a thread at a checkpoint, as clients read it.
type stateJSON struct {
	Values     json.RawMessage `json:"values"`
	Next       []string        `json:"next"`
	Tasks      []taskJSON      `json:"tasks"`
	Metadata   map[string]any  `json:"metadata,omitempty"`
	Created    *string         `json:"created_at"`
	Checkpoint *checkpointJSON `json:"checkpoint"`
	Parent     *checkpointJSON `json:"parent_checkpoint"`
}

// taskJSON is a task of a superstep.
type taskJSON struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Error      *string         `json:"error"`
	Interrupts []interruptJSON `json:"interrupts"`
	Path       []any           `json:"path"`
	Checkpoint *checkpointJSON `json:"checkpoint"`
	State      *stateJSON      `json:"state"`
	Result     json.RawMessage `json:"result"`
}

// stateOf returns a snapshot in the clients' format. With nested, tasks include the states of the
// graphs inside them. A nil snapshot is a thread without a checkpoint.
func (c *call) stateOf(thread string, at *runs.Snapshot, g runs.Graph, namespace string, nested bool) (*stateJSON, error) {
	if at == nil {
		return &stateJSON{Values: object(nil), Next: []string{}, Tasks: []taskJSON{}}, nil
	}
	made := moment(at.Time)
	out := &stateJSON{
		Values: shown(g.App, at.State), Next: slices.Clone(at.Next), Tasks: []taskJSON{}, Metadata: metadataOf(thread, at), Created: &made,
		Checkpoint: &checkpointJSON{Thread: thread, ID: at.Key.ID, Namespace: namespace},
	}
	if out.Next == nil {
		out.Next = []string{}
	}
	if at.Parent != "" {
		out.Parent = &checkpointJSON{Thread: thread, ID: at.Parent, Namespace: namespace}
	}
	for _, t := range at.Tasks {
		one := taskJSON{ID: taskUUID(t.ID), Name: t.Node, Interrupts: interruptsOf(t.Interrupts), Path: pathOf(t.Node, t.Send)}
		if t.Failure != "" {
			one.Error = &t.Failure
		}
		if t.Done && t.Update != nil {
			update, err := t.Update.MarshalJSON()
			if err != nil {
				return nil, err
			}
			if one.Result, err = deltaOf(update); err != nil {
				return nil, err
			}
		}
		inner, child, err := c.Inside(c.ctx(), at, g, t.ID)
		if err != nil {
			return nil, err
		}
		if inner != nil {
			ns := joinNamespace(namespace, t.Node, t.ID)
			one.Checkpoint = &checkpointJSON{Thread: thread, Namespace: ns}
			if nested {
				one.Checkpoint = nil
				if one.State, err = c.stateOf(thread, inner, child, ns, true); err != nil {
					return nil, err
				}
			}
		}
		out.Tasks = append(out.Tasks, one)
	}
	return out, nil
}

func joinNamespace(outer, node, task string) string {
	own := node + ":" + taskUUID(task)
	if outer == "" {
		return own
	}
	return outer + "|" + own
}

// pathOf says what started a task: an edge or a Send.
func pathOf(node string, send int) []any {
	if send > 0 {
		return []any{"__pregel_push", send - 1, false}
	}
	return []any{"__pregel_pull", node}
}

func metadataOf(thread string, at *runs.Snapshot) map[string]any {
	out := map[string]any{"thread_id": thread}
	for name, value := range at.Metadata {
		out[name] = value
	}
	out["source"], out["step"], out["parents"], out["run_id"] = at.Source, at.Step, map[string]string{}, at.Run
	if at.Source == graph.SourceUpdate { // not made by a run
		delete(out, "run_id")
		delete(out, "assistant_id")
	}
	return out
}

// deltaOf turns an encoded update into an object of channels. Several additions to a channel become
// one list.
func deltaOf(update json.RawMessage) (json.RawMessage, error) {
	var writes []struct {
		Channel string
		Op      string
		Value   json.RawMessage
	}
	if len(update) > 0 {
		if err := json.Unmarshal(update, &writes); err != nil {
			return nil, err
		}
	}
	out := map[string]json.RawMessage{}
	for _, w := range writes {
		if w.Channel == "" || w.Value == nil {
			continue // a command, or an untracked value
		}
		var a, b []json.RawMessage
		if w.Op != "overwrite" && out[w.Channel] != nil && json.Unmarshal(out[w.Channel], &a) == nil && json.Unmarshal(w.Value, &b) == nil {
			both, err := json.Marshal(append(a, b...))
			if err != nil {
				return nil, err
			}
			w.Value = both
		}
		out[w.Channel] = w.Value
	}
	return json.Marshal(out)
}

// at returns the snapshot of a checkpoint.
func (c *call) at(p *checkpointJSON) (*runs.Snapshot, runs.Graph, error) {
	at, g, err := c.State(c.ctx(), c.thread(), p.ID)
	if err != nil || at == nil || p.Namespace == "" {
		return at, g, err
	}
	if p.ID != "" {
		if at, g, err = c.State(c.ctx(), c.thread(), ""); err != nil || at == nil { // the ID belongs to a subgraph
			return at, g, err
		}
	}
	for part := range strings.SplitSeq(p.Namespace, "|") {
		_, task, _ := strings.Cut(part, ":")
		if at, g, err = c.Inside(c.ctx(), at, g, strings.ReplaceAll(task, "-", "")); err != nil {
			return nil, g, err
		}
		if at == nil {
			return nil, g, &runs.NotFoundError{What: "checkpoint", ID: p.Namespace}
		}
	}
	return at, g, nil
}

func (c *call) giveState(p *checkpointJSON, nested bool) (any, error) {
	at, g, err := c.at(p)
	if err != nil {
		return nil, err
	}
	out, err := c.stateOf(c.thread(), at, g, p.Namespace, nested)
	return out, err
}

func (c *call) getState() (any, error) {
	return c.giveState(&checkpointJSON{ID: c.r.PathValue("checkpoint")}, c.flag("subgraphs"))
}

func (c *call) stateAtCheckpoint() (any, error) {
	var in struct {
		Subgraphs  bool            `json:"subgraphs"`
		Checkpoint *checkpointJSON `json:"checkpoint"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if in.Checkpoint == nil {
		in.Checkpoint = &checkpointJSON{}
	}
	return c.giveState(in.Checkpoint, in.Subgraphs)
}

// superstep holds the updates by hand of one superstep.
type superstep struct {
	Updates []handUpdate `json:"updates"`
}

// handUpdate is an update by hand.
type handUpdate struct {
	Values  json.RawMessage `json:"values"`
	Command *command        `json:"command"`
	As      string          `json:"as_node"`
}

// update makes updates by hand, and returns the new checkpoint's ID.
func (c *call) update(t runs.Thread, named, checkpoint string, steps []superstep) (string, error) {
	if t.Graph != "" {
		named = t.Graph
	}
	g, err := c.graphNamed(named)
	if err != nil {
		return "", err
	}
	var all [][]graph.AppUpdate
	for _, step := range steps {
		var updates []graph.AppUpdate
		for _, u := range step.Updates {
			data, err := u.Command.update(c, g, u.Values)
			if err != nil {
				return "", err
			}
			updates = append(updates, graph.AppUpdate{As: u.As, Update: data})
		}
		all = append(all, updates)
	}
	return c.UpdateState(c.ctx(), t.ID, named, checkpoint, all...)
}

func (c *call) updateState() (any, error) {
	var in struct {
		Values       json.RawMessage `json:"values"`
		As           string          `json:"as_node"`
		CheckpointID string          `json:"checkpoint_id"`
		Checkpoint   *checkpointJSON `json:"checkpoint"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	t, err := c.Thread(c.ctx(), c.thread())
	if err != nil {
		return nil, err
	}
	if in.Checkpoint != nil {
		if in.Checkpoint.Namespace != "" {
			return nil, refusal.New(http.StatusUnprocessableEntity, "checkpoint_ns is %q: only the root of a thread can be edited", in.Checkpoint.Namespace)
		}
		in.CheckpointID = in.Checkpoint.ID
	}
	step := superstep{[]handUpdate{{Values: in.Values, As: in.As}}}
	id, err := c.update(t, fieldOf(t.Metadata, "graph_id"), in.CheckpointID, []superstep{step})
	return map[string]checkpointJSON{"checkpoint": {Thread: t.ID, ID: id}}, err
}

func (c *call) getHistory() (any, error) {
	limit, err := c.number("limit", 10)
	if err != nil {
		return nil, err
	}
	return c.giveHistory(&graph.HistoryOptions{Limit: limit, Before: c.r.URL.Query().Get("before")})
}

func (c *call) postHistory() (any, error) {
	var in struct {
		Limit      *int              `json:"limit"`
		Before     json.RawMessage   `json:"before"`
		Metadata   map[string]string `json:"metadata"`
		Checkpoint *checkpointJSON   `json:"checkpoint"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	opts := &graph.HistoryOptions{Limit: 10}
	if in.Limit != nil {
		opts.Limit = *in.Limit
	}
	var before checkpointJSON
	var wrapped struct {
		Configurable checkpointJSON `json:"configurable"`
	}
	if len(in.Before) > 0 && json.Unmarshal(in.Before, &opts.Before) != nil {
		if err := json.Unmarshal(in.Before, &wrapped); err != nil {
			return nil, refusal.New(http.StatusUnprocessableEntity, "before must name a checkpoint")
		}
		if opts.Before = wrapped.Configurable.ID; opts.Before == "" && json.Unmarshal(in.Before, &before) == nil {
			opts.Before = before.ID
		}
	}
	if run := in.Metadata["run_id"]; run != "" {
		opts.Run = run
		delete(in.Metadata, "run_id")
	}
	if source := in.Metadata["source"]; source != "" {
		opts.Source = graph.Source(source)
		delete(in.Metadata, "source")
	}
	opts.Metadata = in.Metadata
	if in.Checkpoint != nil && in.Checkpoint.Namespace != "" {
		return nil, refusal.New(http.StatusUnprocessableEntity, "checkpoint_ns is %q: only the root of a thread has its history here", in.Checkpoint.Namespace)
	}
	return c.giveHistory(opts)
}

func (c *call) giveHistory(opts *graph.HistoryOptions) (any, error) {
	if opts.Limit < 0 || opts.Limit > 1000 {
		return nil, refusal.New(http.StatusUnprocessableEntity, "limit must be from 1 to 1000")
	}
	_, g, err := c.State(c.ctx(), c.thread(), "")
	if err != nil {
		return nil, err
	}
	out := []*stateJSON{}
	for at, err := range c.History(c.ctx(), c.thread(), opts) {
		if err != nil {
			return nil, err
		}
		one, err := c.stateOf(c.thread(), at, g, "", false)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}
