package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A journal is what a task has on record: what earlier attempts of it left,
// also those of a process that died, and what this one adds.
type journal struct {
	task  *task  // its first attempt
	point string // the checkpoint that the task runs on
	lends bool   // the task's state is that of the checkpoint
	flat  bool   // keys are numbered as format 1 did

	mu      sync.Mutex
	name    string               // the task's ID, once it was asked for
	kept    map[recordKey][]byte // records of the task
	calls   map[string]int       // in this attempt: how often a key was used, and which calls are under way
	waits   []question           // in this attempt: what was asked and has no answer
	stopped bool                 // in this attempt: a graph inside the node stopped at a breakpoint
	inner   map[string]string    // subgraphs that keep their state: namespace to newest checkpoint
}

// A question is a pending interrupt and where in the task it was asked: empty
// for the node's own, else the place of the graph inside it.
type question struct {
	place string
	PendingInterrupt
}

type recordKey struct {
	kind RecordKind
	key  string
}

// taskID identifies a task within its thread and namespace. It does not hang
// on the thread's name, so that equal runs of two threads have equal traces, nor
// on what runs beside the task. Send counts Sends from 1; it is 0 for the one
// task of a node that edges lead to.
func taskID(namespace, point string, step int, node string, send int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n%s\n%d", namespace, point, step, node, send)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// id is the task's. The caller holds mu.
func (j *journal) id() string {
	if j.name == "" {
		t := j.task
		j.name = taskID(t.run.namespace, j.point, int(t.step), t.name(), int(t.send))
	}
	return j.name
}

func (j *journal) identity() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.id()
}

// begin starts an attempt at the task, or at the task inside it that prefix
// names.
func (j *journal) begin(prefix string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if prefix == "" {
		j.calls, j.waits, j.stopped = nil, nil, false
		return
	}
	maps.DeleteFunc(j.calls, func(place string, _ int) bool { return strings.HasPrefix(place, prefix) })
	j.waits = slices.DeleteFunc(j.waits, func(q question) bool { return strings.HasPrefix(q.place, prefix) })
}

// use counts a use of a key in this attempt, from 1, and returns the key that
// tells this use from others.
func (j *journal) use(prefix, key string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.calls == nil {
		j.calls = map[string]int{}
	}
	key = plainKey(key)
	j.calls[prefix+key]++
	if n := j.calls[prefix+key]; n > 1 {
		key += "#" + strconv.Itoa(n)
	}
	return key
}

// plainKey doubles a key's own "#", which keeps it apart from numbers and scopes.
func plainKey(key string) string { return strings.ReplaceAll(key, "#", "##") }

// occupy begins a call that lasts. Two calls of one key at the same time are
// numbered by chance, so a resumed run would mix up their results: the second
// is refused.
func (j *journal) occupy(place string) (leave func(), free bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	underWay := place + "#!"
	if j.calls[underWay] > 0 {
		return nil, false
	}
	if j.calls == nil {
		j.calls = map[string]int{}
	}
	j.calls[underWay] = 1
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.calls, underWay)
	}, true
}

// recall returns what is on record.
func (j *journal) recall(kind RecordKind, key string) ([]byte, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	data, ok := j.kept[recordKey{kind, key}]
	return data, ok
}

// record puts something on record, durably.
func (j *journal) record(ctx context.Context, kind RecordKind, key string, data []byte) error {
	j.mu.Lock()
	if j.kept == nil {
		j.kept = map[recordKey][]byte{}
	}
	j.kept[recordKey{kind, key}] = data
	rec := Record{Namespace: j.task.run.namespace, Checkpoint: j.point, Task: j.id(), Kind: kind, Key: key, Data: data}
	j.mu.Unlock()
	return j.task.run.record(ctx, rec)
}

// childrenKey is that of the record that says where subgraphs that keep their
// state are. No key of a user comes to it; see use.
const childrenKey = "#children"

// wait notes that the node stops until somebody answers.
func (j *journal) wait(place string, pending []PendingInterrupt) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range pending {
		j.waits = append(j.waits, question{place, p})
	}
	j.stopped = j.stopped || len(pending) == 0
}

// waiting is what the attempt waits for within a place, and whether it waits
// there at all. The order is that of the places, since graphs inside the node
// may run side by side.
func (j *journal) waiting(prefix string) ([]PendingInterrupt, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waits) == 0 {
		return nil, prefix == "" && j.stopped
	}
	slices.SortStableFunc(j.waits, func(a, b question) int { return strings.Compare(a.place, b.place) })
	var pending []PendingInterrupt
	for _, q := range j.waits {
		if strings.HasPrefix(q.place, prefix) {
			pending = append(pending, q.PendingInterrupt)
		}
	}
	return pending, len(pending) > 0 || prefix == "" && j.stopped
}

// ledger is the journal of the task that ctx runs in, or of the nearest around
// it that has one, and what to put before keys then. It is nil without a
// checkpointer.
func (t *task) ledger() (*journal, string) {
	owner := t
	for owner != nil && owner.journal == nil {
		owner = owner.run.outer
	}
	if owner == nil {
		return nil, ""
	}
	prefix := ""
	for ; ; t = t.run.outer {
		if t.handles() { // what the handler does is apart from what the node did
			prefix = "!/" + prefix
		}
		if t == owner {
			return t.journal, prefix
		}
		prefix = fmt.Sprintf("%s/%06d/%06d/%s", t.run.ordinal, t.step, t.place, prefix)
	}
}

// within is the context of code inside a recorded call. Keys are numbered within
// the call, so that a call that is on record and skipped shifts no number behind
// it.
type within struct {
	context.Context
	task  *task
	calls string // that the code runs in, outermost first
}

type withinKey struct{}

func (w *within) Value(key any) any {
	if _, ok := key.(withinKey); ok {
		return w
	}
	return w.Context.Value(key)
}

// inside are the recorded calls of the task that code with ctx runs in.
func (t *task) inside(ctx context.Context) string {
	if w, ok := ctx.Value(withinKey{}).(*within); ok && w.task == t {
		return w.calls
	}
	return ""
}

// begin starts an attempt at a task.
func (t *task) begin() {
	if j, prefix := t.ledger(); j != nil {
		j.begin(prefix)
	}
}

// waiting is what the task's attempt waits for, and whether it waits at all.
func (t *task) waiting() ([]PendingInterrupt, bool) {
	j, prefix := t.ledger()
	switch {
	case j == nil:
		return nil, false
	case t.journal != nil:
		prefix = ""
	}
	return j.waiting(prefix)
}

// asked reports whether the task stopped in an attempt before this one.
func (t *task) asked() bool {
	j, _ := t.ledger()
	if j == nil {
		return false
	}
	_, asked := j.recall(RecordInterrupt, "")
	return asked
}

// savedFailure is a RecordError.
type savedFailure struct {
	Message  string `json:"message"`
	Attempts int    `json:"attempts"`
	// Handled says that the node's handler was about to take over.
	Handled bool `json:"handled,omitempty"`
}

func encodeFailure(e *NodeError, handled bool) ([]byte, error) {
	return encode(&savedFailure{e.Err.Error(), e.Attempts, handled})
}

// childNamespace is where a graph inside a node's task keeps its checkpoints. What
// keeps its state from turn to turn is known by its node, what does not by the
// task.
func childNamespace(outer, node, task, name string, stateful bool) string {
	var b strings.Builder
	if outer != "" {
		b.WriteString(outer + "/")
	}
	b.WriteString(node)
	if !stateful {
		b.WriteString(":" + task)
	}
	if name != "" {
		b.WriteString("|" + name)
	}
	return b.String()
}

// keepsChild notes how far a graph inside the task has come.
func (j *journal) keepsChild(namespace, id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.inner == nil {
		j.inner = map[string]string{}
	}
	j.inner[namespace] = id
}

// Once calls fn, and puts on record what it returns: when the node runs again,
// because it was interrupted, failed or died after that, Once returns what is
// on record and does not call fn. It is for side effects and costly calls
// inside a node. A failure is not recorded.
//
// The key tells the calls of one node apart; a key that is used again, as in a
// loop, is numbered. Calls side by side need keys of their own (OverlapError).
// Keys that fn uses are apart from those outside of it: it has to pass on the
// context that it is given. T is encoded as JSON.
//
// Without a checkpointer Once just calls fn.
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var out T
	t := taskFrom(ctx)
	if t == nil {
		return fn(ctx)
	}
	j, prefix := t.ledger()
	if j == nil {
		return fn(ctx)
	}
	inside := t.inside(ctx)
	prefix += inside
	numbered := j.use(prefix, key)
	place := prefix + numbered
	if data, ok := j.recall(RecordOnce, place); ok {
		if err := decodeWhole(data, &out); err != nil {
			return out, fmt.Errorf("reading what %q returned before: %w", key, err)
		}
		return out, nil
	}
	leave, free := j.occupy(prefix + plainKey(key))
	if !free {
		return out, &OverlapError{Node: t.name(), Call: "Once", Key: key}
	}
	defer leave()
	if !j.flat {
		ctx = &within{ctx, t, inside + numbered + "#>"}
	}
	out, err := fn(ctx)
	if err != nil {
		return out, err
	}
	data, err := appendWhole(nil, &out)
	if err != nil {
		return out, fmt.Errorf("recording what %q returned: %w", key, err)
	}
	if err := j.record(t.run.saving, RecordOnce, place, data); err != nil {
		return out, fmt.Errorf("recording what %q returned: %w", key, err)
	}
	t.beat()
	t.emit(foreign{Kind: NodeStep, Name: key, Data: data})
	return out, nil
}
