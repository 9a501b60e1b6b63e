package temporal

import (
	"encoding/json"
	"time"

	"example.com/assay/graph"
)

// DefaultQueue is the task queue of runs without one of their own.
const DefaultQueue = "assay"

// A Run is what a workflow runs: a turn of a graph on a thread.
type Run struct {
	Graph       string `json:"graph"`
	Fingerprint string `json:"fingerprint"` // of the caller's graph; empty accepts any
	// Config is passed to Find; at most BlobLimit bytes.
	Config map[string]string `json:"config,omitempty"`
	Thread string            `json:"thread"`
	// Input is an encoded graph.Update. Nil resumes the thread.
	Input    json.RawMessage   `json:"-"`
	Metadata map[string]string `json:"metadata,omitempty"` // of the checkpoints
	// RecursionLimit bounds the supersteps of a stretch. Default: the graph's.
	RecursionLimit int `json:"recursion_limit,omitempty"`
}

// A Reply answers an interrupt.
type Reply struct {
	ID    string
	Value json.RawMessage
}

// A Phase is where a run stands.
type Phase string

const (
	Running   Phase = "running"
	Waiting   Phase = "waiting"   // for answers, or at a breakpoint
	Ended     Phase = "ended"     // the thread has the result
	Failed    Phase = "failed"    // see Status.Error
	Cancelled Phase = "cancelled" // by Cancel, or from outside
)

// A Status is where a run stands. The state of its graph is on its thread.
type Status struct {
	Graph   string                   `json:"graph"`
	Thread  string                   `json:"thread"`
	RunID   string                   `json:"run_id"` // also of its checkpoints
	Phase   Phase                    `json:"phase"`
	Pending []graph.PendingInterrupt `json:"pending,omitempty"` // of a run that waits; none at a breakpoint
	Next    []string                 `json:"next,omitempty"`    // nodes that run next, of a run that waits
	Error   string                   `json:"error,omitempty"`
	Kind    string                   `json:"kind,omitempty"` // of the failure; see WorkerOptions.Kind
	// Metadata is Run.Metadata.
	Metadata map[string]string `json:"metadata,omitempty"`
	Began    time.Time         `json:"began"`
	Ended    time.Time         `json:"ended,omitzero"`
}

// begun is the argument of a workflow.
type begun struct {
	Run
	Input *payload `json:"input,omitempty"`
}

// stretch is the argument of an activity that runs a graph until it asks or ends.
type stretch struct {
	begun
	RunID   string  `json:"run_id"`
	Answers []reply `json:"answers,omitempty"` // since the last stretch
}

// reply is a Reply in a history.
type reply struct {
	ID    string  `json:"id"`
	Value payload `json:"value"`
}

// stop is the result of a stretch.
type stop struct {
	Asks    bool       `json:"asks,omitempty"` // it waits for answers, or at a breakpoint
	Pending []question `json:"pending,omitempty"`
	Next    []string   `json:"next,omitempty"`
}

// question is a pending interrupt in a history.
type question struct {
	graph.PendingInterrupt
	Payload payload `json:"payload"`
}

// at is the answer to the query for a run's status.
type at struct {
	Waiting bool       `json:"waiting"`
	Pending []question `json:"pending,omitempty"`
	Next    []string   `json:"next,omitempty"`
}

// Names that the package registers. Histories keep them for ever.
const (
	workflowRun   = "assay.run"
	workflowTasks = "assay.tasks"
	activityRun   = "assay.stretch"
	activityTask  = "assay.remote_task"
	updateAnswer  = "answer"
	queryStatus   = "status"
	signalAdd     = "add"
	signalDrop    = "drop"
	signalDone    = "done"
	updateTake    = "take"
	blobNamespace = "temporal"
)

// memoMetadata is the key of the memo with a run's metadata.
const memoMetadata = "metadata"

// Search attributes of a run.
const (
	AttributeGraph = "AssayGraph"
	AttributePhase = "AssayPhase"
)
