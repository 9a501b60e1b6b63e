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
func (m *machine) noteChanges(results []result) error {
	d := &m.dirty
	touch := func(updates ...update) {
		for _, u := range updates {
			for _, w := range u {
				if id := w.channel(); id != nil {
					at := m.slot(id)
					d.touched[at] = true
					d.redone[at] = d.redone[at] || w.Op() == OpOverwrite
				}
			}
		}
	}
	if !m.unsaved {
		d.touched, d.redone = make([]bool, len(m.channels)), make([]bool, len(m.channels))
	}
	touch(m.turnInput)
	touch(m.resumeUpdates...)
	for i := range results {
		touch(results[i].update)
	}
	for _, ch := range m.fleeting {
		d.touched[m.slot(ch.id())] = true
	}
	if !m.unsaved {
		id, err := nextID(m.newest)
		if err != nil {
			return err
		}
		m.parent, m.id, m.madeBy, m.unsaved = m.id, id, m.template.Run, true
	}
	d.step, m.flat = m.step, false
	m.atExit, m.pendingWrites, m.hasUpdates = nil, nil, false
	if m.stopsAtBreakpoint {
		m.atExit, m.stopsAtBreakpoint = []Record{m.breakpointRecord(m.id)}, false
	}
	return nil
}

// noteLengths stores the saved lengths of the lists.
func (m *machine) noteLengths() {
	if m.mode != DurabilityExit {
		return
	}
	m.dirty.lengths = make([]int, len(m.channels))
	for at, ch := range m.channels {
		m.dirty.lengths[at] = ch.length(m.now.writable)
	}
}

// saveAtExit makes the one checkpoint of a run with DurabilityExit.
func (m *machine) saveAtExit(out *output) {
	switch {
	case m.ledger == nil || m.mode != DurabilityExit:
		return
	case !m.unsaved && len(m.atExit) > 0:
		m.requestCommit(out, &Change{Records: m.atExit})
		return
	case !m.unsaved:
		return
	}
	if err := m.lastCheckpoint(out); err != nil {
		m.err = saveError(m.err, err)
	}
}

func (m *machine) lastCheckpoint(out *output) error {
	source := SourceLoop
	if m.entering {
		source = SourceInput
	}
	full := m.snapshotDue()
	d := &m.dirty
	list := func(at int) bool { // saved as an addition
		return !full && d.touched[at] && m.ids[at].kind == KindAppend && !d.redone[at] && d.lengths != nil
	}
	dst, err := m.appendChannels(m.appendHead(nil, full), "set", func(at int) bool {
		return m.ids[at].kind != KindUntracked && (full || d.touched[at]) && !list(at)
	}, m.appendValue)
	if err != nil {
		return err
	}
	dst, err = m.appendChannels(dst, "add", list, func(dst []byte, at int) ([]byte, error) {
		return m.channels[at].encodeTail(dst, m.savedState(), d.lengths[at])
	})
	if err != nil {
		return err
	}
	if m.collects && len(m.written) > 0 {
		if dst, err = m.appendSaved(append(dst, `,"written":`...), m.written); err != nil {
			return fmt.Errorf("saving what graph %q wrote: %w", m.name, err)
		}
	}
	if dst, err = m.appendInput(dst); err != nil {
		return err
	}
	if dst, err = m.appendFrontier(dst, m.children); err != nil {
		return err
	}
	return m.checkpoint(out, source, d.step, dst, full)
}
