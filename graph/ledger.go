package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A ledger is where a run is saved, and how far that has come: one namespace of
// a thread. It gives checkpoints their IDs and makes changes, and commits
// nothing.
type ledger struct {
	thread    string
	namespace string
	owner     string // the task of the graph around it
	mode      Durability
	stamp     Checkpoint // what all checkpoints of the run have in common

	id       string // of the checkpoint that the run stands on; to come when it is unsaved
	newest   string // of the namespace
	base     string // of the lineage
	baseSize int    // bytes of the snapshot
	size     int    // bytes since then, with it
	unsaved  bool   // DurabilityExit: the run is ahead of what is saved
	parent   string // what it is ahead of
	halts    bool   // the run stops at a breakpoint behind its next checkpoint
	flat     bool   // the checkpoint numbers keys as format 1 did

	last     int               // bytes of the last checkpoint
	children map[string]string // newest checkpoints of subgraphs that keep their state
	left     []Record          // what tasks of the current superstep left on record, from before
	done     bool              // tasks of the current superstep put their updates on record
	claims   map[string]string // tasks of the current superstep by the subgraphs that keep their state in them
	atExit   []Record          // DurabilityExit: records of the current superstep

	single [1]Checkpoint // of a change, used again when it is saved; a stamp with more
	change Change
}

// snapshotMin is how many bytes of changes a lineage may always have. Beyond
// it a snapshot is made when the changes are as large as the last one, so that
// all snapshots together are about as large as all changes.
const snapshotMin = 4096

func (l *ledger) snapshotDue() bool {
	return l.base == "" || l.size-l.baseSize > max(l.baseSize, snapshotMin)
}

// stampWith sets what all checkpoints of the run have in common.
func (l *ledger) stampWith(c Checkpoint) {
	c.Namespace = l.namespace
	l.stamp, l.single[0] = c, c
}

// following returns the ID after one.
func following(id string) (string, error) {
	n := 0
	if id != "" {
		var err error
		if n, err = strconv.Atoi(id); err != nil || n < 1 {
			return "", fmt.Errorf("checkpoint %q was not made by this package: its ID is no number", id)
		}
	}
	digits := []byte("0000000000")
	for n, at := n+1, len(digits)-1; n > 0; n, at = n/10, at-1 {
		if at < 0 {
			return "", fmt.Errorf("checkpoint %s is the last that a thread can have", id)
		}
		digits[at] = byte('0' + n%10)
	}
	return string(digits), nil
}

// add makes the change that adds a checkpoint behind the one that the run stands
// on, and stands on it. The change is good until the next one. Whoever commits
// it sets the time.
func (l *ledger) add(source Source, step int, data []byte, full bool) (*Change, error) {
	id, err := following(l.newest)
	if err != nil {
		return nil, err
	}
	if l.size += len(data); full {
		l.base, l.baseSize, l.size = id, len(data), len(data)
	}
	c := &l.single[0]
	c.ID, c.Parent, c.Base, c.Source, c.Step, c.Data = id, l.id, l.base, source, step, data
	if l.unsaved {
		c.Parent = l.parent
	}
	l.change = Change{Add: l.single[:], Records: l.atExit}
	if l.done {
		l.change.Forget = []Forget{{l.namespace, l.id, RecordUpdate}}
	}
	if l.halts {
		l.change.Records = append(l.change.Records, l.mark(id))
	}
	l.id, l.newest, l.unsaved, l.halts, l.flat = id, id, false, false, false
	l.left, l.atExit, l.done = nil, nil, false
	return &l.change, nil
}

// recorded makes the change that puts records there, or nil when they are to wait
// for the end of the run.
func (l *ledger) recorded(records ...Record) *Change {
	l.done = l.done || slices.ContainsFunc(records, func(r Record) bool { return r.Kind == RecordUpdate })
	if l.mode == DurabilityExit {
		l.atExit = append(l.atExit, records...)
		return nil
	}
	return &Change{Records: records}
}

// recordOf is a record of a task.
func (m *machine) recordOf(res *result, kind RecordKind, key string, data []byte) Record {
	return Record{Namespace: m.namespace, Checkpoint: m.id, Task: m.taskID(res), Kind: kind, Key: key, Data: data}
}

// claim takes a subgraph's namespace for a task of the current superstep. It is
// false when another task has it.
func (l *ledger) claim(namespace, task string) bool {
	if by, taken := l.claims[namespace]; taken {
		return by == task
	}
	if l.claims == nil {
		l.claims = map[string]string{}
	}
	l.claims[namespace] = task
	return true
}

// mark is the record of a stop at a breakpoint, behind a checkpoint.
func (l *ledger) mark(id string) Record {
	return Record{Namespace: l.namespace, Checkpoint: id, Kind: RecordInterrupt, Data: []byte("[]")}
}

// marked reports whether the run has stopped before the superstep after a
// checkpoint that has these records.
func marked(records []Record) bool {
	return slices.ContainsFunc(records, func(r Record) bool { return r.Kind == RecordInterrupt && r.Task == "" })
}

// stand puts the ledger on a checkpoint that was read.
func (l *ledger) stand(p *point) {
	l.id, l.base, l.baseSize, l.size = p.ID, p.Base, p.folded.base, p.size
	if p.older { // what is saved of it is not what it is now: a snapshot must follow
		l.base = ""
	}
	l.children, l.left = p.children, p.records
	l.flat = p.last != nil && p.last.V == flatFormat
	l.done = slices.ContainsFunc(p.records, func(r Record) bool { return r.Kind == RecordUpdate })
	if l.newest == "" {
		l.newest = p.ID
	}
}

// leftByTask is what each task left on record, by kind and key.
func (l *ledger) leftByTask() map[string]map[recordKey][]byte {
	out := map[string]map[recordKey][]byte{}
	for _, r := range l.left {
		if out[r.Task] == nil {
			out[r.Task] = map[recordKey][]byte{}
		}
		out[r.Task][recordKey{r.Kind, r.Key}] = r.Data
	}
	return out
}

// pendingBy is the interrupts that wait for an answer, by task: those of tasks
// that have not returned.
func pendingBy(records []Record) (map[string][]PendingInterrupt, error) {
	pending := map[string][]PendingInterrupt{}
	answered := map[string]bool{}
	for _, r := range records {
		switch r.Kind {
		case RecordInterrupt:
			var list []PendingInterrupt
			if err := decodeInto(r.Data, &list); err != nil {
				return nil, fmt.Errorf("reading the interrupts of task %s: %w", r.Task, err)
			}
			pending[r.Task] = list
		case RecordAnswer:
			answered[r.Key] = true
		}
	}
	for _, r := range records {
		if r.Kind == RecordUpdate {
			delete(pending, r.Task)
		}
	}
	for task, list := range pending {
		pending[task] = slices.DeleteFunc(list, func(p PendingInterrupt) bool { return answered[p.ID] && p.Problem == "" })
	}
	return pending, nil
}

// pendingOf lists the interrupts that wait for an answer, in the order of the
// tasks.
func pendingOf(records []Record, order []string) ([]PendingInterrupt, error) {
	pending, err := pendingBy(records)
	if err != nil {
		return nil, err
	}
	var out []PendingInterrupt
	for _, task := range order {
		out = append(out, pending[task]...)
	}
	return out, nil
}

func answersOf(records []Record) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	for _, r := range records {
		if r.Kind == RecordAnswer {
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[r.Key] = r.Data
		}
	}
	return out
}
