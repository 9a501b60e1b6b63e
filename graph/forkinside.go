package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A threadFork makes the checkpoints that let a thread go on inside a node that has finished. They
// are made from what is saved, without the types of the graphs around.
type threadFork struct {
	ctx    context.Context
	saver  Checkpointer
	thread string
	rows   []Checkpoint // outer graphs first
}

// inside copies a checkpoint of a graph inside a node, and before it those of the outer graphs
// before their nodes, and returns the copy's key.
func (f *threadFork) inside(p *point) (Key, error) {
	namespace, owner, err := f.again(p.Namespace, p.last.Owner)
	if err != nil {
		return Key{}, err
	}
	row, err := f.copied(p, namespace, owner)
	return Key{f.thread, namespace, row.ID}, err
}

// again makes the task due again that ran the graph in a namespace. It returns the namespace that
// the graph has in that task, and the task's ID.
func (f *threadFork) again(namespace, owner string) (inTask, task string, err error) {
	cut := max(0, strings.LastIndex(namespace, "/"))
	outer, name := namespace[:cut], strings.TrimPrefix(namespace[cut:], "/")
	p, node, send, err := f.before(outer, owner)
	if err != nil {
		return "", "", err
	}
	row, known := Checkpoint{}, outer == ""
	if !known {
		err = checkWaits(f.ctx, f.saver, Key{f.thread, outer, ""}, p.last.Owner)
		known = err == nil
	}
	switch {
	case known:
		row = p.Checkpoint
		if row.ID, err = f.nextIn(outer); err != nil {
			return "", "", err
		}
		if row.Source = SourceFork; row.Base == p.ID {
			row.Base = row.ID
		}
		f.rows = append(f.rows, row)
	case !errors.Is(err, ErrInvalidUpdate):
		return "", "", err
	default: // that graph's node has finished, too
		if outer, task, err = f.again(outer, p.last.Owner); err == nil {
			row, err = f.copied(p, outer, task)
		}
		if err != nil {
			return "", "", err
		}
	}
	task = taskID(outer, row.ID, row.Step+1, node, send)
	return strings.TrimPrefix(outer+"/"+strings.Replace(name, ":"+owner, ":"+task, 1), "/"), task, nil
}

// before returns the newest checkpoint in a namespace after which a task was due.
func (f *threadFork) before(namespace, task string) (p *point, node string, send int, err error) {
	for c, err := range f.saver.List(f.ctx, Query{Thread: f.thread, Namespace: namespace}) {
		if err != nil {
			return nil, "", 0, fmt.Errorf("listing thread %q: %w", f.thread, ofCheckpointer(err))
		}
		s, err := readSaved(c)
		if err != nil {
			return nil, "", 0, err
		}
		if node, send, is := s.dueTask(c, task); is {
			p, err := readPoint(f.ctx, f.saver, Key{f.thread, namespace, c.ID})
			return p, node, send, err
		}
	}
	return nil, "", 0, fmt.Errorf("%w: thread %q no longer has the checkpoint before the node that ran this graph: fork a newer one, or one of the outer graph", ErrNoCheckpoint, f.thread)
}

// copied makes a copy of a checkpoint in a namespace, as a snapshot of its own, and copies of those
// of graphs inside that keep their state.
func (f *threadFork) copied(p *point, namespace, owner string) (row Checkpoint, err error) {
	s := saved{
		V: p.last.V, Owner: owner, Full: true, Extra: p.extra, Set: p.values, Input: p.last.Input,
		Next: p.last.Next, Sends: p.last.Sends, Deferred: p.last.Deferred, Arrived: p.last.Arrived,
	}
	if s.Written, err = f.written(p); err != nil {
		return row, err
	}
	s.Children = maps.Clone(p.children)
	for _, name := range slices.Sorted(maps.Keys(p.children)) {
		if to := namespace + strings.TrimPrefix(name, p.Namespace); to != name {
			child, err := readPoint(f.ctx, f.saver, Key{f.thread, name, p.children[name]})
			if err != nil {
				return row, err
			}
			moved, err := f.copied(child, to, child.last.Owner)
			if err != nil {
				return row, err
			}
			delete(s.Children, name)
			s.Children[to] = moved.ID
		}
	}
	row = p.Checkpoint
	if row.ID, err = f.nextIn(namespace); err != nil {
		return row, err
	}
	if row.Data, err = encode(&s); err != nil {
		return row, err
	}
	if namespace != p.Namespace {
		row.Parent = ""
	}
	row.Namespace, row.Base, row.Source = namespace, row.ID, SourceFork
	f.rows = append(f.rows, row)
	return row, nil
}

// written returns what a graph inside a node has written for the outer graph, up to a checkpoint.
func (f *threadFork) written(p *point) ([]writeJSON, error) {
	rows, err := writtenRows(f.ctx, f.saver, Key{f.thread, p.Namespace, p.ID}, p.last.Owner)
	var out [][]writeJSON
	var expired []string
	for _, row := range rows {
		out = append(out, slices.DeleteFunc(slices.Clone(row.writes()), func(w writeJSON) bool { return slices.Contains(expired, w.Channel) }))
		expired = append(expired, row.Drop...)
	}
	slices.Reverse(out)
	return slices.Concat(out...), err
}

// nextIn returns the ID of the next checkpoint in a namespace.
func (f *threadFork) nextIn(namespace string) (string, error) {
	newest, err := newestIn(f.ctx, f.saver, Key{f.thread, namespace, ""})
	if err != nil {
		return "", err
	}
	return nextID(newest)
}
