package graph

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A keeper saves one run: one namespace of a thread. The run's loop owns it,
// but for record, which tasks call.
type keeper struct {
	*lane
	namespace string
	owner     string // the task of the graph around it
	clock     func() time.Time
	stamp     Checkpoint // what all checkpoints of the run have in common

	id       string // of the checkpoint that the run stands on; to come when it is unsaved
	newest   string // of the namespace
	base     string // of the lineage
	baseSize int    // bytes of the snapshot
	size     int    // bytes since then, with it
	unsaved  bool   // DurabilityExit: the run is ahead of what is saved
	from     string // what it is ahead of
	halts    bool   // the run stops at a breakpoint behind its next checkpoint
	flat     bool   // the checkpoint numbers keys as format 1 did

	last     int               // bytes of the last checkpoint
	children map[string]string // newest checkpoints of subgraphs that keep their state
	left     []Record          // what tasks of the current superstep left on record, from before
	done     bool              // tasks of the current superstep put their updates on record; guarded by the lane's mu

	claims map[string]string // tasks of the current superstep by the subgraphs that keep their state in them

	held []Record // DurabilityExit: records of the current superstep; guarded by the lane's mu

	single [1]Checkpoint // of a change, used again when it is saved
}

// snapshotMin is how many bytes of changes a lineage may always have. Beyond
// it a snapshot is made when the changes are as large as the last one, so that
// all snapshots together are about as large as all changes.
const snapshotMin = 4096

func (k *keeper) snapshotDue() bool {
	return k.base == "" || k.size-k.baseSize > max(k.baseSize, snapshotMin)
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

// add saves a checkpoint that follows the one that the run stands on.
func (k *keeper) add(ctx context.Context, c Checkpoint, full bool) (Checkpoint, error) {
	id, err := following(k.newest)
	if err != nil {
		return c, err
	}
	c.Namespace, c.ID, c.Parent, c.Base = k.namespace, id, k.id, k.base
	if k.unsaved {
		c.Parent = k.from
	}
	if full {
		c.Base = id
	}
	c.Run, c.Graph, c.Fingerprint, c.Version, c.Metadata = k.stamp.Run, k.stamp.Graph, k.stamp.Fingerprint, k.stamp.Version, k.stamp.Metadata
	k.single[0] = c
	change := Change{Add: k.single[:]}
	if k.queue != nil {
		change.Add = slices.Clone(change.Add)
	}
	k.mu.Lock() // a goroutine that a node left behind may record still
	change.Records = k.held
	if k.done {
		change.Forget = []Forget{{k.namespace, k.id, RecordUpdate}}
	}
	k.held, k.done = nil, false
	k.mu.Unlock()
	if k.halts {
		change.Records = append(change.Records, k.mark(id))
	}
	if err := k.commit(ctx, change); err != nil {
		return c, fmt.Errorf("saving checkpoint %s: %w", id, err)
	}
	if k.size += len(c.Data); full {
		k.base, k.baseSize, k.size = id, len(c.Data), len(c.Data)
	}
	k.id, k.newest, k.unsaved, k.halts, k.left, k.flat = id, id, false, false, nil, false
	return c, nil
}

// record puts what tasks have come to on record: all of it, or nothing.
func (k *keeper) record(ctx context.Context, records ...Record) error {
	k.mu.Lock()
	k.done = k.done || slices.ContainsFunc(records, func(r Record) bool { return r.Kind == RecordUpdate })
	if k.mode == DurabilityExit {
		k.held = append(k.held, records...)
		k.mu.Unlock()
		return k.open()
	}
	k.mu.Unlock()
	if err := k.commit(ctx, Change{Records: records}); err != nil {
		return fmt.Errorf("recording the %s of a task: %w", records[0].Kind, err)
	}
	return nil
}

// claim takes a subgraph's namespace for a task of the current superstep. It is
// false when another task has it.
func (k *keeper) claim(namespace, task string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if by, taken := k.claims[namespace]; taken {
		return by == task
	}
	if k.claims == nil {
		k.claims = map[string]string{}
	}
	k.claims[namespace] = task
	return true
}

// child is the newest checkpoint of a subgraph that keeps its state, or "".
func (k *keeper) child(namespace string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.children[namespace]
}

// mark is the record of a stop at a breakpoint, behind a checkpoint.
func (k *keeper) mark(id string) Record {
	return Record{Namespace: k.namespace, Checkpoint: id, Kind: RecordInterrupt, Data: []byte("[]")}
}

// marked reports whether the run has stopped before the superstep after a
// checkpoint that has these records.
func marked(records []Record) bool {
	return slices.ContainsFunc(records, func(r Record) bool { return r.Kind == RecordInterrupt && r.Task == "" })
}

// A point is a checkpoint as it is read.
type point struct {
	Checkpoint
	*folded
	records []Record
	older   bool // it was migrated
}

func readPoint(ctx context.Context, saver Checkpointer, key Key) (*point, error) {
	lineage, records, err := saver.Load(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", key, err)
	}
	f, err := fold(lineage, lenderOf(ctx, saver, key.Thread))
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", key, err)
	}
	return &point{Checkpoint: lineage[len(lineage)-1], folded: f, records: records}, nil
}

func lenderOf(ctx context.Context, saver Checkpointer, thread string) lender {
	return func(from lent) (*folded, error) {
		p, err := readPoint(ctx, saver, Key{thread, from.Namespace, from.ID})
		if err != nil {
			return nil, err
		}
		return p.folded, nil
	}
}

// readBoth reads a checkpoint, and the ID of its namespace's newest, which
// need not be readable itself when the key has an ID.
func readBoth(ctx context.Context, saver Checkpointer, key Key) (p *point, newest string, err error) {
	if p, err = readPoint(ctx, saver, key); err != nil {
		return nil, "", err
	}
	if key.ID == "" {
		return p, p.ID, nil
	}
	for c, err := range saver.List(ctx, Query{Thread: key.Thread, Namespace: key.Namespace, Limit: 1}) {
		if err != nil {
			return nil, "", fmt.Errorf("listing %s: %w", key, err)
		}
		newest = c.ID
	}
	return p, newest, nil
}

// stand puts the keeper on a checkpoint that was read.
func (k *keeper) stand(p *point) {
	k.id, k.base, k.baseSize, k.size = p.ID, p.Base, p.folded.base, p.size
	if p.older { // what is saved of it is not what it is now: a snapshot must follow
		k.base = ""
	}
	k.children, k.left = p.children, p.records
	k.flat = p.last != nil && p.last.V == flatFormat
	k.done = slices.ContainsFunc(p.records, func(r Record) bool { return r.Kind == RecordUpdate })
	if k.newest == "" {
		k.newest = p.ID
	}
}

// leftByTask is what each task left on record, by kind and key.
func (k *keeper) leftByTask() map[string]map[recordKey][]byte {
	out := map[string]map[recordKey][]byte{}
	for _, r := range k.left {
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

// attach finds out where the run is saved, and makes sure that nobody else
// saves there. What it returns lets the thread go.
func (r *run) attach(ctx context.Context, opts *RunOptions) (release func(), err error) {
	if opts == nil {
		opts = &RunOptions{}
	}
	switch {
	case r.outer != nil && opts.Thread == "":
		return r.inherit(ctx, opts)
	case r.saver == nil && (opts.Thread != "" || len(opts.Resume) > 0 || opts.Checkpoint != ""):
		return nil, ErrNoCheckpointer
	case r.saver == nil:
		return func() {}, nil
	case opts.Thread == "":
		return nil, ErrNoThread
	}
	unlock, err := r.saver.Lock(ctx, opts.Thread)
	if err != nil {
		return nil, fmt.Errorf("taking thread %q: %w", opts.Thread, err)
	}
	id := cmp.Or(opts.RunID, rand.Text())
	saving, stop := lasting(ctx)
	r.saving = saving
	r.keep = &keeper{
		clock: r.clock,
		lane:  newLane(saving, r.saver, opts.Thread, opts.Durability),
		stamp: Checkpoint{Run: id, Graph: r.name, Fingerprint: r.fingerprint, Version: r.version, Metadata: maps.Clone(opts.Metadata)},
	}
	lane := r.keep.lane
	return func() {
		_ = lane.close() // said before, unless the run's goroutine was ended
		stop()
		unlock()
	}, nil
}

// inherit takes a place in the thread of the graph around this one. What it
// returns lets the place go.
func (r *run) inherit(ctx context.Context, opts *RunOptions) (release func(), err error) {
	t := r.outer
	j, prefix := t.ledger()
	if j == nil {
		if r.persist == PersistAlways {
			return nil, fmt.Errorf("graph %q keeps its state: %w", r.name, ErrNoCheckpointer)
		}
		return func() {}, nil
	}
	inside := t.inside(ctx)
	scope := prefix + inside + "#|"
	release, free := j.occupy(scope + plainKey(opts.Namespace))
	if !free {
		return nil, &OverlapError{Node: t.node, Call: "graph", Key: opts.Namespace}
	}
	r.ordinal = inNamespace.Replace(inside) + j.use(scope, opts.Namespace)
	if t.handles() {
		r.ordinal = "!" + r.ordinal
	}
	if r.persist == PersistNever || t.journal == nil {
		return release, nil
	}
	if problems := r.savable(); len(problems) > 0 {
		release()
		return nil, fmt.Errorf("saving graph %q inside node %q: %w", r.name, t.node, &CompileError{problems})
	}
	outer := t.journal.keep
	r.keep = &keeper{lane: outer.lane, clock: outer.clock, namespace: j.childNamespace(r.ordinal, r.persist == PersistAlways), owner: j.identity()}
	if r.persist == PersistAlways && !outer.claim(r.keep.namespace, r.keep.owner) {
		release()
		return nil, fmt.Errorf("graph %q keeps its state in %q, where another task of the superstep runs it too: it can only be run by one at a time: %w", r.name, r.keep.namespace, ErrThreadBusy)
	}
	r.keep.stamp = outer.stamp
	r.keep.stamp.Graph, r.keep.stamp.Fingerprint, r.keep.stamp.Version = r.name, r.fingerprint, r.version
	return release, nil
}

// inNamespace keeps what separates namespaces out of a key.
var inNamespace = strings.NewReplacer("%", "%25", "/", "%2F")

// load reads the checkpoint that the run starts from, the newest when id is
// empty, or nil when there is none.
func (r *run) load(ctx context.Context, id string) (*point, error) {
	k := r.keep
	p, newest, err := readBoth(ctx, k.saver, Key{k.thread, k.namespace, id})
	if errors.Is(err, ErrNoCheckpoint) && id == "" {
		return nil, nil
	}
	k.newest = newest
	return p, err
}

// timestamp is the time as checkpointers keep it.
func (k *keeper) timestamp() time.Time { return k.clock().UTC().Truncate(time.Microsecond) }
