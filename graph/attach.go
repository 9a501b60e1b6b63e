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
	case r.saver == nil && (opts.Thread != "" || len(opts.Resume) > 0 || opts.Checkpoint != ""):
		return nil, ErrNoCheckpointer
	case r.saver == nil:
		return func() {}, nil
	case opts.Thread == "":
		return nil, ErrNoThread
	}
	unlock, err := r.saver.Lock(ctx, opts.Thread)
	if err != nil {
		return nil, fmt.Errorf("taking thread %q: %w", opts.Thread, ofCheckpointer(err))
	}
	id := cmp.Or(opts.RunID, rand.Text())
	saving, stop := savingContext(ctx)
	r.saving = saving
	r.persister = newPersister(saving, r.program, opts.Thread, opts.Durability)
	r.ledger = &ledger{thread: opts.Thread, mode: opts.Durability, again: opts.again}
	r.setTemplate(Checkpoint{Run: id, Graph: r.name, Fingerprint: r.fingerprint, Version: r.version, Metadata: maps.Clone(opts.Metadata)})
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
		if r.persist == PersistAlways {
			return fmt.Errorf("graph %q keeps its state: %w", r.name, ErrNoCheckpointer)
		}
		return nil
	}
	inside := t.onceScope(ctx)
	scope := prefix + inside + "#|"
	caller := opts.caller
	if caller == 0 && (t.run.nodes[t.node].inner == nil || t.handles()) { // else the node makes no other call
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
	if r.persist == PersistNever || t.journal == nil {
		return nil
	}
	if problems := r.saveProblems(); len(problems) > 0 {
		return fmt.Errorf("saving graph %q inside node %q: %w", r.name, t.name(), &CompileError{problems})
	}
	r.keeps = r.persist.keeps(t.send > 0 || r.collects && r.program.input == nil)
	outer := t.run
	r.persister = outer.persister
	r.ledger = &ledger{thread: outer.thread, mode: outer.mode, owner: j.identity(), again: outer.again}
	r.namespace = childNamespace(outer.namespace, t.name(), r.owner, r.ordinal, r.keeps)
	if r.keeps && !outer.claimFor(r.namespace, r.owner) {
		return fmt.Errorf("graph %q keeps its state in %q, and another task of the superstep runs it too: run it in one task at a time: %w", r.name, r.namespace, ErrThreadBusy)
	}
	stamp := outer.template
	stamp.Graph, stamp.Fingerprint, stamp.Version = r.name, r.fingerprint, r.version
	r.setTemplate(stamp)
	return nil
}

// claimFor is claim under the lock, for concurrent tasks.
func (r *run) claimFor(namespace, task string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.claim(namespace, task)
}

// inNamespace escapes separators of namespaces in a key.
var inNamespace = strings.NewReplacer("%", "%25", "/", "%2F")

// read loads the checkpoint to start from. A stateful subgraph starts at the
// checkpoint that the outer graph names.
func (r *run) read(ctx context.Context, id string) (*point, error) {
	r.persister.flush()
	p, err := r.load(ctx, id)
	if err != nil || p == nil || r.owner == "" {
		return p, err
	}
	outer := r.outer.run
	// With DurabilityExit the checkpoint before a task may be unsaved. After a crash
	// another run reuses its ID, and this task is a different one.
	dead := outer.unsaved && p.Run != r.template.Run
	if p.last.Owner == r.owner && !dead {
		if r.machine.collects {
			r.written, err = r.writtenBefore(ctx, p.ID)
		}
		return p, err
	}
	outer.mu.Lock()
	id = outer.children[r.namespace]
	outer.mu.Unlock()
	if id == "" {
		r.moveTo(&point{folded: &folded{}}) // its rows belong to a run that was dropped
		return nil, nil
	}
	return r.load(ctx, id)
}

// load reads the checkpoint to start from: the newest without an id. It returns
// nil when there is none.
func (r *run) load(ctx context.Context, id string) (*point, error) {
	p, newest, err := readBoth(ctx, r.persister.saver, Key{r.thread, r.namespace, id})
	if errors.Is(err, ErrNoCheckpoint) && id == "" {
		return nil, nil
	}
	r.newest = newest
	return p, err
}

// writtenBefore returns the writes of an earlier process for the outer graph,
// up to a checkpoint.
func (r *run) writtenBefore(ctx context.Context, at string) (update, error) {
	var rows []update
	for c, err := range r.persister.saver.List(ctx, Query{Thread: r.thread, Namespace: r.namespace}) {
		if err != nil {
			return nil, fmt.Errorf("reading what graph %q wrote: %w", r.name, err)
		}
		if c.ID != at {
			continue
		}
		at = c.Parent
		s, err := readSaved(c)
		if err != nil {
			return nil, err
		}
		if s.Owner != r.owner {
			break
		}
		update, err := r.readUpdate(s.writes())
		if err != nil {
			return nil, err
		}
		if rows = append(rows, update); s.Written != nil {
			break
		}
	}
	for i, row := range rows {
		if i > 0 { // Ephemeral values have expired
			rows[i] = slices.DeleteFunc(row, ephemeral)
		}
	}
	slices.Reverse(rows)
	return slices.Concat(rows...), nil
}
