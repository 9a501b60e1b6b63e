package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// changes are what a run has made of its state since it was last saved.
type changes struct {
	any     bool
	touched []bool // by slot
	redone  []bool // by slot: a list that was not only added to
	lengths []int  // by slot: of lists, when they were saved
}

// save makes a checkpoint of what the run is now. The results are those of the
// superstep that led here, if one did.
func (r *run[S]) save(ctx context.Context, source Source, results []result[S]) error {
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
	return r.checkpoint(ctx, source, data, full)
}

func (r *run[S]) checkpoint(ctx context.Context, source Source, data []byte, full bool) error {
	c, err := r.keep.add(context.WithoutCancel(ctx), Checkpoint{Source: source, Step: r.step, Time: r.timestamp(), Data: data}, full)
	if err != nil {
		return err
	}
	if r.wants(CheckpointSaved) {
		r.publish(Event[S]{Kind: CheckpointSaved, Checkpoint: c.ID, Parent: c.Parent, Source: source, Nodes: r.comingNames()}, r.due())
	}
	return nil
}

// comingNames is dueNames, or Start for a run that has not left it.
func (r *run[S]) comingNames() []string {
	if r.entering {
		return []string{Start}
	}
	return r.dueNames()
}

// adoptChildren notes how far the subgraphs of a superstep have come.
func (r *run[S]) adoptChildren(results []result[S]) {
	for i := range results {
		t := results[i].task
		if t == nil || t.journal == nil || t.journal.inner == nil {
			continue
		}
		if r.keep.children == nil {
			r.keep.children = map[string]string{}
		}
		maps.Copy(r.keep.children, t.journal.inner)
	}
}

// body is the data of a checkpoint; see saved.
func (r *run[S]) body(source Source, results []result[S], full bool) (dst []byte, err error) {
	k := r.keep
	dst = append(make([]byte, 0, 256), `{"v":1`...)
	if k.owner != "" {
		dst = appendString(append(dst, `,"owner":`...), k.owner)
	}
	if full {
		dst = append(dst, `,"full":true`...)
	} else if source == SourceLoop && len(r.fleeting) > 0 {
		dst = append(dst, `,"drop":`...)
		if dst, err = appendStrings(dst, channelNames(r.fleeting)); err != nil {
			return nil, err
		}
	}
	if dst, err = r.appendTasks(dst, source, results); err != nil {
		return nil, err
	}
	state := &r.now.kept
	if r.entering {
		state = &r.origin
	}
	set := func(at int) bool {
		id := r.ids[at]
		switch {
		case id.kind == KindUntracked:
			return false
		case full:
			return true
		case id.kind != KindReduce:
			return false
		case source == SourceLoop:
			return r.tally.slots[at].epoch == r.tally.epoch || writes(r.early, id)
		}
		return slices.ContainsFunc(results, func(res result[S]) bool { return writes(res.update, id) })
	}
	if dst, err = r.appendValues(dst, state, set); err != nil {
		return nil, err
	}
	if r.entering && r.input_ != nil {
		if dst, err = appendUpdate(append(dst, `,"input":`...), r.input_); err != nil {
			return nil, fmt.Errorf("saving the input: %w", err)
		}
	}
	children := map[string]string{}
	if full {
		children = k.children
	}
	for i := range results {
		if t := results[i].task; t != nil && t.journal != nil && !full {
			maps.Copy(children, t.journal.inner)
		}
	}
	return r.appendFrontier(dst, children)
}

// writes reports whether an update writes a channel.
func writes[S any](u Update[S], id *channelID) bool {
	return slices.ContainsFunc(u, func(w Write[S]) bool { return w.channel() == id })
}

func channelNames[S any](channels []Channel[S]) []string {
	names := make([]string, len(channels))
	for i, ch := range channels {
		names[i] = ch.Name()
	}
	return names
}

// appendTasks writes what the tasks of a superstep returned.
func (r *run[S]) appendTasks(dst []byte, source Source, results []result[S]) ([]byte, error) {
	leaves := source == SourceLoop && results == nil // Start
	if results == nil && !leaves && r.early == nil {
		return dst, nil
	}
	dst = append(dst, `,"tasks":[`...)
	begun := len(dst)
	task := func(node string, update Update[S], err func(error) error) error {
		if len(dst) > begun {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"node":`...), node)
		if len(update) > 0 {
			var failure error
			if dst, failure = appendUpdate(append(dst, `,"update":`...), update); failure != nil {
				return err(failure)
			}
		}
		dst = append(dst, '}')
		return nil
	}
	if leaves {
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

// appendValues writes the values of channels.
func (r *run[S]) appendValues(dst []byte, state *S, set func(at int) bool) ([]byte, error) {
	var err error
	first := true
	for at, ch := range r.channels {
		if !set(at) {
			continue
		}
		if first {
			dst = append(dst, `,"set":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, ch.Name()), ':')
		if dst, err = ch.encode(dst, state); err != nil {
			return nil, fmt.Errorf("saving channel %q: %w", ch.Name(), err)
		}
	}
	if !first {
		dst = append(dst, '}')
	}
	return dst, nil
}

// appendFrontier writes what is to run next, and ends the data.
func (r *run[S]) appendFrontier(dst []byte, children map[string]string) (_ []byte, err error) {
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
			if dst, err = appendJSON(dst, Send[S]{r.nodes[d.to].name, d.state, d.timeout}); err != nil {
				return nil, fmt.Errorf("saving a Send to %q: %w", r.nodes[d.to].name, err)
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
	arrived := map[string][]string{}
	for i, places := range r.arrived {
		for place, there := range places {
			if there {
				arrived[r.joins[i].label] = append(arrived[r.joins[i].label], r.joins[i].sources[place])
			}
		}
	}
	if len(arrived) > 0 {
		if dst, err = appendJSON(append(dst, `,"arrived":`...), arrived); err != nil {
			return nil, err
		}
	}
	if len(children) > 0 {
		if dst, err = appendJSON(append(dst, `,"children":`...), children); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// note remembers what a superstep changed, for the one checkpoint at the end.
func (r *run[S]) note(results []result[S]) error {
	d := &r.dirty
	touch := func(updates ...Update[S]) {
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
		d.any, d.touched, d.redone = true, make([]bool, len(r.channels)), make([]bool, len(r.channels))
	}
	touch(r.input_, r.early)
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
		k.id, k.unsaved = id, true
	}
	k.held, k.left, k.done = nil, nil, false
	return nil
}

// lengths are those of the state's lists.
func (r *run[S]) measure() {
	if r.keep == nil || r.keep.mode != DurabilityExit {
		return
	}
	r.dirty.lengths = make([]int, len(r.channels))
	for at, ch := range r.channels {
		r.dirty.lengths[at] = ch.length(&r.now.kept)
	}
}

// saveAtExit makes the one checkpoint of a run with DurabilityExit.
func (r *run[S]) saveAtExit(ctx context.Context) error {
	k := r.keep
	switch {
	case k == nil || k.mode != DurabilityExit:
		return nil
	case !k.unsaved && len(k.held) > 0:
		return k.commit(context.WithoutCancel(ctx), Change{Records: k.held})
	case !k.unsaved:
		return nil
	}
	source := SourceLoop
	if r.entering {
		source = SourceInput
	}
	full := k.base == "" || k.snapshotDue()
	dst := append(make([]byte, 0, 256), `{"v":1`...)
	if k.owner != "" {
		dst = appendString(append(dst, `,"owner":`...), k.owner)
	}
	if full {
		dst = append(dst, `,"full":true`...)
	}
	d := &r.dirty
	list := func(at int) bool {
		return !full && r.ids[at].kind == KindAppend && !d.redone[at] && d.lengths != nil
	}
	state := &r.now.kept
	if r.entering {
		state = &r.origin
	}
	dst, err := r.appendValues(dst, state, func(at int) bool {
		return r.ids[at].kind != KindUntracked && (full || d.touched[at]) && !list(at)
	})
	if err != nil {
		return err
	}
	first := true
	for at, ch := range r.channels {
		if full || !d.touched[at] || !list(at) {
			continue
		}
		if first {
			dst = append(dst, `,"add":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, ch.Name()), ':')
		if dst, err = ch.encodeTail(dst, state, d.lengths[at]); err != nil {
			return fmt.Errorf("saving channel %q: %w", ch.Name(), err)
		}
	}
	if !first {
		dst = append(dst, '}')
	}
	if r.record && len(r.written) > 0 {
		if dst, err = appendUpdate(append(dst, `,"written":`...), r.written); err != nil {
			return fmt.Errorf("saving what graph %q wrote: %w", r.name, err)
		}
	}
	if r.entering && r.input_ != nil {
		if dst, err = appendUpdate(append(dst, `,"input":`...), r.input_); err != nil {
			return fmt.Errorf("saving the input: %w", err)
		}
	}
	if dst, err = r.appendFrontier(dst, k.children); err != nil {
		return err
	}
	return r.checkpoint(ctx, source, dst, full)
}

// restoreFrontier puts in place what a checkpoint says is to run next.
func (r *run[S]) restoreFrontier(s *saved) error {
	find := func(name string) (int, error) {
		at, ok := slices.BinarySearchFunc(r.nodes, name, func(n node[S], name string) int { return strings.Compare(n.name, name) })
		if !ok {
			return 0, fmt.Errorf("the checkpoint goes on at node %q, which graph %q does not have; known nodes: %s: UpdateState can lead the thread elsewhere", name, r.name, orNone(r.names()))
		}
		return at, nil
	}
	for _, name := range s.Next {
		if name == Start {
			r.entering, r.reenters = true, true
			continue
		}
		id, err := find(name)
		if err != nil {
			return err
		}
		r.next = append(r.next, id)
	}
	slices.Sort(r.next)
	for _, send := range s.Sends {
		id, err := find(send.Node)
		if err != nil {
			return err
		}
		d := delivery[S]{to: id}
		if send.Timeout != nil {
			d.timeout = *send.Timeout
		}
		if err := decodeInto(send.State, &d.state); err != nil {
			return fmt.Errorf("reading a Send to %q: %w", send.Node, err)
		}
		r.clip(&d.state)
		r.sends = append(r.sends, d)
	}
	for _, name := range s.Held {
		id, err := find(name)
		if err != nil {
			return err
		}
		r.held[id] = true
	}
	for _, label := range slices.Sorted(maps.Keys(s.Arrived)) {
		join := slices.IndexFunc(r.joins, func(j compiledJoin) bool { return j.label == label })
		if join < 0 {
			return fmt.Errorf("the checkpoint has a join %q under way, which graph %q does not have", label, r.name)
		}
		for _, from := range s.Arrived[label] {
			place := slices.Index(r.joins[join].sources, from)
			if place < 0 {
				return fmt.Errorf("the checkpoint has %q at the join %q, which does not wait for it", from, label)
			}
			r.arrived[join][place] = true
		}
	}
	return nil
}

// clearFrontier forgets what is to run next.
func (r *run[S]) clearFrontier() {
	r.next, r.sends, r.entering, r.reenters = r.next[:0], r.sends[:0], false, false
	clear(r.held)
	for _, places := range r.arrived {
		clear(places)
	}
}
