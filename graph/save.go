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
	m.adoptChildren(results)
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

// adoptChildren notes how far the subgraphs of a superstep have come.
func (m *machine) adoptChildren(results []result) {
	for i := range results {
		if results[i].inner == nil {
			continue
		}
		if m.children == nil {
			m.children = map[string]string{}
		}
		maps.Copy(m.children, results[i].inner)
	}
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
	dst, err = m.appendFrontier(dst, m.childrenOf(results, full))
	m.last = len(dst)
	return dst, err
}

// childrenOf are the subgraphs that a checkpoint has to name: all of them in a
// snapshot, else those of its superstep.
func (m *machine) childrenOf(results []result, full bool) map[string]string {
	if full {
		return m.children
	}
	var out map[string]string
	for i := range results {
		if results[i].inner != nil {
			if out == nil {
				out = map[string]string{}
			}
			maps.Copy(out, results[i].inner)
		}
	}
	return out
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
	task := func(node string, update update, err func(error) error) error {
		if len(dst) > begun {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"node":`...), node)
		if len(update) > 0 {
			var failure error
			if dst, failure = m.appendSaved(append(dst, `,"update":`...), update); failure != nil {
				return err(failure)
			}
		}
		dst = append(dst, '}')
		return nil
	}
	if m.leaves {
		if err := task(Start, nil, nil); err != nil {
			return nil, err
		}
	}
	for _, u := range m.early {
		if err := task("", u, func(err error) error { return fmt.Errorf("saving the writes of the input: %w", err) }); err != nil {
			return nil, err
		}
	}
	for i := range results {
		res := &results[i]
		if err := task(m.nodes[res.node].name, res.update, func(err error) error {
			return m.nodeError(res, fmt.Errorf("saving what it returned: %w", err))
		}); err != nil {
			return nil, err
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
	list := func(name string, ids func(yield func(int))) {
		first := true
		ids(func(id int) {
			if first {
				dst = append(append(append(dst, `,"`...), name...), `":[`...)
			} else {
				dst = append(dst, ',')
			}
			first = false
			dst = appendString(dst, m.nodes[id].name)
		})
		if !first {
			dst = append(dst, ']')
		}
	}
	list("next", func(yield func(int)) {
		for _, id := range m.next {
			yield(id)
		}
	})
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
	list("held", func(yield func(int)) {
		for id, held := range m.held {
			if held {
				yield(id)
			}
		}
	})
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
