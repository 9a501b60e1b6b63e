package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A ledger tracks where in a thread a run is saved: one namespace. It numbers
// checkpoints and makes changes. It commits nothing.
type ledger struct {
	thread    string
	namespace string
	owner     string // the outer graph's task
	mode      Durability
	template  Checkpoint // fields that all checkpoints of the run share

	id                string // the current checkpoint; reserved while unsaved
	madeBy            string // the run that made it
	newest            string // newest in the namespace
	base              string // the lineage's snapshot
	baseSize          int    // bytes of the snapshot
	size              int    // bytes since then, snapshot included
	unsaved           bool   // DurabilityExit: the run is ahead of its last checkpoint
	parent            string // that checkpoint
	again             bool   // see Pursuit.Again
	hasStopped        bool   // this run has stopped at a breakpoint after this checkpoint
	stopsAtBreakpoint bool   // the run stops at a breakpoint after its next checkpoint
	format            int    // of the checkpoint

	lastSize      int               // bytes of the last checkpoint
	space         []byte            // room for the next
	children      map[string]string // newest checkpoints of subgraphs that keep their state
	pendingWrites []Record          // earlier records of tasks of the current superstep
	hasUpdates    bool              // tasks of the current superstep have recorded updates
	claims        map[string]string // tasks of the current superstep, by namespace of the stateful subgraph that they run
	atExit        []Record          // DurabilityExit: records of the current superstep

	single [1]Checkpoint // reused by each change; starts as the template
	change Change
}

// snapshotMin is the size in bytes that the changes of a lineage may always
// reach. Beyond it, a snapshot follows once the changes outgrow the last
// snapshot. All snapshots together are then about as large as all changes.
const snapshotMin = 4096

func (l *ledger) snapshotDue() bool {
	return l.base == "" || l.size-l.baseSize > max(l.baseSize, snapshotMin)
}

// setTemplate sets the fields that all checkpoints of the run share.
func (l *ledger) setTemplate(c Checkpoint) {
	c.Namespace = l.namespace
	l.template, l.single[0] = c, c
}

// nextID returns the ID after id.
func nextID(id string) (string, error) {
	n := 0
	if id != "" {
		var err error
		if n, err = strconv.Atoi(id); err != nil || n < 1 {
			return "", fmt.Errorf("checkpoint %q was not made by this package: its ID is not a number", id)
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

// addCheckpoint makes the change that adds a checkpoint after the current one,
// and moves to it. The change is valid until the next call. The persister sets
// its time.
func (l *ledger) addCheckpoint(source Source, step int, data []byte, full bool) (*Change, error) {
	id, err := nextID(l.newest)
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
	if l.hasUpdates {
		l.change.Forget = []Forget{{l.namespace, l.id, RecordUpdate}}
	}
	if l.stopsAtBreakpoint {
		l.change.Records = append(l.change.Records, l.breakpointRecord(id))
	}
	l.id, l.madeBy, l.newest, l.unsaved, l.stopsAtBreakpoint, l.format = id, c.Run, id, false, false, FormatVersion
	l.pendingWrites, l.atExit, l.hasUpdates, l.claims = nil, nil, false, nil
	return &l.change, nil
}

// recorded makes the change that adds records. It is nil with DurabilityExit,
// where records wait for the end of the run.
func (l *ledger) recorded(records ...Record) *Change {
	l.hasUpdates = l.hasUpdates || slices.ContainsFunc(records, func(r Record) bool { return r.Kind == RecordUpdate })
	if l.mode == DurabilityExit {
		l.atExit = append(l.atExit, records...)
		return nil
	}
	return &Change{Records: records}
}

// saved returns the key of the current checkpoint; empty when the run is not
// saved.
func (l *ledger) saved() Key {
	if l == nil {
		return Key{}
	}
	return Key{l.thread, l.namespace, l.id}
}

// recordOf makes a record of a task.
func (pos *position) recordOf(res *result, kind RecordKind, key string, data []byte) Record {
	return Record{Namespace: pos.ledger.namespace, Checkpoint: pos.ledger.id, Task: pos.taskID(res), Kind: kind, Key: key, Data: data}
}

// claim reserves a subgraph's namespace for a task of the current superstep. It
// returns false when another task has it.
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

// breakpointRecord records that the run stopped at a breakpoint after a
// checkpoint.
func (l *ledger) breakpointRecord(id string) Record {
	return Record{Namespace: l.namespace, Checkpoint: id, Kind: RecordInterrupt, Data: []byte("[]")}
}

// stoppedAtBreakpoint reports whether the records of a checkpoint hold a
// breakpointRecord.
func stoppedAtBreakpoint(records []Record) bool {
	return slices.ContainsFunc(records, func(r Record) bool { return r.Kind == RecordInterrupt && r.Task == "" })
}

// moveTo moves to a checkpoint that was read.
func (l *ledger) moveTo(p *point) {
	l.id, l.madeBy, l.base, l.baseSize, l.size = p.ID, p.Run, p.Base, p.folded.base, p.size
	if p.older { // the saved values differ from the migrated ones: a snapshot must follow
		l.base = ""
	}
	l.children, l.pendingWrites = p.children, p.records
	l.hasStopped = l.again && p.Run == l.template.Run && stoppedAtBreakpoint(p.records)
	if l.format = FormatVersion; p.last != nil {
		l.format = p.last.V
	}
	l.hasUpdates = slices.ContainsFunc(p.records, func(r Record) bool { return r.Kind == RecordUpdate })
	if l.newest == "" {
		l.newest = p.ID
	}
}

// recordsByTask groups the pending writes by task, kind and key.
func (l *ledger) recordsByTask() map[string]map[recordKey][]byte {
	out := map[string]map[recordKey][]byte{}
	for _, r := range l.pendingWrites {
		if out[r.Task] == nil {
			out[r.Task] = map[recordKey][]byte{}
		}
		out[r.Task][recordKey{r.Kind, r.Key}] = r.Data
	}
	return out
}

// pendingBy returns the interrupts without an answer by task. Finished tasks
// have none.
func pendingBy(records []Record) (map[string][]question, error) {
	pending := map[string][]question{}
	answered := map[string]bool{}
	for _, r := range records {
		switch r.Kind {
		case RecordInterrupt:
			list, err := readQuestions(r.Data)
			if err != nil {
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
		pending[task] = slices.DeleteFunc(list, func(q question) bool { return answered[q.Place] && q.Problem == "" })
	}
	return pending, nil
}

// pendingOf lists the interrupts without an answer in task order.
func pendingOf(records []Record, order []string) ([]question, error) {
	pending, err := pendingBy(records)
	if err != nil {
		return nil, err
	}
	var out []question
	for _, task := range order {
		out = append(out, pending[task]...)
	}
	return out, nil
}

// answersOf returns the answers by the places of their interrupts.
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
