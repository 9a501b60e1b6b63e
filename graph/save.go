package graph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// save has a checkpoint made of what the run is now. The results are those of
// the superstep that led here, if one did.
func (m *machine) save(out *output, source Source, results []result) {
	if m.ledger == nil {
		return
	}
	err := m.makeCheckpoint(out, source, results)
	if err != nil {
		m.unsave(err)
	}
}

func (m *machine) makeCheckpoint(out *output, source Source, results []result) error {
	m.children = childrenOf(results, m.children)
	if m.mode == DurabilityExit {
		return m.note(results)
	}
	full := m.snapshotDue() && source == SourceLoop || m.base == ""
	data, err := m.body(source, results, full)
	if err != nil {
		return err
	}
	return m.checkpoint(out, source, m.step, data, full)
}

func (m *machine) checkpoint(out *output, source Source, step int, data []byte, full bool) error {
	m.from = nil
	parent := m.id
	if m.unsaved {
		parent = m.parent
	}
	change, err := m.add(source, step, data, full)
	if err != nil {
		return err
	}
	m.hand(out, change)
	if m.wants(CheckpointSaved) {
		m.told = &event{foreign: foreign{
			Kind: CheckpointSaved, Step: m.step, Places: []Place{{m.step, m.due()}},
			Checkpoint: m.id, Parent: parent, Source: source, Nodes: m.comingNames(),
		}}
	}
	return nil
}

// comingNames is dueNames, or Start for a run that has not left it.
func (m *machine) comingNames() []string {
	if m.entering {
		return []string{Start}
	}
	return m.dueNames()
}

// childrenOf adds the subgraphs of a superstep that keep their state, with how
// far they have come, to a map that may be nil.
func childrenOf(results []result, children map[string]string) map[string]string {
	for i := range results {
		if results[i].inner == nil {
			continue
		}
		if children == nil {
			children = map[string]string{}
		}
		maps.Copy(children, results[i].inner)
	}
	return children
}

// body is the data of a checkpoint; see saved.
func (m *machine) body(source Source, results []result, full bool) (dst []byte, err error) {
	dst = m.appendHead(make([]byte, 0, max(64, m.last+16)), full)
	if !full && source != SourceFork && !(m.leaves && source == SourceLoop) && len(m.fleeting) > 0 {
		dst = append(dst, `,"drop":`...)
		if dst, err = appendStrings(dst, channelNames(m.fleeting)); err != nil {
			return nil, err
		}
	}
	if dst, err = m.appendTasks(dst, results); err != nil {
		return nil, err
	}
	if m.from != nil {
		if dst, err = appendJSON(append(dst, `,"from":`...), m.from); err != nil {
			return nil, err
		}
	}
	set := func(at int) bool {
		id := m.ids[at]
		switch {
		case id.kind == KindUntracked:
			return false
		case full:
			return m.from == nil
		case id.kind != KindReduce:
			return false
		case m.leaves && writes(m.given, id):
			return true
		case source == SourceLoop:
			return m.tally.slots[at].epoch == m.tally.epoch || m.brought(id)
		}
		return m.brought(id) || slices.ContainsFunc(results, func(res result) bool { return writes(res.update, id) })
	}
	if dst, err = m.appendChannels(dst, "set", set, m.whole); err != nil {
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
	m.last = len(dst)
	return dst, err
}

// brought reports whether what came with answers writes a channel.
func (m *machine) brought(id *channelID) bool {
	return slices.ContainsFunc(m.early, func(u update) bool { return writes(u, id) })
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

// appendTasks writes what the tasks of a superstep returned.
func (m *machine) appendTasks(dst []byte, results []result) ([]byte, error) {
	if results == nil && !m.leaves && m.early == nil {
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
	if m.leaves {
		if err := task(Start, nil); err != nil {
			return nil, err
		}
	}
	for _, u := range m.early {
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

// appendHead begins the data.
func (m *machine) appendHead(dst []byte, full bool) []byte {
	dst = strconv.AppendInt(append(dst, `{"v":`...), formatVersion, 10)
	if m.owner != "" {
		dst = appendString(append(dst, `,"owner":`...), m.owner)
	}
	if full {
		dst = append(dst, `,"full":true`...)
	}
	return dst
}

// appendInput writes the input of a run that has not committed it.
func (m *machine) appendInput(dst []byte) (_ []byte, err error) {
	if !m.entering || m.given == nil {
		return dst, nil
	}
	if dst, err = m.appendSaved(append(dst, `,"input":`...), m.given); err != nil {
		return nil, fmt.Errorf("saving the input: %w", err)
	}
	return dst, nil
}

// committed is the state that a checkpoint holds: without an input that is not
// committed.
func (m *machine) committed() any {
	if m.entering {
		return m.origin
	}
	return m.now.kept
}

// appendChannels writes an object of the channels that are picked, with what
// value writes of each.
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

// whole writes the whole value of a channel.
func (m *machine) whole(dst []byte, at int) ([]byte, error) {
	return m.channels[at].encode(dst, m.committed())
}

// appendFrontier writes what is to run next, and ends the data.
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
	var held []int
	for id, is := range m.held {
		if is {
			held = append(held, id)
		}
	}
	dst = m.appendNodes(dst, `,"held":[`, held)
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
		own := arrived // which then is not always on the heap
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

// appendNodes writes a list of nodes by their names, unless it is empty.
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
