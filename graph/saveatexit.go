package graph

import "fmt"

// changes are the unsaved changes of a run with DurabilityExit.
type changes struct {
	step    int    // of the next checkpoint; a failed superstep does not count
	touched []bool // by slot
	redone  []bool // by slot: a list that was replaced
	lengths []int  // by slot: saved lengths of lists
}

// noteChanges adds the changes of a superstep.
func (pos *position) noteChanges(results []result) error {
	d := &pos.dirty
	touch := func(updates ...update) {
		for _, u := range updates {
			for _, w := range u {
				if id := w.channel(); id != nil {
					at := pos.program.slot(id)
					d.touched[at] = true
					d.redone[at] = d.redone[at] || w.Op() == OpOverwrite
				}
			}
		}
	}
	if !pos.ledger.unsaved {
		d.touched, d.redone = make([]bool, len(pos.program.channels)), make([]bool, len(pos.program.channels))
	}
	touch(pos.turnInput)
	touch(pos.resumeUpdates...)
	for i := range results {
		touch(results[i].update)
	}
	for _, ch := range pos.program.fleeting {
		d.touched[pos.program.slot(ch.id())] = true
	}
	if !pos.ledger.unsaved {
		id, err := nextID(pos.ledger.newest)
		if err != nil {
			return err
		}
		pos.ledger.parent, pos.ledger.id, pos.ledger.madeBy, pos.ledger.unsaved = pos.ledger.id, id, pos.ledger.template.Run, true
	}
	d.step, pos.ledger.format = pos.machine.Superstep(), FormatVersion
	pos.ledger.atExit, pos.ledger.pendingWrites, pos.ledger.hasUpdates, pos.ledger.claims = nil, nil, false, nil
	if pos.ledger.stopsAtBreakpoint {
		pos.ledger.atExit, pos.ledger.stopsAtBreakpoint = []Record{pos.ledger.breakpointRecord(pos.ledger.id)}, false
	}
	return nil
}

// noteLengths stores the saved lengths of the lists.
func (pos *position) noteLengths() {
	if pos.ledger.mode != DurabilityExit {
		return
	}
	pos.dirty.lengths = make([]int, len(pos.program.channels))
	for at, ch := range pos.program.channels {
		pos.dirty.lengths[at] = ch.length(pos.now.writable)
	}
}

// saveAtExit makes the change that saves a run with DurabilityExit; nil when
// nothing is left to save.
func (pos *position) saveAtExit() (*Change, error) {
	switch l := pos.ledger; {
	case l.unsaved:
		return pos.lastCheckpoint()
	case len(l.atExit) > 0:
		return &Change{Records: l.atExit}, nil
	}
	return nil, nil
}

func (pos *position) lastCheckpoint() (*Change, error) {
	source := SourceLoop
	if pos.machine.Entering() {
		source = SourceInput
	}
	full := pos.ledger.snapshotDue()
	d := &pos.dirty
	list := func(at int) bool { // saved as an addition
		return !full && d.touched[at] && pos.program.ids[at].kind == KindAppend && !d.redone[at] && d.lengths != nil
	}
	dst, err := pos.appendChannels(pos.appendHead(nil, full), "set", func(at int) bool {
		return pos.program.ids[at].kind != KindUntracked && (full || d.touched[at]) && !list(at)
	}, pos.appendValue)
	if err != nil {
		return nil, err
	}
	dst, err = pos.appendChannels(dst, "add", list, func(dst []byte, at int) ([]byte, error) {
		return pos.program.channels[at].encodeTail(dst, pos.savedState(), d.lengths[at])
	})
	if err != nil {
		return nil, err
	}
	if pos.collects && len(pos.written) > 0 {
		if dst, err = pos.program.appendSaved(append(dst, `,"written":`...), pos.written); err != nil {
			return nil, fmt.Errorf("saving what graph %q wrote: %w", pos.program.name, err)
		}
	}
	if dst, err = pos.appendInput(dst); err != nil {
		return nil, err
	}
	if dst, err = pos.appendFrontier(dst, pos.ledger.children); err != nil {
		return nil, err
	}
	pos.stateFrom = nil
	return pos.ledger.addCheckpoint(source, d.step, dst, full)
}
