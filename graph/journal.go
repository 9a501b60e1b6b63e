package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A journal holds the records of a task: those of earlier attempts, also by
// other processes, and those of this attempt.
type journal struct {
	task        *task  // its first attempt
	point       string // the checkpoint before the task
	madeBy      string // the run that made that checkpoint
	sharesState bool   // the task's input is the checkpoint's state
	format      int    // of the checkpoint that the task began on

	mu        sync.Mutex
	name      string // the task's ID, once computed
	records   map[recordKey][]byte
	calls     map[string]use    // in this attempt: uses of each key
	overlap   *overlap          // in this attempt, if any
	questions []question        // in this attempt: interrupts without an answer
	stopped   bool              // in this attempt: a subgraph stopped at a breakpoint
	children  map[string]string // newest checkpoints of stateful subgraphs, by namespace
}

type recordKey struct {
	kind RecordKind
	key  string
}

// taskID identifies a task in its thread and namespace. It is independent of
// the thread's name, so a copied thread can continue. It is also independent of
// concurrent tasks. Send counts from 1, and is 0 for the task
// that edges trigger.
func taskID(namespace, point string, step int, node string, send int) string {
	b := make([]byte, 0, 128)
	b = append(append(append(append(b, namespace...), '\n'), point...), '\n')
	b = append(append(append(strconv.AppendInt(b, int64(step), 10), '\n'), node...), '\n')
	sum := sha256.Sum256(strconv.AppendInt(b, int64(send), 10))
	return hex.EncodeToString(sum[:16])
}

// id returns the task's ID. The caller holds mu.
func (j *journal) id() string {
	if j.name == "" {
		t := j.task
		j.name = taskID(t.run.pos.ledger.namespace, j.point, int(t.step), t.name(), int(t.send))
	}
	return j.name
}

func (j *journal) identity() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.id()
}

// begin begins an attempt at the task, or at the inner task with this prefix.
func (j *journal) begin(prefix string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if prefix == "" {
		j.calls, j.questions, j.overlap, j.stopped = nil, nil, nil, false
		return
	}
	maps.DeleteFunc(j.calls, func(place string, _ use) bool { return strings.HasPrefix(place, prefix) })
	j.questions = slices.DeleteFunc(j.questions, func(q question) bool { return strings.HasPrefix(q.prefix, prefix) })
	if j.overlap != nil && strings.HasPrefix(j.overlap.place, prefix) {
		j.overlap = nil
	}
}

// A use is how often a key was used, and by which goroutine.
type use struct {
	n      int
	caller uint64
}

// An overlap is a key that several goroutines used. It outranks interrupts: chance
// decides which of the goroutines ask.
type overlap struct {
	place string
	err   OverlapError
}

// use counts the uses of a key in this attempt, and returns the key with its
// number. The first use has none. Chance would number the uses of several
// goroutines, and a resumed run could swap their results. It refuses them.
func (j *journal) use(t *task, call, prefix, key string, caller uint64) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.calls == nil {
		j.calls = map[string]use{}
	}
	numbered := plainKey(key)
	u := j.calls[prefix+numbered]
	if u.n > 0 && u.caller != caller {
		o := overlap{prefix + numbered, OverlapError{Node: t.name(), Call: call, Key: key}}
		if j.overlap == nil || o.place < j.overlap.place {
			j.overlap = &o
		}
		return "", &o.err
	}
	j.calls[prefix+numbered] = use{u.n + 1, caller}
	if u.n > 0 {
		numbered += "#" + strconv.Itoa(u.n+1)
	}
	return numbered, nil
}

// goroutine returns the number of the calling goroutine.
func goroutine() uint64 {
	var b [40]byte
	text, _, _ := strings.Cut(strings.TrimPrefix(string(b[:runtime.Stack(b[:], false)]), "goroutine "), " ")
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// overlapped returns the task's overlap, or nil.
func (t *task) overlapped() error {
	j, prefix := t.nearestJournal()
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.overlap == nil || t.journal == nil && !strings.HasPrefix(j.overlap.place, prefix) {
		return nil
	}
	return &j.overlap.err
}

// plainKey doubles each "#" of a key. A single "#" marks numbers and scopes.
func plainKey(key string) string { return strings.ReplaceAll(key, "#", "##") }

// recall returns a record.
func (j *journal) recall(kind RecordKind, key string) ([]byte, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	data, ok := j.records[recordKey{kind, key}]
	return data, ok
}

// record saves a record.
func (j *journal) record(ctx context.Context, kind RecordKind, key string, data []byte) error {
	j.mu.Lock()
	if j.records == nil {
		j.records = map[recordKey][]byte{}
	}
	j.records[recordKey{kind, key}] = data
	rec := Record{Namespace: j.task.run.pos.ledger.namespace, Checkpoint: j.point, Task: j.id(), Kind: kind, Key: key, Data: data}
	j.mu.Unlock()
	return j.task.run.record(ctx, rec)
}

// childrenKey is the key of the record of stateful subgraphs. No user key
// equals it; see plainKey.
const childrenKey = "#children"

// addQuestions records that the node waits for answers, or that a subgraph
// stopped at a breakpoint when there are none.
func (j *journal) addQuestions(prefix string, pending ...question) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, q := range pending {
		q.prefix = prefix
		j.questions = append(j.questions, q)
	}
	j.stopped = j.stopped || len(pending) == 0
}

// openQuestions returns the interrupts with this prefix, and whether the
// attempt waits. Subgraphs may run concurrently, so the interrupts are sorted
// by prefix.
func (j *journal) openQuestions(prefix string) ([]question, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.questions) == 0 {
		return nil, prefix == "" && j.stopped
	}
	slices.SortStableFunc(j.questions, func(a, b question) int { return strings.Compare(a.prefix, b.prefix) })
	var pending []question
	for _, q := range j.questions {
		if strings.HasPrefix(q.prefix, prefix) {
			pending = append(pending, q)
		}
	}
	return pending, len(pending) > 0 || prefix == "" && j.stopped
}

// nearestJournal returns the journal of the task, or of the nearest outer task
// with one, and the prefix for keys. It returns nil without a checkpointer.
func (t *task) nearestJournal() (*journal, string) {
	owner := t
	for owner != nil && owner.journal == nil {
		owner = owner.run.outer
	}
	if owner == nil {
		return nil, ""
	}
	prefix := ""
	for ; ; t = t.run.outer {
		if t.handles() { // the handler's keys are separate from the node's
			prefix = "!/" + prefix
		}
		if t == owner {
			return t.journal, prefix
		}
		if owner.journal.format <= placeFormat {
			prefix = fmt.Sprintf("%s/%06d/%06d/%s", t.run.ordinal, t.step, t.place, prefix)
		} else {
			prefix = fmt.Sprintf("%s/%06d/%06d/%s/%s", t.run.ordinal, t.step, t.send, inNamespace.Replace(t.name()), prefix) // sorts as tasks do
		}
	}
}

// A onceContext is the context inside a call of Once. Keys have a scope for
// each call, so a skipped call does not renumber later keys.
type onceContext struct {
	context.Context
	task  *task
	scope string // enclosing calls of Once, outermost first
}

type onceKey struct{}

func (w *onceContext) Value(key any) any {
	if _, ok := key.(onceKey); ok {
		return w
	}
	return w.Context.Value(key)
}

// onceScope returns the scope of the calls of Once in the task that ctx is
// inside of.
func (t *task) onceScope(ctx context.Context) string {
	if w, ok := ctx.Value(onceKey{}).(*onceContext); ok && w.task == t {
		return w.scope
	}
	return ""
}

// begin begins an attempt at a task.
func (t *task) begin() {
	if j, prefix := t.nearestJournal(); j != nil {
		j.begin(prefix)
	}
}

// openQuestions returns the interrupts of the task's attempt, and whether it
// waits.
func (t *task) openQuestions() ([]question, bool) {
	j, prefix := t.nearestJournal()
	switch {
	case j == nil:
		return nil, false
	case t.journal != nil:
		prefix = ""
	}
	return j.openQuestions(prefix)
}

// interruptedBefore reports whether an earlier attempt at the task was
// interrupted.
func (t *task) interruptedBefore() bool {
	j, _ := t.nearestJournal()
	if j == nil {
		return false
	}
	_, asked := j.recall(RecordInterrupt, "")
	return asked
}

// A savedFailure is the data of a RecordError.
type savedFailure struct {
	Message  string `json:"message"`
	Attempts int    `json:"attempts"`
	// Handled says that the node's handler was about to take over.
	Handled bool `json:"handled,omitempty"`
}

func encodeFailure(e *NodeError, handled bool) ([]byte, error) {
	return encode(&savedFailure{e.Err.Error(), e.Attempts, handled})
}

// childNamespace returns the namespace for a subgraph's checkpoints. A stateful
// subgraph is identified by its node, any other by its task.
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

// noteChild stores the newest checkpoint of a stateful subgraph.
func (j *journal) noteChild(namespace, id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.children == nil {
		j.children = map[string]string{}
	}
	j.children[namespace] = id
}

// Once calls fn and records its result. When the node runs again after an
// interrupt, a failure or a crash, Once returns the recorded result and does
// not call fn. Use it for side effects and costly calls inside a node. Failures
// are not recorded.
//
// The key identifies the call within its node. Repeated keys, as in a loop, are
// numbered. Several goroutines need different keys (OverlapError). Keys inside fn
// are separate from those outside, if fn uses the context that it is given. T
// is encoded as JSON.
//
// Without a checkpointer Once only calls fn.
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var out T
	t := taskFrom(ctx)
	if t == nil {
		return fn(ctx)
	}
	j, prefix := t.nearestJournal()
	if j == nil {
		return fn(ctx)
	}
	inside := t.onceScope(ctx)
	prefix += inside
	numbered, err := j.use(t, "Once", prefix, key, goroutine())
	if err != nil {
		return out, err
	}
	place := prefix + numbered
	if data, ok := j.recall(RecordOnce, place); ok {
		if err := decodeWhole(data, &out); err != nil {
			return out, fmt.Errorf("reading what %q returned before: %w", key, err)
		}
		return out, nil
	}
	if j.format > flatFormat {
		ctx = &onceContext{ctx, t, inside + numbered + "#>"}
	}
	if out, err = fn(ctx); err != nil {
		return out, err
	}
	data, err := appendWhole(nil, &out)
	if err == nil && loose(reflect.TypeFor[T](), nil) {
		err = sameTypes(&out)
	}
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
