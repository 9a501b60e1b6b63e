package graph

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// attach opens the run's place in a thread and locks the thread. Release undoes
// that.
func (r *run) attach(ctx context.Context, opts *RunOptions) (release func(), err error) {
	switch {
	case r.outer != nil && opts.Thread == "":
		return func() {}, r.inherit(ctx, opts)
	case r.program.saver == nil && (opts.Thread != "" || len(opts.Resume) > 0 || opts.Checkpoint != ""):
		return nil, ErrNoCheckpointer
	case r.program.saver == nil:
		return func() {}, nil
	case opts.Thread == "":
		return nil, ErrNoThread
	}
	unlock, err := r.program.saver.Lock(ctx, opts.Thread)
	if err != nil {
		return nil, fmt.Errorf("taking thread %q: %w", opts.Thread, ofCheckpointer(err))
	}
	id := cmp.Or(opts.RunID, rand.Text())
	saving, stop := savingContext(ctx)
	r.saving = saving
	r.persister = newPersister(saving, r.program, opts.Thread, opts.Durability)
	r.pos.ledger = &ledger{thread: opts.Thread, mode: opts.Durability, again: opts.again}
	r.pos.ledger.setTemplate(Checkpoint{Run: id, Graph: r.program.name, Fingerprint: r.program.fingerprint, Version: r.program.version, Metadata: maps.Clone(opts.Metadata)})
	return func() {
		_ = r.persister.close() // its error was returned before, unless the run's goroutine ended
		stop()
		unlock()
	}, nil
}

// inherit opens a subgraph's place in the outer graph's thread.
func (r *run) inherit(ctx context.Context, opts *RunOptions) error {
	t := r.outer
	j, prefix := t.nearestJournal()
	if j == nil {
		if r.program.persist == PersistAlways {
			return fmt.Errorf("graph %q keeps its state: %w", r.program.name, ErrNoCheckpointer)
		}
		return nil
	}
	inside := t.onceScope(ctx)
	scope := prefix + inside + "#|"
	caller := opts.caller
	if caller == 0 && (t.run.program.nodes[t.node].inner == nil || t.handles()) { // else the node makes no other call
		caller = goroutine()
	}
	numbered, err := j.use(t, "graph", scope, opts.Namespace, caller)
	if err != nil {
		return err
	}
	r.ordinal = inNamespace.Replace(inside) + numbered
	if t.handles() {
		r.ordinal = "!" + r.ordinal
	}
	if r.program.persist == PersistNever || t.journal == nil {
		return nil
	}
	if problems := r.program.saveProblems(); len(problems) > 0 {
		return fmt.Errorf("saving graph %q inside node %q: %w", r.program.name, t.name(), &CompileError{problems})
	}
	r.pos.keeps = r.program.persist.keeps(t.send > 0 || r.pos.collects && r.program.input == nil)
	outer := t.run
	r.persister = outer.persister
	r.pos.ledger = &ledger{thread: outer.pos.ledger.thread, mode: outer.pos.ledger.mode, owner: j.identity(), again: outer.pos.ledger.again}
	r.pos.ledger.namespace = childNamespace(outer.pos.ledger.namespace, t.name(), r.pos.ledger.owner, r.ordinal, r.pos.keeps)
	if r.pos.keeps && !outer.claimFor(r.pos.ledger.namespace, r.pos.ledger.owner) {
		return fmt.Errorf("graph %q keeps its state in %q, and another task of the superstep runs it too: run it in one task at a time: %w", r.program.name, r.pos.ledger.namespace, ErrThreadBusy)
	}
	stamp := outer.pos.ledger.template
	stamp.Graph, stamp.Fingerprint, stamp.Version = r.program.name, r.program.fingerprint, r.program.version
	r.pos.ledger.setTemplate(stamp)
	return nil
}

// claimFor is claim under the lock, for concurrent tasks.
func (r *run) claimFor(namespace, task string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pos.ledger.claim(namespace, task)
}

// inNamespace escapes separators of namespaces in a key.
var inNamespace = strings.NewReplacer("%", "%25", "/", "%2F")

// read loads the checkpoint to start from. A stateful subgraph starts at the
// checkpoint that the outer graph names.
func (r *run) read(ctx context.Context, id string) (*point, error) {
	r.persister.flush()
	p, err := r.load(ctx, id)
	if err != nil || p == nil || r.pos.ledger.owner == "" {
		return p, err
	}
	outer := r.outer.run
	// With DurabilityExit the checkpoint before a task may be unsaved. After a crash
	// another run reuses its ID, and this task is a different one.
	dead := outer.pos.ledger.unsaved && p.Run != r.pos.ledger.template.Run
	if p.last.Owner == r.pos.ledger.owner && !dead {
		if r.pos.collects {
			r.pos.written, err = r.writtenBefore(ctx, p.ID)
		}
		return p, err
	}
	outer.mu.Lock()
	id = outer.pos.ledger.children[r.pos.ledger.namespace]
	outer.mu.Unlock()
	if id == "" {
		r.pos.ledger.moveTo(&point{folded: &folded{}}) // its rows belong to a run that was dropped
		return nil, nil
	}
	return r.load(ctx, id)
}

// load reads the checkpoint to start from: the newest without an id. It returns
// nil when there is none.
func (r *run) load(ctx context.Context, id string) (*point, error) {
	p, newest, err := readBoth(ctx, r.persister.saver, Key{r.pos.ledger.thread, r.pos.ledger.namespace, id})
	if errors.Is(err, ErrNoCheckpoint) && id == "" {
		return nil, nil
	}
	r.pos.ledger.newest = newest
	return p, err
}

// writtenBefore returns the writes of an earlier process for the outer graph,
// up to a checkpoint.
func (r *run) writtenBefore(ctx context.Context, at string) (update, error) {
	rows, err := writtenRows(ctx, r.persister.saver, Key{r.pos.ledger.thread, r.pos.ledger.namespace, at}, r.pos.ledger.owner)
	if err != nil {
		return nil, err
	}
	updates := make([]update, len(rows))
	for i, row := range rows {
		if updates[i], err = r.program.readUpdate(row.writes()); err != nil {
			return nil, err
		}
		if i > 0 { // Ephemeral values have expired
			updates[i] = slices.DeleteFunc(updates[i], ephemeral)
		}
	}
	slices.Reverse(updates)
	return slices.Concat(updates...), nil
}

// writtenRows returns the checkpoints whose writes are what a task's graph has
// written for the outer graph up to a checkpoint, newest first.
func writtenRows(ctx context.Context, saver Checkpointer, at Key, owner string) (rows []*saved, err error) {
	for c, err := range saver.List(ctx, Query{Thread: at.Thread, Namespace: at.Namespace}) {
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", at, ofCheckpointer(err))
		}
		if c.ID != at.ID {
			continue
		}
		at.ID = c.Parent
		s, err := readSaved(c)
		if err != nil {
			return nil, err
		}
		if s.Owner != owner {
			break
		}
		if rows = append(rows, s); s.Written != nil {
			break
		}
	}
	return rows, nil
}
