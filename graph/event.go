package graph

import (
	"encoding/json"
	"slices"
	"time"
)

// Mode selects what a stream reports; modes combine with |.
type Mode uint8

const (
	// Values reports the state after the input and after every superstep that
	// wrote something.
	Values Mode = 1 << iota
	// Updates reports what each node returned, as soon as it did.
	Updates
	// Custom reports what nodes publish with Emit.
	Custom
	// Tasks reports the start, retry, failure and rescue of nodes.
	Tasks
	// Debug reports all of the above and the borders of runs and supersteps.
	Debug
	// Tokens reports what nodes publish with EmitToken: a model's text as it is
	// written. Debug does not include it, since there are many, and the whole text
	// comes with the model's answer.
	Tokens
	// Checkpoints reports what is saved.
	Checkpoints
)

// EventKind is what an event is about. The mode that reports it stands in
// front of what it means.
type EventKind uint8

const (
	RunStart        EventKind = iota + 1 // Debug: a run begins; Graph and Fingerprint say of what
	StepStart                            // Debug: a superstep begins; Nodes will run
	NodeStart                            // Tasks: an attempt at a node begins
	NodeCustom                           // Custom: a node called Emit; Name and Data are its arguments
	NodeRetry                            // Tasks: an attempt failed with Err and another will follow
	NodeUpdate                           // Updates: a node returned; Update, or Data below the root, is what
	NodeFailed                           // Tasks: a node failed for good with Err
	StateValue                           // Values: the state after the input or a superstep, or when a run stops to ask; State, or Data below the root
	RunEnd                               // Debug: a run is over; State, Nodes, Waiting, and Err when it failed
	NodeHandled                          // Tasks: a node failed for good with Err, and its handler takes over
	NodeToken                            // Tokens: a node called EmitToken; Text is its argument
	NodeStep                             // Updates: a call of Once inside a node returned; Name is its key and Data its result
	RunInterrupt                         // Updates: a run stops for Interrupts, or at a breakpoint; Nodes would be next
	CheckpointSaved                      // Checkpoints: what the run is now was saved, as Checkpoint, from Parent, by Source; Nodes are next
)

var kindNames = [...]string{"", "run_start", "step_start", "node_start", "custom", "node_retry", "node_update", "node_error", "values", "run_end", "node_handled", "token", "step", "interrupt", "checkpoint"}

// String returns the kind as traces write it, e.g. "node_update".
func (k EventKind) String() string { return nameOf(k, kindNames[:]) }

// KindNamed is the kind that String writes so, or 0.
func KindNamed(name string) EventKind { return EventKind(max(0, slices.Index(kindNames[:], name))) }

func (k EventKind) mode() Mode {
	switch k {
	case NodeStart, NodeRetry, NodeFailed, NodeHandled:
		return Tasks
	case NodeCustom:
		return Custom
	case NodeUpdate, NodeStep, RunInterrupt:
		return Updates
	case CheckpointSaved:
		return Checkpoints
	case StateValue:
		return Values
	case NodeToken:
		return Tokens
	}
	return Debug
}

// wants reports whether a stream of mode m reports events of kind k.
func (m Mode) wants(k EventKind) bool {
	mode := k.mode()
	if mode != Tokens {
		mode |= Debug
	}
	return m&mode != 0
}

// A Place is where in a run an event belongs: a superstep and, within it, the
// position of a task; -1 stands before all tasks of the step.
type Place struct {
	Step int `json:"step"`
	Task int `json:"task"`
}

// Event is one thing that happened in a run. Events arrive in the order in
// which things happened; nodes that run side by side interleave, and Places
// tells which of them an event belongs to.
type Event[S any] struct {
	Kind      EventKind
	Namespace string  // nodes whose subgraphs enclose the event, joined by "/"; empty at the root
	Places    []Place // outermost graph first
	Step      int     // superstep in the innermost graph: -1 for the input, 0 for Start, 1 for the first nodes
	Node      string
	Attempt   int // 1 for the first
	Time      time.Time
	Elapsed   time.Duration // of the node or run that ended

	Graph       string             // RunStart: the graph's name
	Fingerprint string             // RunStart: the graph's fingerprint
	Nodes       []string           // StepStart: nodes that will run; RunEnd: those that would have been next
	Waiting     []string           // RunEnd: joins that still wait for a source
	Update      Update[S]          // NodeUpdate at the root
	State       S                  // StateValue and RunEnd at the root
	Cached      bool               // NodeUpdate: the node did not run; the update comes from its cache or, when a thread is resumed, from the record
	Replayed    bool               // what happened in an earlier run is told again; see RunOptions.Replay
	Name        string             // NodeCustom, NodeStep
	Text        string             // NodeToken
	Interrupts  []PendingInterrupt // RunInterrupt: what waits for answers; none at a breakpoint
	Checkpoint  string             // CheckpointSaved
	Parent      string             // CheckpointSaved
	Source      Source             // CheckpointSaved
	Data        json.RawMessage    // NodeCustom; NodeUpdate and StateValue below the root
	Err         error              // NodeRetry, NodeHandled, NodeFailed, RunEnd; why Data is missing, when it could not be encoded
}

// UpdateJSON returns the update of a NodeUpdate event as JSON, wherever in the
// graph it happened.
func (e Event[S]) UpdateJSON() (json.RawMessage, error) {
	if e.Namespace != "" {
		return e.Data, e.Err
	}
	return appendUpdate(nil, e.Update.untyped(nil))
}

// foreign is an event without the types of a graph.
type foreign = Event[struct{}]

// An event is a foreign one with what is typed by its own graph.
type event struct {
	foreign
	update update
	state  any // nobody changes it while the event is delivered
}

// eventOf is an event as the readers of a graph's stream get it.
func eventOf[S any](ev event) Event[S] {
	out := Event[S]{
		Kind: ev.Kind, Namespace: ev.Namespace, Places: ev.Places, Step: ev.Step, Node: ev.Node, Attempt: ev.Attempt,
		Time: ev.Time, Elapsed: ev.Elapsed, Graph: ev.Graph, Fingerprint: ev.Fingerprint,
		Nodes: ev.Nodes, Waiting: ev.Waiting, Update: typed[S](ev.update), Cached: ev.Cached, Replayed: ev.Replayed,
		Name: ev.Name, Text: ev.Text, Data: ev.Data, Err: ev.Err,
		Interrupts: ev.Interrupts, Checkpoint: ev.Checkpoint, Parent: ev.Parent, Source: ev.Source,
	}
	if ev.state != nil {
		out.State = *ev.state.(*S)
	}
	return out
}
