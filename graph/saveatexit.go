package graph

import (
	"context"
	"fmt"
)

// changes are what a run has made of its state since it was last saved.
type changes struct {
	step    int    // of what is to be saved; that of a superstep that failed is not
	touched []bool // by slot
	redone  []bool // by slot: a list that was not only added to
	lengths []int  // by slot: of lists, when they were saved
}

// note remembers what a superstep changed, for the one checkpoint at the end.
func (r *run) note(results []result) error {
	d := &r.dirty
	touch := func(updates ...update) {
		for _, u := range updates {
			for _, w := range u {
				if id := w.channel(); id != nil {
					at := r.slot(id)
					d.touched[at] = true
					d.redone[at] = d.redone[at] || w.Op() == OpOverwrite
				}
			}
		}
	}
	if !r.keep.unsaved {
		d.touched, d.redone = make([]bool, len(r.channels)), make([]bool, len(r.channels))
	}
	touch(r.given, r.early)
	for i := range results {
		touch(results[i].update)
	}
	for _, ch := range r.fleeting {
		d.touched[r.slot(ch.id())] = true
	}
	k := r.keep
	if !k.unsaved {
		id, err := following(k.newest)
		if err != nil {
			return err
		}
		k.from, k.id, k.unsaved = k.id, id, true
	}
	d.step, k.flat = r.step, false
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held, k.left, k.done = nil, nil, false
	if k.halts {
		k.held, k.halts = []Record{k.mark(k.id)}, false
	}
	return nil
}

// measure notes the lengths of the state's lists, as they are saved.
func (r *run) measure() {
	if r.keep == nil || r.keep.mode != DurabilityExit {
		return
	}
	r.dirty.lengths = make([]int, len(r.channels))
	for at, ch := range r.channels {
		r.dirty.lengths[at] = ch.length(r.now.kept)
	}
}

// saveAtExit makes the one checkpoint of a run with DurabilityExit.
func (r *run) saveAtExit(ctx context.Context) error {
	k := r.keep
	switch {
	case k == nil || k.mode != DurabilityExit:
		return nil
	case !k.unsaved && len(k.held) > 0:
		return k.commit(ctx, Change{Records: k.held})
	case !k.unsaved:
		return nil
	}
	source := SourceLoop
	if r.entering {
		source = SourceInput
	}
	full := k.base == "" || k.snapshotDue()
	d := &r.dirty
	list := func(at int) bool { // of which the end is enough
		return !full && d.touched[at] && r.ids[at].kind == KindAppend && !d.redone[at] && d.lengths != nil
	}
	dst, err := r.appendChannels(r.appendHead(nil, full), "set", func(at int) bool {
		return r.ids[at].kind != KindUntracked && (full || d.touched[at]) && !list(at)
	}, r.whole)
	if err != nil {
		return err
	}
	dst, err = r.appendChannels(dst, "add", list, func(dst []byte, at int) ([]byte, error) {
		return r.channels[at].encodeTail(dst, r.committed(), d.lengths[at])
	})
	if err != nil {
		return err
	}
	if r.record && len(r.written) > 0 {
		if dst, err = r.appendSaved(append(dst, `,"written":`...), r.written); err != nil {
			return fmt.Errorf("saving what graph %q wrote: %w", r.name, err)
		}
	}
	if dst, err = r.appendInput(dst); err != nil {
		return err
	}
	if dst, err = r.appendFrontier(dst, k.children); err != nil {
		return err
	}
	return r.checkpoint(ctx, source, d.step, dst, full)
}
