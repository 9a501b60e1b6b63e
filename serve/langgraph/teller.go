package langgraph

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// A toldEvent is an event of a thread's stream, in the clients' format.
type toldEvent struct {
	Type   string     `json:"type"` // "event"
	ID     string     `json:"event_id"`
	Seq    int64      `json:"seq"`
	Method string     `json:"method"`
	Params toldParams `json:"params"`
}

type toldParams struct {
	Namespace []string `json:"namespace"` // the tasks around the graph, as "node:task"
	Time      int64    `json:"timestamp"` // in milliseconds
	Node      string   `json:"node,omitempty"`
	Data      any      `json:"data"`
}

// A position is the place of an event among all events of its thread: the number of the run, the
// event in its log, and a part of that event.
type position struct {
	run   int
	event int64
	part  int
}

// A position is one number below 2^53, the largest exact integer of JavaScript.
const (
	partBits  = 14
	eventBits = 23
	maxPart   = 1<<partBits - 1
	maxRun    = 1<<(53-eventBits-partBits) - 1
)

func (p position) seq() (int64, error) {
	if p.run > maxRun || p.event >= 1<<eventBits || p.part > maxPart {
		return 0, refusal.New(http.StatusInsufficientStorage, "the thread is too long for this protocol: its run %d, event %d, part %d; begin another thread", p.run, p.event, p.part)
	}
	return int64(p.run)<<(eventBits+partBits) | p.event<<partBits | int64(p.part), nil
}

// runAt returns the number of the run that a seq belongs to.
func runAt(seq int64) int { return int(seq >> (eventBits + partBits)) }

// A teller makes the events of the second protocol from a run's events: from the frames of the
// first protocol, with messages and the status of each graph. It must see all events of the run, in
// order.
type teller struct {
	m       *mapper
	run     runs.Run
	status  string          // of the run
	graphs  []*standing     // graphs inside nodes, in the order of their start
	asked   map[string]bool // IDs of reported interrupts
	speech  map[string]*speech
	said    map[string]bool // IDs of reported messages
	last    int64           // the last event of the log
	now     time.Time
	telling []toldEvent
}

// A standing is the status of a graph.
type standing struct {
	namespace []string
	status    string
}

func (c *call) teller(r runs.Run) (*teller, error) {
	shows := modes{}
	for _, name := range told {
		shows[name] = true
	}
	m, err := c.mapper(r, shows, true)
	return &teller{m: m, run: r, asked: map[string]bool{}, speech: map[string]*speech{}, said: map[string]bool{}, now: r.Created, status: "running"}, err
}

func (t *teller) add(method string, namespace []string, node string, data any) {
	if namespace == nil {
		namespace = []string{}
	}
	t.begun(namespace)
	t.telling = append(t.telling, toldEvent{"event", "", 0, method, toldParams{namespace, t.now.UnixMilli(), node, data}})
}

// numbered returns the parts of an event of the log, with their numbers.
func (t *teller) numbered(event int64) ([]toldEvent, error) {
	out := t.telling
	t.telling, t.last = nil, event
	for i := range out {
		seq, err := position{t.run.Number, event, i}.seq()
		if err != nil {
			return nil, err
		}
		out[i].Seq, out[i].ID = seq, strconv.FormatInt(seq, 10)
	}
	return out, nil
}

// lifecycle reports the status of a graph.
func (t *teller) lifecycle(namespace []string, status, failure string) {
	name := t.run.Graph
	if n := len(namespace); n > 0 {
		name, _, _ = strings.Cut(namespace[n-1], ":")
	}
	data := map[string]any{"event": status, "graph_name": name}
	if failure != "" {
		data["error"] = failure
	}
	t.add("lifecycle", namespace, "", data)
}

// begun reports that graphs inside nodes have begun, before the first event inside them.
func (t *teller) begun(namespace []string) {
	for n := 1; n <= len(namespace); n++ {
		if t.standing(namespace[:n]) == nil {
			t.graphs = append(t.graphs, &standing{slices.Clone(namespace[:n]), "started"})
			t.lifecycle(namespace[:n], "started", "")
		}
	}
}

func (t *teller) standing(namespace []string) *standing {
	for _, s := range t.graphs {
		if slices.Equal(s.namespace, namespace) {
			return s
		}
	}
	return nil
}

// ends reports that a graph inside a node has ended.
func (t *teller) ends(s *standing, status string) {
	if s != nil && s.status == "started" {
		s.status = status
		t.lifecycle(s.namespace, status, "")
	}
}

// begin reports that the run continues, and which interrupts it answers.
func (t *teller) begin() ([]toldEvent, error) {
	t.lifecycle(nil, t.status, "")
	ids := slices.Sorted(maps.Keys(answersOf(t.run)))
	if len(ids) > 0 && ids[0] != "" { // an empty ID answers the only interrupt
		t.add("input.answered", nil, "", map[string]any{"interrupt_ids": ids})
	}
	return t.numbered(0)
}

// answersOf returns the answers that a run began with; see command.answers.
func answersOf(r runs.Run) map[string]json.RawMessage { return keptOf(r).Command.answers() }

// keptOf returns the request that began a run. It is empty if another protocol began it.
func keptOf(r runs.Run) (in runRequest) {
	if json.Unmarshal(r.Kept, &in) != nil {
		return runRequest{}
	}
	return in
}

// tell reports an event of the run's log.
func (t *teller) tell(ev runs.Event) ([]toldEvent, error) {
	t.now = ev.Time
	switch ev.Kind {
	case graph.NodeToken.String():
		t.token(ev)
	case graph.NodeUpdate.String():
		if err := t.messages(ev); err != nil {
			return nil, err
		}
	}
	frames, err := t.m.frames(ev)
	if err != nil {
		return nil, err
	}
	for _, f := range frames {
		if err := t.frame(f); err != nil {
			return nil, err
		}
	}
	return t.numbered(ev.Seq)
}

// frame reports a frame of the first protocol.
func (t *teller) frame(f frame) error {
	mode, around, nested := strings.Cut(f.event, "|")
	var namespace []string
	if nested {
		namespace = strings.Split(around, "|")
	}
	var fields map[string]json.RawMessage
	if mode != "metadata" {
		if err := json.Unmarshal(f.data, &fields); err != nil {
			return fmt.Errorf("telling %s: %w", f.event, err)
		}
	}
	asks := fields["__interrupt__"]
	switch {
	case asks != nil:
		return t.asks(namespace, asks)
	case mode == "values", mode == "checkpoints":
		t.add(mode, namespace, "", f.data)
	case mode == "updates":
		for node, delta := range fields {
			t.add(mode, namespace, node, delta)
		}
	case mode == "custom":
		t.add(mode, namespace, "", map[string]json.RawMessage{"name": fields["name"], "payload": fields["data"]})
	case mode == "tasks":
		t.add(mode, namespace, "", f.data)
		if _, over := fields["result"]; over {
			own := fieldOf(f.data, "name") + ":" + fieldOf(f.data, "id")
			t.ends(t.standing(append(slices.Clip(namespace), own)), "completed")
		}
	}
	return nil
}

// asks reports a run's interrupts, each once.
func (t *teller) asks(namespace []string, data json.RawMessage) error {
	var list []interruptJSON
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, p := range list {
		if !t.asked[p.ID] {
			t.asked[p.ID] = true
			t.add("input.requested", namespace, "", map[string]any{"interrupt_id": p.ID, "payload": p.Value})
		}
	}
	return nil
}

// end reports how the run has ended.
func (t *teller) end(r runs.Run) ([]toldEvent, error) {
	t.run, t.now = r, r.Updated
	inside := "completed"
	switch {
	case r.Status == runs.Errored, r.Status == runs.TimedOut:
		t.status, inside = "failed", "failed"
	case r.Status == runs.Cancelled, len(t.asked) > 0:
		t.status = "interrupted"
	default:
		t.status = "completed"
	}
	for _, s := range t.graphs {
		t.ends(s, inside)
	}
	t.lifecycle(nil, t.status, r.Error)
	return t.numbered(t.last + 1)
}

// treeJSON is a graph with the graphs inside its nodes.
type treeJSON struct {
	Namespace []string   `json:"namespace"`
	Status    string     `json:"status"`
	Graph     string     `json:"graph_name"`
	Children  []treeJSON `json:"children,omitempty"`
}

func (t *teller) tree() treeJSON {
	root := treeJSON{Namespace: []string{}, Status: t.status, Graph: t.run.Graph}
	t.grow(&root)
	return root
}

// at returns the tree of a graph below.
func (tree treeJSON) at(namespace []string) (treeJSON, bool) {
	if slices.Equal(tree.Namespace, namespace) {
		return tree, true
	}
	for _, child := range tree.Children {
		if found, ok := child.at(namespace); ok {
			return found, true
		}
	}
	return treeJSON{}, false
}

func (t *teller) grow(at *treeJSON) {
	for _, s := range t.graphs {
		if n := len(at.Namespace); len(s.namespace) == n+1 && slices.Equal(s.namespace[:n], at.Namespace) {
			name, _, _ := strings.Cut(s.namespace[n], ":")
			child := treeJSON{Namespace: s.namespace, Status: s.status, Graph: name}
			t.grow(&child)
			at.Children = append(at.Children, child)
		}
	}
}
