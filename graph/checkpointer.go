package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

var (
	// ErrThreadBusy is a run of a thread that another run has not let go yet.
	ErrThreadBusy = errors.New("thread is busy: another run of it is under way")
	// ErrStale is a change to a thread that has changed since it was read.
	ErrStale = errors.New("stale checkpoint: the thread has changed since it was read")
	// ErrNoCheckpoint is a checkpoint or a thread that does not exist.
	ErrNoCheckpoint = errors.New("no such checkpoint")
)

// A Checkpointer keeps threads: for each of them the checkpoints of its runs,
// and what the tasks of an unfinished superstep have come to so far. It knows
// nothing of graphs and states; what it keeps of them is Data that graph wrote.
//
// Any number of goroutines may use it, and of processes, if the store is one
// that processes share. What a caller hands over it does not change
// afterwards, and neither does it change what it is given. The package
// graph/checkpoint/checkpointtest checks all that is said here.
//
// Strings are compared by their bytes. All of them, metadata too, are UTF-8
// without zero bytes, which not every store can hold: a call that is given
// another one fails. Data is any bytes. Times are kept to the microsecond and
// come back in UTC; an empty Data or Metadata may come back as nil. A call whose
// context has ended before it fails with the context's error and does nothing.
type Checkpointer interface {
	// Lock makes the caller the only writer of a thread until it calls unlock,
	// or fails with ErrThreadBusy at once. A process that dies lets go. Locks
	// keep two runs from doing the same work; what keeps a thread whole is
	// Commit.
	Lock(ctx context.Context, thread string) (unlock func(), err error)
	// Commit makes a change in one transaction: all of it, durably, or nothing.
	// What a run has done is saved also when it is made to stop: the context of
	// its commits ends 10 seconds after the run's own.
	// The lists of the change, not what they refer to, are the caller's again when
	// Commit returns.
	Commit(ctx context.Context, thread string, change Change) error
	// Load returns a checkpoint: the last element of its lineage, which holds all
	// that its state is made of, oldest first, beginning with a snapshot; and its
	// records, sorted by task, kind and key. Without an ID it is the newest of
	// the namespace. When there is none the error is ErrNoCheckpoint.
	Load(ctx context.Context, key Key) (lineage []Checkpoint, records []Record, err error)
	// List yields checkpoints, newest first. It holds no lock while the caller
	// looks at one, so that the caller may use the checkpointer meanwhile.
	List(ctx context.Context, query Query) iter.Seq2[Checkpoint, error]
	// Threads yields all threads, sorted by ID.
	Threads(ctx context.Context) iter.Seq2[Thread, error]
}

// A RecordReader is a Checkpointer that returns all records of a thread at once,
// sorted by namespace, checkpoint, task, kind and key. CopyThread and Prune ask
// it: Load reads a checkpoint's whole lineage along with its records.
type RecordReader interface {
	Checkpointer
	Records(ctx context.Context, thread string) ([]Record, error)
}

// A Key names a checkpoint. The root graph's namespace is empty.
type Key struct{ Thread, Namespace, ID string }

// String returns the key as errors write it.
func (k Key) String() string {
	s := fmt.Sprintf("thread %q", k.Thread)
	if k.Namespace != "" {
		s += fmt.Sprintf(", namespace %q", k.Namespace)
	}
	if k.ID != "" {
		s += ", checkpoint " + k.ID
	}
	return s
}

// A Checkpoint is what a run was between two supersteps.
type Checkpoint struct {
	Namespace string
	// ID is unique in its thread and namespace, and not empty. Later ones are
	// greater strings.
	ID string
	// Parent is the ID of the checkpoint that it came from; the first has none.
	Parent string
	// Base is the ID of the ancestor that its state is read from, going down from
	// there; its own for a snapshot, which holds the whole state. Never empty.
	Base        string
	Source      Source
	Step        int // superstep: -1 for a thread's first input
	Time        time.Time
	Run         string // the run that made it
	Graph       string // its name
	Fingerprint string
	Version     int // of the state: CompileOptions.Version
	Metadata    map[string]string
	Data        []byte
}

// Source says what made a checkpoint.
type Source string

const (
	SourceInput  Source = "input"  // the input of a run, not merged yet
	SourceLoop   Source = "loop"   // a superstep
	SourceUpdate Source = "update" // UpdateState
	SourceFork   Source = "fork"   // a run that began at an earlier checkpoint, or Fork
)

// A Record is what one task of the superstep after a checkpoint has come to,
// kept apart from checkpoints because the superstep is not finished.
type Record struct {
	Namespace  string
	Checkpoint string
	Task       string
	Kind       RecordKind
	Key        string // tells several of one kind apart
	Data       []byte
}

// RecordKind says what a record is of.
type RecordKind string

const (
	RecordUpdate    RecordKind = "update"    // the task returned this
	RecordError     RecordKind = "error"     // the task failed with this
	RecordInterrupt RecordKind = "interrupt" // the task waits for answers to these
	RecordAnswer    RecordKind = "answer"    // the answer to an interrupt
	RecordOnce      RecordKind = "once"      // what a recorded call inside the task returned
)

// A Change is a transaction on one thread. Its parts are made in the order of
// the fields.
type Change struct {
	// Clear removes all that the thread has, in every namespace.
	Clear bool
	// Remove removes checkpoints, with their records. Those that do not exist
	// are passed over. A key without an ID is all of its namespace; the thread
	// is that of the change.
	Remove []Key
	// Replace puts checkpoints in the place of those with their IDs, which keep
	// their records. One that does not exist makes the change fail with ErrStale.
	// Parent and Base are not checked, nor does Remove look for what is read from
	// what it removes: Load reports a gap.
	Replace []Checkpoint
	// Add adds checkpoints. An ID that exists, or a Parent or Base that does not,
	// makes the change fail with ErrStale. It may refer to one before it.
	Add []Checkpoint
	// Forget removes records.
	Forget []Forget
	// Records adds records; one that exists with the same namespace, checkpoint,
	// task, kind and key is replaced. One whose checkpoint does not exist makes
	// the change fail with ErrStale.
	Records []Record
}

// Forget selects the records of one kind that a checkpoint has.
type Forget struct {
	Namespace, Checkpoint string
	Kind                  RecordKind
}

// Query selects checkpoints of one thread.
type Query struct {
	Thread string
	// Namespace is ignored with All.
	Namespace string
	// All selects every namespace. Then checkpoints are sorted by namespace
	// first, and newest first within it.
	All bool
	// Before selects those older than this ID. Default: all.
	Before string
	// Parent selects those that came from this ID. Default: all.
	Parent string
	// Source selects those that this made. Default: all.
	Source Source
	// Run selects those that this run made. Default: all.
	Run string
	// Metadata selects those that have all of it. Default: all.
	Metadata map[string]string
	// Limit is how many are yielded at most. Default: all.
	Limit int
}

// Matches reports whether a checkpoint is selected, but for Thread and Limit.
func (q Query) Matches(c Checkpoint) bool {
	switch {
	case !q.All && c.Namespace != q.Namespace,
		q.Before != "" && c.ID >= q.Before,
		q.Parent != "" && c.Parent != q.Parent,
		q.Source != "" && c.Source != q.Source,
		q.Run != "" && c.Run != q.Run:
		return false
	}
	for k, v := range q.Metadata {
		if got, ok := c.Metadata[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// Thread is what a checkpointer knows of a thread. One without checkpoints does
// not exist.
type Thread struct {
	ID          string
	Checkpoints int       // in all namespaces
	Updated     time.Time // the latest Time of them
}

// Lineage picks from the checkpoints of one namespace, sorted by ID, those that
// the one with this ID is read from: from its Base down to itself. Checkpointers
// may use it in Load. A lineage with a gap is an error.
func Lineage(sorted []Checkpoint, id string) ([]Checkpoint, error) {
	var out []Checkpoint
	base := ""
	for i := len(sorted) - 1; i >= 0; i-- {
		c := sorted[i]
		if c.ID != id {
			continue
		}
		if out = append(out, c); base == "" {
			base = c.Base
		}
		if c.ID == base {
			slices.Reverse(out)
			return out, nil
		}
		id = c.Parent
	}
	if len(out) == 0 {
		return nil, ErrNoCheckpoint
	}
	return nil, fmt.Errorf("checkpoint %s is read from %s, and %s between them is missing", out[0].ID, base, id)
}
