package graph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// makeCheckpoint makes the change that saves the position, and moves to it. The
// results are those of the last superstep, or nil. It returns nil with
// DurabilityExit, which saves at the end of the run.
func (pos *position) makeCheckpoint(source Source, results []result) (*Change, error) {
	l := pos.ledger
	l.children = childrenOf(results, l.children)
	l.stopsAtBreakpoint = l.stopsAtBreakpoint || pos.machine.StopsAfter()
	if source == SourceFork {
		l.pendingWrites = nil
	}
	if l.mode == DurabilityExit {
		return nil, pos.noteChanges(results)
	}
	full := l.snapshotDue() && source == SourceLoop || l.base == ""
	data, err := pos.body(source, results, full)
	if err != nil {
		return nil, err
	}
	pos.stateFrom = nil
	return l.addCheckpoint(source, pos.machine.Superstep(), data, full)
}

// childrenOf adds the newest checkpoints of a superstep's stateful subgraphs to
// children, which may be nil.
func childrenOf(results []result, children map[string]string) map[string]string {
	for i := range results {
		if results[i].children == nil {
			continue
		}
		if children == nil {
			children = map[string]string{}
		}
		maps.Copy(children, results[i].children)
	}
	return children
}

// body encodes a checkpoint; see saved.
func (pos *position) body(source Source, results []result, full bool) (dst []byte, err error) {
	// Room for several checkpoints is made at once, once there are many.
	if room := max(64, pos.ledger.lastSize+16); cap(pos.ledger.space) < room {
		pos.ledger.space = make([]byte, 0, room*max(1, min(pos.machine.Superstep(), 16)))
	}
	dst = pos.appendHead(pos.ledger.space, full)
	if !full && source != SourceFork && !(pos.machine.Leaving() && source == SourceLoop) && len(pos.program.fleeting) > 0 {
		dst = append(dst, `,"drop":`...)
		if dst, err = appendStrings(dst, channelNames(pos.program.fleeting)); err != nil {
			return nil, err
		}
	}
	if dst, err = pos.appendTasks(dst, results); err != nil {
		return nil, err
	}
	if pos.stateFrom != nil {
		if dst, err = appendJSON(append(dst, `,"from":`...), pos.stateFrom); err != nil {
			return nil, err
		}
	}
	set := func(at int) bool {
		id := pos.program.ids[at]
		switch {
		case id.kind == KindUntracked:
			return false
		case full:
			return pos.stateFrom == nil
		case id.kind != KindReduce:
			return false
		case pos.machine.Leaving() && writes(pos.turnInput, id):
			return true
		case source == SourceLoop:
			return pos.tally.Wrote(at) || pos.resumeWrites(id)
		}
		return pos.resumeWrites(id) || slices.ContainsFunc(results, func(res result) bool { return writes(res.update, id) })
	}
	if dst, err = pos.appendChannels(dst, "set", set, pos.appendValue); err != nil {
		return nil, err
	}
	if dst, err = pos.appendInput(dst); err != nil {
		return nil, err
	}
	children := pos.ledger.children
	if !full {
		children = childrenOf(results, nil)
	}
	dst, err = pos.appendFrontier(dst, children)
	pos.ledger.lastSize = len(dst)
	if cap(dst) == cap(pos.ledger.space) {
		pos.ledger.space = dst[len(dst):]
	}
	return slices.Clip(dst), err
}

// resumeWrites reports whether an update given with answers writes a channel.
func (pos *position) resumeWrites(id *channelID) bool {
	return slices.ContainsFunc(pos.resumeUpdates, func(u update) bool { return writes(u, id) })
}

// writes reports whether an update writes a channel.
func writes(u update, id *channelID) bool {
	return slices.ContainsFunc(u, func(w write) bool { return w.channel() == id })
}

func channelNames(channels []channel) []string {
	names := make([]string, len(channels))
	for i, ch := range channels {
		names[i] = ch.id().name
	}
	return names
}

// appendTasks encodes the updates of a superstep's tasks.
func (pos *position) appendTasks(dst []byte, results []result) ([]byte, error) {
	if results == nil && !pos.machine.Leaving() && pos.resumeUpdates == nil {
		return dst, nil
	}
	dst = append(dst, `,"tasks":[`...)
	begun := len(dst)
	task := func(node string, update update) (err error) {
		if len(dst) > begun {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"node":`...), node)
		if len(update) > 0 {
			if dst, err = pos.program.appendSaved(append(dst, `,"update":`...), update); err != nil {
				return err
			}
		}
		dst = append(dst, '}')
		return nil
	}
	if pos.machine.Leaving() {
		if err := task(Start, nil); err != nil {
			return nil, err
		}
	}
	for _, u := range pos.resumeUpdates {
		if err := task("", u); err != nil {
			return nil, fmt.Errorf("saving the writes of the input: %w", err)
		}
	}
	for i := range results {
		res := &results[i]
		if err := task(pos.program.nodes[res.node].name, res.update); err != nil {
			return nil, pos.nodeError(res, fmt.Errorf("saving what it returned: %w", err))
		}
	}
	return append(dst, ']'), nil
}

// appendHead begins the encoding.
func (pos *position) appendHead(dst []byte, full bool) []byte {
	dst = strconv.AppendInt(append(dst, `{"v":`...), FormatVersion, 10)
	if pos.ledger.owner != "" {
		dst = appendString(append(dst, `,"owner":`...), pos.ledger.owner)
	}
	if full {
		dst = append(dst, `,"full":true`...)
	}
	return dst
}

// appendInput encodes an input that is not committed.
func (pos *position) appendInput(dst []byte) (_ []byte, err error) {
	if !pos.machine.Entering() || pos.turnInput == nil {
		return dst, nil
	}
	if dst, err = pos.program.appendSaved(append(dst, `,"input":`...), pos.turnInput); err != nil {
		return nil, fmt.Errorf("saving the input: %w", err)
	}
	return dst, nil
}

// savedState returns the state for a checkpoint, without an uncommitted input.
func (pos *position) savedState() any {
	if pos.machine.Entering() {
		return pos.origin
	}
	return pos.now.writable
}

// appendChannels encodes an object of the picked channels. Value encodes each.
func (pos *position) appendChannels(dst []byte, name string, pick func(at int) bool, value func(dst []byte, at int) ([]byte, error)) ([]byte, error) {
	first := true
	for at, id := range pos.program.ids {
		if !pick(at) {
			continue
		}
		if first {
			dst = append(append(append(dst, `,"`...), name...), `":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		var err error
		if dst, err = value(append(appendString(dst, id.name), ':'), at); err != nil {
			return nil, fmt.Errorf("saving channel %q: %w", id.name, err)
		}
	}
	if !first {
		dst = append(dst, '}')
	}
	return dst, nil
}

// appendValue encodes the whole value of a channel.
func (pos *position) appendValue(dst []byte, at int) ([]byte, error) {
	return pos.program.channels[at].encode(dst, pos.savedState())
}

// appendFrontier encodes the frontier, and ends the encoding.
func (pos *position) appendFrontier(dst []byte, children map[string]string) (_ []byte, err error) {
	if pos.machine.Entering() {
		dst = append(dst, `,"next":["`+Start+`"]`...)
	}
	dst = pos.appendNodes(dst, `,"next":[`, pos.machine.Next())
	if sends := pos.machine.Sends(); len(sends) > 0 {
		dst = append(dst, `,"sends":[`...)
		for i, send := range sends {
			d := send.Load.(*queuedSend)
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = pos.program.appendSend(dst, pos.program.nodes[send.To].name, d.state, d.timeout); err != nil {
				return nil, err
			}
		}
		dst = append(dst, ']')
	}
	dst = pos.appendNodes(dst, `,"held":[`, pos.machine.Deferred())
	var arrived map[string][]string
	for i := range pos.program.joins {
		j := &pos.program.joins[i]
		for place, there := range pos.machine.Arrived(i) {
			if there {
				if arrived == nil {
					arrived = map[string][]string{}
				}
				arrived[j.label] = append(arrived[j.label], j.sources[place])
			}
		}
	}
	if len(arrived) > 0 {
		own := arrived // a copy, so that arrived itself stays off the heap
		if dst, err = appendJSON(append(dst, `,"arrived":`...), &own); err != nil {
			return nil, err
		}
	}
	if len(children) > 0 {
		own := children
		if dst, err = appendJSON(append(dst, `,"children":`...), &own); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendNodes encodes a list of node names, unless it is empty.
func (pos *position) appendNodes(dst []byte, opening string, ids []int) []byte {
	for i, id := range ids {
		if i == 0 {
			dst = append(dst, opening...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendString(dst, pos.program.nodes[id].name)
	}
	if len(ids) > 0 {
		dst = append(dst, ']')
	}
	return dst
}
