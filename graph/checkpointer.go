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
	// ErrCheckpointer is in the chain of a run's error when the checkpointer could not read or
	// save, even if a node returned that error. The graph itself did not fail: Resume continues
	// from the last saved checkpoint.
	ErrCheckpointer = errors.New("the checkpointer failed")
	// ErrThreadBusy reports that another run uses the thread.
	ErrThreadBusy = errors.New("thread is busy: another run of it is under way")
	// ErrStale reports that the thread has changed since the caller read it.
	ErrStale = errors.New("stale checkpoint: the thread has changed since it was read")
	// ErrNoCheckpoint reports that the checkpoint or the thread does not exist.
	ErrNoCheckpoint = errors.New("no such checkpoint")
)

// A Checkpointer stores threads: the checkpoints of their runs, and the records
// of tasks of unfinished supersteps. It knows neither graphs nor states; their
// Data is opaque.
//
// Any number of goroutines may use it, and several processes if they share the
// store. It does not change what it is given. Callers do not change what they
// pass or receive. Package graph/checkpoint/checkpointtest checks this
// contract.
//
// Strings are compared by bytes. All strings, also in metadata, are UTF-8
// without zero bytes; a call with another string fails. Data is any bytes.
// Times have microsecond precision and come back in UTC. An empty Data or
// Metadata may come back as nil. A call after its context has ended returns the
// context's error and does nothing.
type Checkpointer interface {
	// Lock makes the caller the only writer of a thread until it calls unlock.
	// It fails with ErrThreadBusy at once. A process that dies loses its locks.
	// Locks avoid duplicate work; Commit keeps a thread consistent.
	Lock(ctx context.Context, thread string) (unlock func(), err error)
	// Commit makes a change in one durable transaction, or not at all. A
	// cancelled run still saves its finished work: the context of its commits
	// ends 10 seconds after the run's own. After Commit the caller may reuse
	// the lists of the change, but not what they refer to.
	Commit(ctx context.Context, thread string, change Change) error
	// Load returns a checkpoint as its lineage, oldest first: a snapshot, the
	// deltas after it, and the checkpoint itself as the last element. It also
	// returns the checkpoint's records, sorted by task, kind and key. Without
	// an ID it loads the newest of the namespace. A missing checkpoint is
	// ErrNoCheckpoint.
	Load(ctx context.Context, key Key) (lineage []Checkpoint, records []Record, err error)
	// List yields checkpoints, newest first. It holds no lock during yield, so
	// the caller may use the checkpointer.
	List(ctx context.Context, query Query) iter.Seq2[Checkpoint, error]
	// Threads yields all threads, sorted by ID.
	Threads(ctx context.Context) iter.Seq2[Thread, error]
}

// A RecordReader is a Checkpointer that can return all records of a thread,
// sorted by namespace, checkpoint, task, kind and key. CopyThread and Prune use
// it, since Load reads a whole lineage for its records.
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

// A Checkpoint is a run between two supersteps.
type Checkpoint struct {
	Namespace string
	// ID is not empty, and unique in its thread and namespace. Later IDs are
	// greater strings.
	ID string
	// Parent is the ID of the previous checkpoint; empty for the first.
	Parent string
	// Base is the ID of the snapshot that the state is read from: an ancestor,
	// or the checkpoint itself. Never empty.
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
	SourceInput  Source = "input"  // a run's input, not merged yet
	SourceLoop   Source = "loop"   // a superstep
	SourceUpdate Source = "update" // UpdateState
	SourceFork   Source = "fork"   // a run from an earlier checkpoint, or Fork
)

// A Record is an outcome of one task of the superstep after a checkpoint. It is
// separate from checkpoints, since the superstep is unfinished.
type Record struct {
	Namespace  string
	Checkpoint string
	Task       string
	Kind       RecordKind
	Key        string // distinguishes records of one kind
	Data       []byte
}

// RecordKind says what a record holds.
type RecordKind string

const (
	RecordUpdate    RecordKind = "update"    // the task's update
	RecordError     RecordKind = "error"     // the task's failure
	RecordInterrupt RecordKind = "interrupt" // the task's interrupts
	RecordAnswer    RecordKind = "answer"    // an answer to an interrupt
	RecordOnce      RecordKind = "once"      // the result of a call of Once in the task
)

// A Change is a transaction on one thread. Its parts are applied in the order
// of the fields.
type Change struct {
	// Clear removes the whole thread, in every namespace.
	Clear bool
	// Remove removes checkpoints with their records, and ignores missing ones.
	// A key without an ID selects its whole namespace. The key's thread is
	// ignored.
	Remove []Key
	// Replace replaces checkpoints by ID; their records stay. A missing one
	// fails the change with ErrStale. Parent and Base are not checked, and
	// Remove does not check for dependent checkpoints: Load reports a gap.
	Replace []Checkpoint
	// Add adds checkpoints, each after the ones that it refers to. An existing
	// ID, or a missing Parent or Base, fails the change with ErrStale.
	Add []Checkpoint
	// Forget removes records.
	Forget []Forget
	// Records adds records. It replaces a record with the same namespace,
	// checkpoint, task, kind and key. A missing checkpoint fails the change
	// with ErrStale.
	Records []Record
}

// Forget selects a checkpoint's records of one kind.
type Forget struct {
	Namespace, Checkpoint string
	Kind                  RecordKind
}

// Query selects checkpoints of one thread.
type Query struct {
	Thread string
	// Namespace is ignored with All.
	Namespace string
	// All selects every namespace. Checkpoints are then sorted by namespace,
	// newest first within each.
	All bool
	// Before selects checkpoints older than this ID. Default: all.
	Before string
	// Parent selects the direct successors of this ID. Default: all.
	Parent string
	// Source selects checkpoints with this source. Default: all.
	Source Source
	// Run selects checkpoints of this run. Default: all.
	Run string
	// Metadata selects checkpoints with all these entries. Default: all.
	Metadata map[string]string
	// Limit bounds the number of checkpoints. Default: all.
	Limit int
}

// Matches reports whether the query selects a checkpoint. It ignores Thread and
// Limit.
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

// Thread describes a thread in a checkpointer. A thread has at least one
// checkpoint.
type Thread struct {
	ID          string
	Checkpoints int       // in all namespaces
	Updated     time.Time // the latest Time of them
}

// Lineage returns the checkpoints that the one with this ID is read from, from
// its Base to itself. Sorted holds the checkpoints of one namespace by ID.
// Checkpointers may use it in Load. A gap is an error.
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

// A checkpointerError wraps an error of a checkpointer and keeps its text.
type checkpointerError struct{ error }

func (e checkpointerError) Unwrap() error { return e.error }

// Is puts ErrCheckpointer into the chain.
func (e checkpointerError) Is(target error) bool { return target == ErrCheckpointer }

// ofCheckpointer marks err as a checkpointer's failure. ErrNoCheckpoint and ErrThreadBusy are
// answers, so they stay unmarked.
func ofCheckpointer(err error) error {
	if err == nil || errors.Is(err, ErrNoCheckpoint) || errors.Is(err, ErrThreadBusy) {
		return err
	}
	return checkpointerError{err}
}
