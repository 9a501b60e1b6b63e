package graph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// save makes a checkpoint of the run. The results are those of the last
// superstep, or nil.
func (m *machine) save(out *output, source Source, results []result) {
	if m.ledger == nil {
		return
	}
	err := m.makeCheckpoint(out, source, results)
	if err != nil {
		m.failSave(err)
	}
}

func (m *machine) makeCheckpoint(out *output, source Source, results []result) error {
	m.children = childrenOf(results, m.children)
	if m.mode == DurabilityExit {
		return m.noteChanges(results)
	}
	full := m.snapshotDue() && source == SourceLoop || m.base == ""
	data, err := m.body(source, results, full)
	if err != nil {
		return err
	}
	return m.checkpoint(out, source, m.step, data, full)
}

func (m *machine) checkpoint(out *output, source Source, step int, data []byte, full bool) error {
	m.stateFrom = nil
	parent := m.id
	if m.unsaved {
		parent = m.parent
	}
	change, err := m.addCheckpoint(source, step, data, full)
	if err != nil {
		return err
	}
	m.requestCommit(out, change)
	if m.wants(CheckpointSaved) {
		m.savedEvent = &event{foreign: foreign{
			Kind: CheckpointSaved, Step: m.step, Places: []Place{{m.step, m.due()}},
			Checkpoint: m.id, Parent: parent, Source: source, Nodes: m.comingNames(),
		}}
	}
	return nil
}

// comingNames returns dueNames, or Start before the run has left it.
func (m *machine) comingNames() []string {
	if m.entering {
		return []string{Start}
	}
	return m.dueNames()
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
func (m *machine) body(source Source, results []result, full bool) (dst []byte, err error) {
	// Room for several checkpoints is made at once, once there are many.
	if room := max(64, m.lastSize+16); cap(m.space) < room {
		m.space = make([]byte, 0, room*max(1, min(m.step, 16)))
	}
	dst = m.appendHead(m.space, full)
	if !full && source != SourceFork && !(m.leavesStart && source == SourceLoop) && len(m.fleeting) > 0 {
		dst = append(dst, `,"drop":`...)
		if dst, err = appendStrings(dst, channelNames(m.fleeting)); err != nil {
			return nil, err
		}
	}
	if dst, err = m.appendTasks(dst, results); err != nil {
		return nil, err
	}
	if m.stateFrom != nil {
		if dst, err = appendJSON(append(dst, `,"from":`...), m.stateFrom); err != nil {
			return nil, err
		}
	}
	set := func(at int) bool {
		id := m.ids[at]
		switch {
		case id.kind == KindUntracked:
			return false
		case full:
			return m.stateFrom == nil
		case id.kind != KindReduce:
			return false
		case m.leavesStart && writes(m.turnInput, id):
			return true
		case source == SourceLoop:
			return m.tally.slots[at].epoch == m.tally.epoch || m.resumeWrites(id)
		}
		return m.resumeWrites(id) || slices.ContainsFunc(results, func(res result) bool { return writes(res.update, id) })
	}
	if dst, err = m.appendChannels(dst, "set", set, m.appendValue); err != nil {
		return nil, err
	}
	if dst, err = m.appendInput(dst); err != nil {
		return nil, err
	}
	children := m.children
	if !full {
		children = childrenOf(results, nil)
	}
	dst, err = m.appendFrontier(dst, children)
	m.lastSize = len(dst)
	if cap(dst) == cap(m.space) {
		m.space = dst[len(dst):]
	}
	return slices.Clip(dst), err
}

// resumeWrites reports whether an update given with answers writes a channel.
func (m *machine) resumeWrites(id *channelID) bool {
	return slices.ContainsFunc(m.resumeUpdates, func(u update) bool { return writes(u, id) })
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
func (m *machine) appendTasks(dst []byte, results []result) ([]byte, error) {
	if results == nil && !m.leavesStart && m.resumeUpdates == nil {
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
			if dst, err = m.appendSaved(append(dst, `,"update":`...), update); err != nil {
				return err
			}
		}
		dst = append(dst, '}')
		return nil
	}
	if m.leavesStart {
		if err := task(Start, nil); err != nil {
			return nil, err
		}
	}
	for _, u := range m.resumeUpdates {
		if err := task("", u); err != nil {
			return nil, fmt.Errorf("saving the writes of the input: %w", err)
		}
	}
	for i := range results {
		res := &results[i]
		if err := task(m.nodes[res.node].name, res.update); err != nil {
			return nil, m.nodeError(res, fmt.Errorf("saving what it returned: %w", err))
		}
	}
	return append(dst, ']'), nil
}

// appendHead begins the encoding.
func (m *machine) appendHead(dst []byte, full bool) []byte {
	dst = strconv.AppendInt(append(dst, `{"v":`...), FormatVersion, 10)
	if m.owner != "" {
		dst = appendString(append(dst, `,"owner":`...), m.owner)
	}
	if full {
		dst = append(dst, `,"full":true`...)
	}
	return dst
}

// appendInput encodes an input that is not committed.
func (m *machine) appendInput(dst []byte) (_ []byte, err error) {
	if !m.entering || m.turnInput == nil {
		return dst, nil
	}
	if dst, err = m.appendSaved(append(dst, `,"input":`...), m.turnInput); err != nil {
		return nil, fmt.Errorf("saving the input: %w", err)
	}
	return dst, nil
}

// savedState returns the state for a checkpoint, without an uncommitted input.
func (m *machine) savedState() any {
	if m.entering {
		return m.origin
	}
	return m.now.writable
}

// appendChannels encodes an object of the picked channels. Value encodes each.
func (m *machine) appendChannels(dst []byte, name string, pick func(at int) bool, value func(dst []byte, at int) ([]byte, error)) ([]byte, error) {
	first := true
	for at, id := range m.ids {
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
func (m *machine) appendValue(dst []byte, at int) ([]byte, error) {
	return m.channels[at].encode(dst, m.savedState())
}

// appendFrontier encodes the frontier, and ends the encoding.
func (m *machine) appendFrontier(dst []byte, children map[string]string) (_ []byte, err error) {
	if m.entering {
		dst = append(dst, `,"next":["`+Start+`"]`...)
	}
	dst = m.appendNodes(dst, `,"next":[`, m.next)
	if len(m.sends) > 0 {
		dst = append(dst, `,"sends":[`...)
		for i := range m.sends {
			d := &m.sends[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = m.appendSend(dst, m.nodes[d.to].name, d.state, d.timeout); err != nil {
				return nil, err
			}
		}
		dst = append(dst, ']')
	}
	var deferred []int
	for id, is := range m.deferred {
		if is {
			deferred = append(deferred, id)
		}
	}
	dst = m.appendNodes(dst, `,"held":[`, deferred)
	var arrived map[string][]string
	for i, places := range m.arrived {
		for place, there := range places {
			if there {
				if arrived == nil {
					arrived = map[string][]string{}
				}
				arrived[m.joins[i].label] = append(arrived[m.joins[i].label], m.joins[i].sources[place])
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
func (m *machine) appendNodes(dst []byte, opening string, ids []int) []byte {
	for i, id := range ids {
		if i == 0 {
			dst = append(dst, opening...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendString(dst, m.nodes[id].name)
	}
	if len(ids) > 0 {
		dst = append(dst, ']')
	}
	return dst
}
