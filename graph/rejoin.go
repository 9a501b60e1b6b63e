package graph

import (
	"context"
	"fmt"
	"slices"
)

// taskIDs are those of the tasks that are due.
func (r *run) taskIDs() []string {
	var ids []string
	for i, name := range r.dueNames() {
		ids = append(ids, taskID(r.keep.namespace, r.keep.id, r.step+1, name, max(0, i-len(r.next)+1)))
	}
	return ids
}

// rejoin gives the tasks of a superstep what is on record of them.
func (r *run) rejoin(results []result) error {
	if len(r.keep.left) == 0 {
		return nil
	}
	left := r.keep.leftByTask()
	for i := range results {
		res := &results[i]
		name := r.nodes[res.node].name
		id := taskID(r.keep.namespace, r.keep.id, r.step, name, max(0, i-len(r.next)+1))
		res.past = &past{left: left[id]}
		data, ok := res.past.left[recordKey{RecordUpdate, ""}]
		if !ok {
			continue
		}
		update, err := r.decodeUpdate(data)
		if err != nil {
			return fmt.Errorf("reading what node %q returned: %w", name, err)
		}
		if data, ok := res.past.left[recordKey{RecordOnce, childrenKey}]; ok {
			if err := decodeInto(data, &res.past.inner); err != nil {
				return fmt.Errorf("reading where the graphs in node %q are: %w", name, err)
			}
		}
		for namespace := range res.past.inner {
			r.keep.claim(namespace, id)
		}
		res.update, res.past.done = update, true
	}
	return nil
}

// finished are the tasks of the superstep under way that have returned.
func (r *run) finished() ([]result, error) {
	results := r.stage()
	r.step++
	err := r.rejoin(results)
	r.step--
	if err != nil {
		return nil, err
	}
	var out []result
	for i := range results {
		if results[i].finished() {
			results[i].task = &task{
				Context: context.Background(), node: r.nodes[results[i].node].name, step: int32(r.step + 1),
				journal: &journal{inner: results[i].past.inner},
			}
			out = append(out, results[i])
			results[i].update = nil // whose place is used again
		}
	}
	return out, nil
}

// recover finds out what an earlier process wrote for the graph around it.
func (r *run) recover(ctx context.Context) error {
	k := r.keep
	var rows []update
	at := k.id
	for c, err := range k.saver.List(ctx, Query{Thread: k.thread, Namespace: k.namespace}) {
		if err != nil {
			return fmt.Errorf("reading what graph %q wrote: %w", r.name, err)
		}
		if c.ID != at {
			continue
		}
		at = c.Parent
		s, err := readSaved(c)
		if err != nil {
			return err
		}
		if s.Owner != k.owner {
			break
		}
		update, err := r.readUpdate(s.writes())
		if err != nil {
			return err
		}
		if rows = append(rows, update); s.Written != nil {
			break
		}
	}
	slices.Reverse(rows)
	r.written = slices.Concat(rows...)
	return nil
}
