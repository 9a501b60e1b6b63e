package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// An EventRecord is an Event as JSON, for other processes and for readers that do not
// know the type of the state. Its fields are those of Event.
type EventRecord struct {
	Kind        string             `json:"kind"`
	Namespace   string             `json:"ns,omitempty"`
	Places      []Place            `json:"at,omitempty"`
	Tasks       []string           `json:"tasks,omitempty"`
	Step        int                `json:"step"`
	Node        string             `json:"node,omitempty"`
	Send        int                `json:"send,omitempty"`
	Attempt     int                `json:"attempt,omitempty"`
	Time        time.Time          `json:"time"`
	Elapsed     time.Duration      `json:"elapsed_ns,omitempty"`
	Graph       string             `json:"graph,omitempty"`
	Fingerprint string             `json:"fingerprint,omitempty"`
	Nodes       []string           `json:"nodes,omitempty"`
	Waiting     []string           `json:"waiting,omitempty"`
	Update      json.RawMessage    `json:"update,omitempty"` // at the root, as Update.MarshalJSON writes it; a subgraph's is in Data
	State       json.RawMessage    `json:"state,omitempty"`
	Cached      bool               `json:"cached,omitempty"`
	Replayed    bool               `json:"replayed,omitempty"`
	Name        string             `json:"name,omitempty"`
	Text        string             `json:"text,omitempty"`
	Interrupts  []PendingInterrupt `json:"interrupts,omitempty"`
	Checkpoint  string             `json:"checkpoint,omitempty"`
	Parent      string             `json:"parent,omitempty"`
	Source      Source             `json:"source,omitempty"`
	Data        json.RawMessage    `json:"data,omitempty"`
	Error       string             `json:"error,omitempty"` // the text of Err
}

// Record returns the event as a record.
func (e Event[S]) Record() (EventRecord, error) {
	out := EventRecord{
		Kind: e.Kind.String(), Namespace: e.Namespace, Places: e.Places, Tasks: e.Tasks(), Step: e.Step, Node: e.Node, Send: e.Send, Attempt: e.Attempt,
		Time: e.Time, Elapsed: e.Elapsed, Graph: e.Graph, Fingerprint: e.Fingerprint, Nodes: e.Nodes, Waiting: e.Waiting,
		Cached: e.Cached, Replayed: e.Replayed, Name: e.Name, Text: e.Text, Interrupts: e.Interrupts,
		Checkpoint: e.Checkpoint, Parent: e.Parent, Source: e.Source, Data: e.Data,
	}
	if e.Err != nil {
		out.Error = e.Err.Error()
	}
	var err error
	root := e.Namespace == ""
	if root && e.Kind == NodeUpdate {
		if out.Update, err = e.UpdateJSON(); err != nil {
			return out, fmt.Errorf("encoding the update of node %q: %w", e.Node, err)
		}
	}
	if root && (e.Kind == StateValue || e.Kind == RunEnd) {
		if out.State, err = encode(&e.State); err != nil {
			return out, fmt.Errorf("encoding a state: %w", err)
		}
	}
	return out, nil
}

// MarshalJSON encodes the event's record, which Compiled.DecodeEvent reads in another
// process.
func (e Event[S]) MarshalJSON() ([]byte, error) {
	out, err := e.Record()
	if err != nil {
		return nil, err
	}
	return encode(&out)
}

// DecodeEvent reads an event of this graph that another process encoded. Writes to
// Untracked channels are gone.
func (c *Compiled[S]) DecodeEvent(data []byte) (Event[S], error) {
	return decodeEvent[S](c.plain, data)
}

// DecodeEvent is Compiled.DecodeEvent.
func (a App) DecodeEvent(data []byte) (Event[json.RawMessage], error) {
	return decodeEvent[json.RawMessage](a.plain, data)
}

func decodeEvent[S any](p *program, data []byte) (Event[S], error) {
	var in EventRecord
	if err := decodeInto(data, &in); err != nil {
		return Event[S]{}, fmt.Errorf("reading an event: %w", err)
	}
	out := Event[S]{
		Kind: KindNamed(in.Kind), Namespace: in.Namespace, Places: in.Places, tasks: taskNames{ids: in.Tasks}, Step: in.Step, Node: in.Node, Send: in.Send, Attempt: in.Attempt,
		Time: in.Time, Elapsed: in.Elapsed, Graph: in.Graph, Fingerprint: in.Fingerprint, Nodes: in.Nodes, Waiting: in.Waiting,
		Cached: in.Cached, Replayed: in.Replayed, Name: in.Name, Text: in.Text, Interrupts: in.Interrupts,
		Checkpoint: in.Checkpoint, Parent: in.Parent, Source: in.Source, Data: in.Data,
	}
	if out.Kind == 0 {
		return out, fmt.Errorf("reading an event: its kind is %q", in.Kind)
	}
	if in.Error != "" {
		out.Err = errors.New(in.Error)
	}
	if in.Update != nil {
		u, err := p.decodeUpdate(in.Update)
		if err != nil {
			return out, fmt.Errorf("reading the update of node %q: %w", in.Node, err)
		}
		out.Update = typed[S](u)
	}
	if in.State != nil {
		if err := decodeInto(in.State, &out.State); err != nil {
			return out, fmt.Errorf("reading a state: %w", err)
		}
	}
	return out, nil
}
