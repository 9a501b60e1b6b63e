package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// save makes a checkpoint of what the run is now. The results are those of the
// superstep that led here, if one did. The context is one that is not
// cancelled: what has been done is saved.
func (r *run) save(ctx context.Context, source Source, results []result) error {
	k := r.keep
	if k == nil {
		return nil
	}
	r.adoptChildren(results)
	if k.mode == DurabilityExit {
		return r.note(results)
	}
	full := k.snapshotDue() && source == SourceLoop || k.base == ""
	data, err := r.body(source, results, full)
	if err != nil {
		return err
	}
	return r.checkpoint(ctx, source, r.step, data, full)
}

func (r *run) checkpoint(ctx context.Context, source Source, step int, data []byte, full bool) error {
	r.from = nil
	c, err := r.keep.add(ctx, Checkpoint{Source: source, Step: step, Time: r.keep.timestamp(), Data: data}, full)
	if err != nil {
		return err
	}
	if r.wants(CheckpointSaved) {
		r.publish(event{foreign: foreign{Kind: CheckpointSaved, Checkpoint: c.ID, Parent: c.Parent, Source: source, Nodes: r.comingNames()}}, r.due())
	}
	return nil
}

// comingNames is dueNames, or Start for a run that has not left it.
func (r *run) comingNames() []string {
	if r.entering {
		return []string{Start}
	}
	return r.dueNames()
}

// adoptChildren notes how far the subgraphs of a superstep have come.
func (r *run) adoptChildren(results []result) {
	for i := range results {
		if t := results[i].task; t != nil && t.journal != nil && t.journal.inner != nil {
			r.keep.adopt(t.journal.inner)
		}
	}
}

func (k *keeper) adopt(children map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.children == nil {
		k.children = map[string]string{}
	}
	maps.Copy(k.children, children)
}

// body is the data of a checkpoint; see saved.
func (r *run) body(source Source, results []result, full bool) (dst []byte, err error) {
	k := r.keep
	dst = r.appendHead(make([]byte, 0, max(64, k.last+16)), full)
	if !full && source != SourceFork && len(r.fleeting) > 0 {
		dst = append(dst, `,"drop":`...)
		if dst, err = appendStrings(dst, channelNames(r.fleeting)); err != nil {
			return nil, err
		}
	}
	if dst, err = r.appendTasks(dst, results); err != nil {
		return nil, err
	}
	if r.from != nil {
		if dst, err = appendJSON(append(dst, `,"from":`...), r.from); err != nil {
			return nil, err
		}
	}
	set := func(at int) bool {
		id := r.ids[at]
		switch {
		case id.kind == KindUntracked:
			return false
		case full:
			return r.from == nil
		case id.kind != KindReduce:
			return false
		case r.leaves && writes(r.given, id):
			return true
		case source == SourceLoop:
			return r.tally.slots[at].epoch == r.tally.epoch || writes(r.early, id)
		}
		return writes(r.early, id) || slices.ContainsFunc(results, func(res result) bool { return writes(res.update, id) })
	}
	if dst, err = r.appendChannels(dst, "set", set, r.whole); err != nil {
		return nil, err
	}
	if dst, err = r.appendInput(dst); err != nil {
		return nil, err
	}
	dst, err = r.appendFrontier(dst, r.childrenOf(results, full))
	k.last = len(dst)
	return dst, err
}

// childrenOf are the subgraphs that a checkpoint has to name: all of them in a
// snapshot, else those of its superstep.
func (r *run) childrenOf(results []result, full bool) map[string]string {
	if full {
		return r.keep.children
	}
	var out map[string]string
	for i := range results {
		if t := results[i].task; t != nil && t.journal != nil && t.journal.inner != nil {
			if out == nil {
				out = map[string]string{}
			}
			maps.Copy(out, t.journal.inner)
		}
	}
	return out
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
func (r *run) appendTasks(dst []byte, results []result) ([]byte, error) {
	if results == nil && !r.leaves && r.early == nil {
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
			if dst, failure = r.appendSaved(append(dst, `,"update":`...), update); failure != nil {
				return err(failure)
			}
		}
		dst = append(dst, '}')
		return nil
	}
	if r.leaves {
		if err := task(Start, nil, nil); err != nil {
			return nil, err
		}
	}
	if r.early != nil {
		if err := task("", r.early, func(err error) error { return fmt.Errorf("saving the writes of the input: %w", err) }); err != nil {
			return nil, err
		}
	}
	for i := range results {
		res := &results[i]
		if err := task(r.nodes[res.node].name, res.update, func(err error) error {
			return r.nodeError(res.task, fmt.Errorf("saving what it returned: %w", err))
		}); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendHead begins the data.
func (r *run) appendHead(dst []byte, full bool) []byte {
	dst = strconv.AppendInt(append(dst, `{"v":`...), formatVersion, 10)
	if r.keep.owner != "" {
		dst = appendString(append(dst, `,"owner":`...), r.keep.owner)
	}
	if full {
		dst = append(dst, `,"full":true`...)
	}
	return dst
}

// appendInput writes the input of a run that has not committed it.
func (r *run) appendInput(dst []byte) (_ []byte, err error) {
	if !r.entering || r.given == nil {
		return dst, nil
	}
	if dst, err = r.appendSaved(append(dst, `,"input":`...), r.given); err != nil {
		return nil, fmt.Errorf("saving the input: %w", err)
	}
	return dst, nil
}

// committed is the state that a checkpoint holds: without an input that is not
// committed.
func (r *run) committed() any {
	if r.entering {
		return r.origin
	}
	return r.now.kept
}

// appendChannels writes an object of the channels that are picked, with what
// value writes of each.
func (r *run) appendChannels(dst []byte, name string, pick func(at int) bool, value func(dst []byte, at int) ([]byte, error)) ([]byte, error) {
	first := true
	for at, id := range r.ids {
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
func (r *run) whole(dst []byte, at int) ([]byte, error) {
	return r.channels[at].encode(dst, r.committed())
}

// appendFrontier writes what is to run next, and ends the data.
func (r *run) appendFrontier(dst []byte, children map[string]string) (_ []byte, err error) {
	if r.entering {
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
			dst = appendString(dst, r.nodes[id].name)
		})
		if !first {
			dst = append(dst, ']')
		}
	}
	list("next", func(yield func(int)) {
		for _, id := range r.next {
			yield(id)
		}
	})
	if len(r.sends) > 0 {
		dst = append(dst, `,"sends":[`...)
		for i := range r.sends {
			d := &r.sends[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = r.appendSend(dst, r.nodes[d.to].name, d.state, d.timeout); err != nil {
				return nil, err
			}
		}
		dst = append(dst, ']')
	}
	list("held", func(yield func(int)) {
		for id, held := range r.held {
			if held {
				yield(id)
			}
		}
	})
	var arrived map[string][]string
	for i, places := range r.arrived {
		for place, there := range places {
			if there {
				if arrived == nil {
					arrived = map[string][]string{}
				}
				arrived[r.joins[i].label] = append(arrived[r.joins[i].label], r.joins[i].sources[place])
			}
		}
	}
	if len(arrived) > 0 {
		if dst, err = appendJSON(append(dst, `,"arrived":`...), &arrived); err != nil {
			return nil, err
		}
	}
	if len(children) > 0 {
		if dst, err = appendJSON(append(dst, `,"children":`...), &children); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
