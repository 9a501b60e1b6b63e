package graph

import (
	"encoding/json"
	"slices"
	"time"
)

// Mode selects the events of a stream. Modes combine with |.
type Mode uint8

const (
	// Values reports the state after the input and after every superstep with
	// writes.
	Values Mode = 1 << iota
	// Updates reports each node's result at once.
	Updates
	// Custom reports the events of Emit.
	Custom
	// Tasks reports starts, retries, failures and handled failures of nodes.
	Tasks
	// Debug reports all of the above, and the start and end of runs and
	// supersteps.
	Debug
	// Tokens reports the texts of EmitToken. Debug leaves them out: they are
	// many, and the model's answer repeats them.
	Tokens
	// Checkpoints reports saved checkpoints.
	Checkpoints
)

// EventKind says what happened. Each comment begins with the mode that reports
// the kind.
type EventKind uint8

const (
	RunStart        EventKind = iota + 1 // Debug: a run begins; see Graph and Fingerprint
	StepStart                            // Debug: a superstep begins; Nodes will run
	NodeStart                            // Tasks: an attempt at a node begins
	NodeCustom                           // Custom: a node called Emit; Name and Data are its arguments
	NodeRetry                            // Tasks: an attempt failed with Err, and another will follow
	NodeUpdate                           // Updates: a node returned Update, or Data below the root
	NodeFailed                           // Tasks: a node failed for good with Err
	StateValue                           // Values: State, or Data below the root, after the input, after a superstep, or at an interrupt
	RunEnd                               // Debug: a run ended; see State, Nodes, Waiting, and Err after a failure
	NodeHandled                          // Tasks: a node failed for good with Err, and its handler takes over
	NodeToken                            // Tokens: a node called EmitToken; Text is its argument
	NodeStep                             // Updates: a call of Once returned; Name is its key and Data its result
	RunInterrupt                         // Updates: a run stopped for Interrupts, or at a breakpoint; Nodes are next
	CheckpointSaved                      // Checkpoints: the run was saved as Checkpoint, from Parent, by Source; Nodes are next
)

var kindNames = [...]string{"", "run_start", "step_start", "node_start", "custom", "node_retry", "node_update", "node_error", "values", "run_end", "node_handled", "token", "step", "interrupt", "checkpoint"}

// String returns the kind as traces write it, e.g. "node_update".
func (k EventKind) String() string { return nameOf(k, kindNames[:]) }

// KindNamed returns the kind with this name, or 0.
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

// Wants reports whether a stream of mode m reports events of kind k.
func (m Mode) Wants(k EventKind) bool {
	mode := k.mode()
	if mode != Tokens {
		mode |= Debug
	}
	return m&mode != 0
}

// A Place is an event's position in a run: a superstep and the position of a
// task in it. Task -1 is before all tasks of the superstep.
type Place struct {
	Step int `json:"step"`
	Task int `json:"task"`
}

// Event is one event of a run. Events arrive in the order in which they
// happened. Concurrent nodes interleave; Places tell their events apart.
type Event[S any] struct {
	Kind      EventKind
	Namespace string  // outer nodes, joined by "/"; empty at the root
	Places    []Place // outermost graph first
	tasks     taskNames
	Step      int // in the innermost graph: -1 for the input, 0 for Start, 1 for the first nodes
	Node      string
	Send      int // of a task: position among the superstep\'s Sends, 1 for the first; 0 when edges triggered the node
	Attempt   int // 1 for the first
	Time      time.Time
	Elapsed   time.Duration // of the node or run that ended

	Graph       string             // RunStart: the graph's name
	Fingerprint string             // RunStart: the graph's fingerprint
	Nodes       []string           // StepStart: nodes that will run; RunEnd and RunInterrupt: nodes that would be next
	Waiting     []string           // RunEnd: joins that still wait for a source
	Update      Update[S]          // NodeUpdate at the root
	State       S                  // StateValue and RunEnd at the root
	Cached      bool               // NodeUpdate: the node did not run; the update is a cache hit or a pending write
	Replayed    bool               // it happened in an earlier run; see RunOptions.Replay
	Name        string             // NodeCustom, NodeStep
	Text        string             // NodeToken
	Interrupts  []PendingInterrupt // RunInterrupt: interrupts without an answer; none at a breakpoint
	Checkpoint  string             // CheckpointSaved
	Parent      string             // CheckpointSaved
	Source      Source             // CheckpointSaved
	Data        json.RawMessage    // NodeCustom; NodeUpdate and StateValue below the root
	Err         error              // NodeRetry, NodeHandled, NodeFailed, RunEnd; also why Data could not be encoded
}

// UpdateJSON returns the update of a NodeUpdate event as JSON, at any depth.
func (e Event[S]) UpdateJSON() (json.RawMessage, error) {
	if e.Namespace != "" {
		return e.Data, e.Err
	}
	return appendUpdate(nil, e.Update.untyped(nil))
}

// foreign is an event that carries no value of a graph's types.
type foreign = Event[struct{}]

// taskNames are the IDs of an event's tasks.
type taskNames struct {
	ids []string // all IDs, or only those of the outer tasks; see own
	// own says that the event also has an innermost task, whose ID Tasks computes; see taskID.
	own              bool
	namespace, point string
}

// Tasks returns the IDs of the tasks at Places, as in TaskState. The list is shorter than Places
// when the last Place belongs to no task. It is empty when the run is not saved.
func (e Event[S]) Tasks() []string {
	if !e.tasks.own {
		return e.tasks.ids
	}
	own := taskID(e.tasks.namespace, e.tasks.point, e.Step, e.Node, e.Send)
	return append(slices.Clip(e.tasks.ids), own)
}

// An event is a foreign event with the values of its own graph.
type event struct {
	foreign
	update update
	state  any // must not change during the delivery
}

// eventOf makes the event for readers of a graph's stream.
func eventOf[S any](ev event) Event[S] {
	out := Event[S]{
		Kind: ev.Kind, Namespace: ev.Namespace, Places: ev.Places, tasks: ev.tasks, Step: ev.Step, Node: ev.Node, Send: ev.Send, Attempt: ev.Attempt,
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
